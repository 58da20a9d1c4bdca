"""Split boxes at every overlap in time: probably the reshaping of GLOVE §6.2 (Fig. 6b), for comparison only.

Each stretch of time between two consecutive edges of a group's boxes becomes a box; its area is the hull of the areas
of all boxes there. Such a box may hold no sample of some member: it says that a person was where they never were, so
no mechanism of this package publishes it.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.usefulness.figures import Cells

Ints = NDArray[np.int64]

NOWHERE = np.iinfo(np.int64).max


def split_at_overlaps(offsets: Ints, boxes: Cells) -> tuple[Ints, Cells]:
    """The boxes of each group between any two consecutive edges, as offsets and boxes.

    >>> columns = [np.array(v) for v in ([0, 5], [6, 4], [0, 3], [1, 1], [0, 0], [1, 1])]
    >>> offsets, split = split_at_overlaps(np.array([0, 2]), Cells(*columns))
    >>> split.t.tolist(), split.dt.tolist(), split.dx.tolist()
    ([0, 5, 6], [5, 1, 3], [1, 4, 1])
    """
    if not boxes.t.size:
        return offsets, boxes
    groups = offsets.size - 1
    low = int(boxes.t.min())
    width = int((boxes.t + boxes.dt).max()) - low + 1
    base = np.repeat(np.arange(groups), np.diff(offsets)) * width + (boxes.t - low)
    edges = distinct(np.concatenate((base, base + boxes.dt)))
    first, last = np.searchsorted(edges, base), np.searchsorted(edges, base + boxes.dt)
    sides = (boxes.x, -boxes.x - boxes.dx, boxes.y, -boxes.y - boxes.dy)
    bounds = [_least_over(first, last, side, edges.size) for side in sides]
    covered = np.flatnonzero(bounds[0] != NOWHERE)
    x, x_end, y, y_end = (bound[covered] for bound in bounds)
    group, since = np.divmod(edges[covered], width)
    # The edge after a covered stretch belongs to the same group.
    duration = edges[covered + 1] - edges[covered]
    return (
        np.searchsorted(group, np.arange(groups + 1)),
        Cells(since + low, duration, x, -x_end - x, y, -y_end - y),
    )


def distinct(values: Ints) -> Ints:
    """Return what occurs, ascending; many times faster than numpy's own for millions of different numbers."""
    ordered = np.sort(values)
    return ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))] if ordered.size else ordered


def _least_over(first: Ints, last: Ints, values: Ints, size: int) -> Ints:
    """For each position the least value of all ranges ``first <= i < last`` that hold it, NOWHERE where none does.

    A range is the union of two ranges of a power of two, which may overlap as a minimum counts nothing twice; each
    power hands its minima down to the two halves.
    """
    power = np.frexp((last - first).astype(np.float64))[1] - 1
    best = np.full(size, NOWHERE, np.int64)
    for j in range(int(power.max()), -1, -1):
        at = np.flatnonzero(power == j)
        np.minimum.at(best, first[at], values[at])
        np.minimum.at(best, last[at] - (1 << j), values[at])
        if j:
            half = 1 << (j - 1)
            handed = best.copy()
            np.minimum(handed[half:], best[:-half], out=handed[half:])
            best = handed
    return best
