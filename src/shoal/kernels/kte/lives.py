"""Samples by person and epoch: the layout that all kernels of this folder work on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper


class Lives(NamedTuple):
    """Samples of person p: ``offsets[p]:offsets[p + 1]``, sorted by time; ``epoch`` of each, from 0 on.

    A *cell*, what a person has in an epoch, is a run of samples.
    """

    offsets: NDArray[np.int64]
    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    epoch: NDArray[np.int32]


class Pairs(NamedTuple):
    """Who is paired with person p in which window: rows ``at[p]:at[p + 1]``, windows ascending."""

    at: NDArray[np.int64]
    window: NDArray[np.int32]
    other: NDArray[np.int32]


def pairs_by(person: NDArray[np.integer], window: NDArray[np.integer], other: NDArray[np.integer], n: int) -> Pairs:
    """Sort pairs by the one person, window and the other; n is the number of people."""
    order = np.lexsort((other, window, person))
    at = np.concatenate(([0], np.cumsum(np.bincount(person, minlength=n))))
    return Pairs(at, window[order].astype(np.int32), other[order].astype(np.int32))


@helper
def first_from(values, low, high, least):  # type: ignore[no-untyped-def]
    """The first of the ascending ``values[low:high]`` that is not below ``least``: its index, or high."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low
