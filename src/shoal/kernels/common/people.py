"""People as flat arrays: checked once, then moved to the origin in the narrowest integers that hold them.

Narrow integers are what makes the scan fast (twice the lanes per register); moving to the origin is what makes
them narrow. No stretch changes, as it depends on differences alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel
from shoal.kernels.common.scale import Scale

WIDEST = 2**29
"""Largest extent of x and of y, so that a taxicab distance fits 32 bits (1 m cells: 13 times the Earth)."""


class People(NamedTuple):
    """Samples per person, relative to the least t, x and y; all int16 or all int32."""

    offsets: NDArray[np.int64]
    t: NDArray[np.signedinteger]
    x: NDArray[np.signedinteger]
    y: NDArray[np.signedinteger]


@kernel
def first_disorder(offsets, t, x, y):  # type: ignore[no-untyped-def]
    """First person without samples, or with samples that do not ascend strictly by (t, x, y); -1 if none.

    Parameters
    ----------
    offsets, t, x, y
        People as in `shoal.kernels`, not yet checked.
    """
    for p in range(offsets.size - 1):
        if offsets[p + 1] <= offsets[p]:
            return p
        for i in range(offsets[p] + 1, offsets[p + 1]):
            if t[i] != t[i - 1]:
                ascending = t[i] > t[i - 1]
            elif x[i] != x[i - 1]:
                ascending = x[i] > x[i - 1]
            else:
                ascending = y[i] > y[i - 1]
            if not ascending:
                return p
    return -1


def pack(
    offsets: NDArray[np.int64],
    t: NDArray[np.int32],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
    scale: Scale,
) -> People:
    """Check the layout and return the people relative to the origin of the data.

    Parameters
    ----------
    offsets, t, x, y
        People as in `shoal.kernels`.
    scale
        Decides, with the extent of the data, how wide the integers must be.

    Raises
    ------
    ValueError
        Not flat arrays of one length, a person without samples, samples out of order or twice, or an extent
        that 32-bit differences cannot hold (t: 2**31 cells, x and y: 2**29).
    """
    offsets = np.array(offsets, dtype=np.int64)  # a copy: kernels are compiled anew for arrays that are read-only
    t, x, y = (np.ascontiguousarray(v, dtype=np.int32) for v in (t, x, y))
    if offsets.ndim != 1 or offsets.size < 1 or offsets[0] != 0 or {t.shape, x.shape, y.shape} != {(offsets[-1],)}:
        raise ValueError("offsets start at 0 and end at the number of samples in each of t, x and y")
    low = [int(v.min()) if v.size else 0 for v in (t, x, y)]
    extent = [int(v.max()) - first if v.size else 0 for v, first in zip((t, x, y), low, strict=True)]
    if extent[0] >= 2**31 or max(extent[1:]) >= WIDEST:
        raise ValueError("the data extend farther than 32-bit differences can hold")
    fits = max(extent[0], extent[1] + extent[2], scale.unit) < 2**15
    narrow: type[np.signedinteger] = np.int16 if fits else np.int32
    moved = [(v.astype(np.int64) - first).astype(narrow) for v, first in zip((t, x, y), low, strict=True)]
    bad = first_disorder(offsets, *moved)
    if bad >= 0:
        raise ValueError(f"person {bad}: samples ascend strictly by (t, x, y), and there is at least one")
    longest = int(np.diff(offsets).max(initial=0))
    if scale.unit * longest * longest >= 2**63:
        raise ValueError("too many samples in one person for exact comparisons in 64 bits")
    return People(offsets, *moved)


def select(people: People, chosen: NDArray[np.int64]) -> People:
    """Some people, in the order given."""
    offsets, rows = runs(people.offsets[chosen], np.diff(people.offsets)[chosen])
    return People(offsets, people.t[rows], people.x[rows], people.y[rows])


def runs(starts: NDArray[np.int64], lengths: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Runs of rows laid one after the other: where each begins and the last ends, and which rows they are.

    >>> runs(np.array([7, 2]), np.array([2, 3]))
    (array([0, 2, 5]), array([7, 8, 2, 3, 4]))
    """
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
    return offsets, np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
