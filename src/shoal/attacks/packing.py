"""Rows of whole numbers as single numbers, so that sorting, joining and counting rows are one plain sort."""

from typing import Any

import numpy as np
import polars as pl
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
    if not sum(sizes):
        return [np.empty(0, np.int64) for _ in tables]
    lows, bits = _layout(tables)
    if sum(bits) <= 63:
        return [_packed(table, lows, bits) for table in tables]
    # Ranks instead of values: a product of two ranks always fits.
    packed = np.zeros(sum(sizes), np.int64)
    for parts in zip(*tables, strict=True):
        values, rank = np.unique(np.concatenate(parts), return_inverse=True)
        packed = np.unique(packed * values.size + rank, return_inverse=True)[1]
    return np.split(packed, np.cumsum(sizes)[:-1])


def distinct(rows: Rows) -> tuple[Ints, ...]:
    """Return the rows sorted and without duplicates, and last how often each occurred.

    >>> distinct((np.array([2, 1, 2]), np.array([5, 9, 5])))
    (array([1, 2]), array([9, 5]), array([1, 2]))
    """
    if not rows[0].size:
        return (*(column.astype(np.int64) for column in rows), np.empty(0, np.int64))
    lows, bits = _layout((rows,))
    if sum(bits) > 63:
        return _distinct_wide(rows)
    key = _packed(rows, lows, bits)
    if (key[1:] < key[:-1]).any():
        key.sort()
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    counts = np.diff(np.concatenate((first, [key.size])))
    key = key[first]
    columns = []
    for low, width in zip(reversed(lows), reversed(bits), strict=True):
        columns.append((key & ((1 << width) - 1)) + low)
        key >>= width
    return (*reversed(columns), counts)


def _distinct_wide(rows: Rows) -> tuple[Ints, ...]:
    """Do the same for rows that fit no single number: by a table of hashes, so that only distinct rows are sorted."""
    names = [str(i) for i in range(len(rows))]
    counted = pl.DataFrame(dict(zip(names, rows, strict=True))).group_by(names).len(name="often").sort(names)
    return tuple(counted[name].cast(pl.Int64).to_numpy() for name in (*names, "often"))


def is_in(values: Ints, among: Ints) -> NDArray[np.bool_]:
    """Tell which values occur among others, by a search in the sorted ones."""
    if not among.size:
        return np.zeros(values.size, np.bool_)
    table = np.sort(among)
    at = np.minimum(np.searchsorted(table, values), table.size - 1)
    return np.asarray(table[at] == values)


def _layout(tables: tuple[Rows, ...]) -> tuple[list[int], list[int]]:
    """Return the minimum of each column, and the bits that its values need counted from there."""
    lows, bits = [], []
    for parts in zip(*tables, strict=True):
        low = min(int(part.min()) for part in parts if part.size)
        lows.append(low)
        bits.append((max(int(part.max()) for part in parts if part.size) - low).bit_length())
    return lows, bits


def _packed(rows: Rows, lows: list[int], bits: list[int]) -> Ints:
    key = np.zeros(rows[0].size, np.int64)
    for column, low, width in zip(rows, lows, bits, strict=True):
        key <<= width
        key += column
        key -= low
    return key
