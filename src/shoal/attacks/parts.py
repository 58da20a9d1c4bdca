"""Parts of people: what is computed from millions of rows is computed for some of them at a time."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

ROWS = 250_000
"""Rows in a part, about; whoever has more is a part. Columns of so many stay close to a processor."""


def cuts(sizes: NDArray[np.int64], most: int | None = None) -> list[tuple[int, int]]:
    """Cut a sequence into ranges of about so much each, and at least one: first, and the one after the last.

    Parameters
    ----------
    sizes
        How much each counts for.
    most
        How much there may be in a range; rows of a part by default.

    Examples
    --------
    >>> cuts(np.array([3, 3, 3, 9, 1]), most=6), cuts(np.array([], int), most=6)
    ([(0, 2), (2, 3), (3, 4), (4, 5)], [(0, 0)])
    """
    ranges, start = [], 0
    upto = np.cumsum(sizes)
    while start < sizes.size:
        before = int(upto[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(upto, before + (most or ROWS), side="right")))
        ranges.append((start, stop))
        start = stop
    return ranges or [(0, 0)]


def slices(rows: int) -> Iterator[slice]:
    """Go through rows, whosever they are, as many at a time as a part has.

    >>> list(slices(3))
    [slice(0, 3, None)]
    """
    for start in range(0, rows, ROWS):
        yield slice(start, min(start + ROWS, rows))
