"""Runs of equal values in sorted columns."""

import numpy as np

from shoal.attacks.crowd import Ints


def first_of_each(*columns: Ints) -> Ints:
    """Return where runs of rows that are equal in all columns start.

    >>> first_of_each(np.array([4, 4, 7]), np.array([1, 2, 2])), first_of_each(np.array([], int))
    (array([0, 1, 2]), array([], dtype=int64))
    """
    size = columns[0].size
    if not size:
        return np.empty(0, np.int64)
    starts = np.zeros(size, np.bool_)
    starts[0] = True
    for column in columns:
        starts[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(starts)
