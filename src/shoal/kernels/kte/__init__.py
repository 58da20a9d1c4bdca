"""Hiding among others window by window: k^{tau,epsilon}-anonymity (kte §III), repaired.

- `lives`: samples with the epoch that each is in; what is published of whom in which epoch
- `used`: a set of pairs of people
- `tree`: people near in place and time, leaving out those met before
- `hiders` (drives): candidates who could hide each member of a class, and what each would cost
- `assign`: who has enough candidates; who hides whom, evenly
- `draw` (drives): the boxes of everybody, merged with whom they hide
- `cover`: whose boxes cover what; an index of boxes over time and place
- `leaks` (drives): intervals whose candidates all give away something far
"""
