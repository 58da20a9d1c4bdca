"""Columns of millions of values made of pieces, sums of values that are never all there, two sorted columns as one."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.usefulness.figures import Floats

_MOST = 1 << 18

Number = TypeVar("Number", bound=np.generic)


def column_of(pieces: Iterable[NDArray[Any]], most: int, kind: type[Number]) -> NDArray[Number]:
    """Put pieces into one column, each where the one before it ends, and each gone before the next one is made.

    Parameters
    ----------
    pieces
        Made one at a time: a list of them would be as large as the column, beside it.
    most
        How many values there are at most; room that is not needed takes no memory.
    kind
        Of the values.

    >>> column_of((np.arange(size) for size in (2, 0, 3)), 9, np.float64)
    array([0., 1., 0., 1., 2.])
    """
    column, end = np.empty(most, kind), 0
    for piece in pieces:
        column[end : end + piece.size] = piece
        end += piece.size
    return column[:end]


def summed(values: Callable[[int, int], Floats], size: int) -> float:
    """Add up values that are made for a range at a time.

    In the order in which numpy adds up an array, by halves: so the sum is the same to the last bit, however many
    values are made at a time.

    Parameters
    ----------
    values
        Makes those from one to before another.
    size
        How many there are.

    >>> summed(lambda low, high: np.arange(low, high) / 7, 10) == float((np.arange(10) / 7).sum())
    True
    """
    return _summed(values, 0, size)


def _summed(values: Callable[[int, int], Floats], low: int, size: int) -> float:
    if size <= _MOST:
        return float(values(low, low + size).sum())
    half = size // 2
    half -= half % 8
    return _summed(values, low, half) + _summed(values, low + half, size - half)


def merged(one: Floats, two: Floats, low: int, high: int) -> Floats:
    """Return what stands from one place to before another where two sorted columns are merged.

    >>> merged(np.array([1.0, 4.0, 9.0]), np.array([2.0, 3.0]), 1, 4)
    array([2., 3., 4.])
    """
    (i, j), (m, n) = _split(one, two, low), _split(one, two, high)
    return np.sort(np.concatenate((one[i:m], two[j:n])))


def _split(one: Floats, two: Floats, place: int) -> tuple[int, int]:
    """How many of each column are among the first ones of both."""
    low, high = max(0, place - two.size), min(place, one.size)
    while low < high:
        middle = (low + high) // 2
        if one[middle] < two[place - middle - 1]:
            low = middle + 1
        else:
            high = middle
    return low, place - low
