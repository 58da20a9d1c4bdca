"""Rows of whole numbers as single numbers, so that sorting, joining and counting rows are one plain sort."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints

Rows = tuple[NDArray[Any], ...]


def keys(*tables: Rows) -> list[Ints]:
    """Return a number for each row of each table; equal rows have equal numbers, and their order is that of the rows.

    >>> one, two = keys((np.array([5, 7]), np.array([1, 1])), (np.array([7]), np.array([1])))
    >>> bool(one[1] == two[0]), bool(one[0] < one[1])
    (True, True)
    """
    sizes = [table[0].size for table in tables]
    columns = [np.concatenate(parts) if len(parts) > 1 else parts[0] for parts in zip(*tables, strict=True)]
    if not columns[0].size:
        return [np.empty(0, np.int64) for _ in tables]
    lows = [int(column.min()) for column in columns]
    bits = [(int(column.max()) - low).bit_length() for column, low in zip(columns, lows, strict=True)]
    packed = np.zeros(columns[0].size, np.int64)
    if sum(bits) <= 63:
        for column, low, width in zip(columns, lows, bits, strict=True):
            packed <<= width
            packed |= column.astype(np.int64) - low
    else:
        # Ranks instead of values: a product of two ranks always fits.
        for column in columns:
            values, rank = np.unique(column, return_inverse=True)
            packed = np.unique(packed * values.size + rank, return_inverse=True)[1]
    return np.split(packed, np.cumsum(sizes)[:-1])


def is_in(values: Ints, among: Ints) -> NDArray[np.bool_]:
    """Tell which values occur among others, by a search in the sorted ones."""
    if not among.size:
        return np.zeros(values.size, np.bool_)
    table = np.sort(among)
    at = np.minimum(np.searchsorted(table, values), table.size - 1)
    return np.asarray(table[at] == values)
