"""PRIMULE's groups: the nearest of every unsafe group, exactly, round by round.

A profile is a row of whole numbers, in units of 1 / `scale`. A group is the sum of its members' rows and their number;
its point is the mean. In the order of reading:

- `groups`: sums, sizes and points of groups
- `closer`: which of two groups is nearer to a third: in floats, and where those cannot tell in whole numbers
- `blocks`: points in blocks of neighbours, with boxes around them
- `search`: the nearest group of many, block by block
- `rounds`: who merges with whom in a round
- `driver`: all rounds
"""
