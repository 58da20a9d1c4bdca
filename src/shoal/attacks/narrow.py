"""Whole numbers of millions of rows, in 32 bits where they fit: half of the memory, and nothing is lost.

They fit only well within 32 bits, so that an edge moved by a cell, a step or a tolerance still does. Whatever
multiplies or adds up such numbers takes parts of them in 64 bits.
"""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

LOWEST, HIGHEST = -(1 << 30), 2_100_000_000
"""Metres from pole to pole, and seconds up to the year 2036."""


def narrow(values: NDArray[np.integer]) -> Ints:
    """Return numbers in 32 bits, or in 64 where one of them does not fit.

    The type says what their readers take: parts of them, in 64 bits.

    >>> narrow(np.array([0, 2_000_000_000])).dtype, narrow(np.array([1 << 31])).dtype, narrow(np.array([], int)).dtype
    (dtype('int32'), dtype('int64'), dtype('int32'))
    """
    fit = not values.size or fits(int(values.min()), int(values.max()))
    return values.astype(np.int32 if fit else np.int64, copy=False)


def narrow_of(low: int, high: int, size: int) -> Ints:
    """Return room for so many numbers of a range, as narrow as :func:`narrow` would have them.

    >>> narrow_of(0, 9, 1).dtype, narrow_of(0, 1 << 31, 1).dtype
    (dtype('int32'), dtype('int64'))
    """
    return np.empty(size, np.int32 if fits(low, high) else np.int64)


def fits(low: int, high: int) -> bool:
    """Tell whether numbers of a range may be kept in 32 bits."""
    return low >= LOWEST and high <= HIGHEST


def wide(values: NDArray[np.integer]) -> Ints:
    """Return numbers in 64 bits; those that are so already are not copied."""
    return values.astype(np.int64, copy=False)
