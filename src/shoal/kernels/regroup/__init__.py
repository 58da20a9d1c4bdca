"""Groups chosen for what is published: people change places until the boxes of all are as useful as can be found.

- `value` (exact): what a group costs once it is published; cores with one more person, many times over
- `sketch` (guesses): where people are in slots of time, and how much dearer a core would get by one more person
- `exchange` (drives): one round: everybody who is out goes to the core that is best for all
- `driver` (drives): where to start, how many rounds; the way in
"""
