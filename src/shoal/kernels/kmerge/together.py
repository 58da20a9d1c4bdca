"""The samples of groups of people, one group after the other, each in the order of time: what k-merge works on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.people import runs


class Together(NamedTuple):
    """Group g has the samples ``rows[offsets[g]:offsets[g + 1]]``; whose each is, counted from 0 in its group."""

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    member: NDArray[np.int32]


def together(
    offsets: NDArray[np.int64], t: NDArray[np.int32], people: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Together:
    """Put the samples of groups together.

    Parameters
    ----------
    offsets, t
        People as in `shoal.kernels`.
    people, sizes
        The members of all groups, one group after the other, and how many each has.

    >>> together(np.array([0, 2, 3]), np.array([5, 9, 7], np.int32), np.array([0, 1]), np.array([2]))
    Together(offsets=array([0, 3]), rows=array([0, 2, 1]), member=array([0, 1, 0], dtype=int32))
    """
    lengths = np.diff(offsets)[people]
    _, rows = runs(offsets[people], lengths)
    group = np.repeat(np.repeat(np.arange(sizes.size), sizes), lengths)
    # Everybody's samples ascend in time already: a merge sort finds and merges these runs.
    order = np.argsort((group << 32) + t[rows], kind="stable")
    ends, rows = np.searchsorted(group, np.arange(sizes.size + 1)), rows[order]
    number = (np.arange(people.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)).astype(np.int32)
    return Together(ends, rows, np.repeat(number, lengths)[order])
