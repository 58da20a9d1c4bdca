"""Groups chosen for what is published: people change places until the boxes of all are as useful as can be found.

- `crowd`, `merged` (data): everybody as the search sees them; the samples of a few of them
- `cost` (exact): what boxes cost those who are in them, and groups by their boxes; `price`: of what will be left out
- `value` (exact): what a group costs once it is published; cores with one more person, many times over
- `rough` (guesses): the same by boxes that are closed early; who fits least into a group
- `sketch` (guesses): where people are in slots of time, and how much dearer a core would get by one more person
- `cores`, `candidates`: one member of each group is out; which cores look best for whom
- `assign` (exact): everybody who is out goes to the core that is best for all
- `exchange` (drives): one round of larger groups; `pairs`: of pairs, whose values are all known beforehand
- `driver` (drives): where to start, how many rounds; the way in
"""
