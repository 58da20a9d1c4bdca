"""GLOVE's greedy without its matrix: the same merges in the same order (GLOVE §4, §6.1, §6.2).

What is computed:

- `boxes` (exact): fingerprints of boxes, the stretch between two groups, plainly
- `merge` (exact): two fingerprints become one
- `reshape` (exact): boxes that are disjoint in time; which box a sample went into

What is known of groups in short, so that most need no look:

- `outline` (bound): a group's distinct rectangles
- `clock` (bound): how far each time bin is from a raw person's samples
- `toll` (bound): what each time bin costs at least toward a merged group
- `parade` (bound): merged groups side by side, to be looked at many at a time
- `field` (bound): a group as tables over the raw people's sites and bins
- `singles` (bound): raw people who may be near to a group
- `exact` (exact): the stretch between two groups with the help of outlines and clocks
- `query` (bound, then exact): the nearest of a group, the kernels that threads run

The loop:

- `store`: all groups, with room for more
- `heap`: what the loop's heap holds, in exact order
- `greedy` (drives): the heap of nearest pairs, and work done ahead of time in threads
- `match` (drives): the same for k = 2, in rounds
- `driver` (drives): from people to a `Grouping`; the way in
"""
