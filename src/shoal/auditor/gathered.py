"""Samples that come in batches, in any order: sorted by person, time and place, without duplicates.

A row is one number as soon as all rows are known, and only such numbers are sorted: a third of what four columns of
64 bits take.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints, Samples
from shoal.attacks.narrow import narrow, narrow_of, wide
from shoal.attacks.packing import distinct
from shoal.attacks.parts import slices
from shoal.data.layout import joined

_BITS = 63

Row = tuple[NDArray[np.integer], ...]
"""Number of the person, time step, column and row of the grid."""


class Gathered:
    """Batches of rows, and the range of each of their columns."""

    def __init__(self) -> None:
        self._batches: list[tuple[Ints, ...]] = []
        self._lows = [np.iinfo(np.int64).max] * 4
        self._highs = [np.iinfo(np.int64).min] * 4
        self.rows = 0

    def add(self, batch: Row) -> None:
        """Take some rows."""
        if not batch[0].size:
            return
        self._lows = [min(low, int(column.min())) for low, column in zip(self._lows, batch, strict=True)]
        self._highs = [max(high, int(column.max())) for high, column in zip(self._highs, batch, strict=True)]
        self._batches.append(tuple(narrow(column) for column in batch))
        self.rows += batch[0].size

    def distinct(self, place: NDArray[np.integer]) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the rows sorted and without duplicates, and let go of the batches.

        Parameters
        ----------
        place
            What to sort people by: the place of each number.
        """
        lows, bits = [0, *self._lows[1:]], [max(place.size - 1, 0).bit_length()]
        bits += [(high - low).bit_length() for low, high in zip(self._lows[1:], self._highs[1:], strict=True)]
        if not self.rows:
            none = np.empty(0, np.int64)
            return none, none, none, none
        if sum(bits) > _BITS:
            columns = [joined(list(column)) for column in zip(*self._batches, strict=True)]
            self._batches.clear()
            owner, t, x, y, _ = distinct((place[columns[0]], *columns[1:]))
            return narrow(owner), narrow(t), narrow(x), narrow(y)
        key, at = np.empty(self.rows, np.int64), 0
        self._batches.reverse()
        while self._batches:
            batch = self._batches.pop()
            part = key[at : at + batch[0].size]
            part[:] = place[batch[0]]
            for column, low, width in zip(batch[1:], lows[1:], bits[1:], strict=True):
                part <<= width
                part += column
                part -= low
            at += part.size
        return _unpacked(_sorted(key), lows, bits)


def _sorted(key: Ints) -> Ints:
    """Sort numbers in place, and return those that are different, in the same memory."""
    key.sort()
    kept = 0
    for rows in slices(key.size):
        some = key[rows]
        fresh = np.ones(some.size, np.bool_)
        fresh[1:] = some[1:] != some[:-1]
        # What is kept lies before this part, and its last value is the one before.
        fresh[0] = not kept or some[0] != key[kept - 1]
        different = some[fresh]
        key[kept : kept + different.size] = different
        kept += different.size
    return key[:kept]


def _unpacked(key: Ints, lows: list[int], bits: list[int]) -> tuple[Ints, Ints, Ints, Ints]:
    """Take numbers apart into their columns."""
    ranges = zip(lows, bits, strict=True)
    owner, t, x, y = columns = [narrow_of(low, low + (1 << width) - 1, key.size) for low, width in ranges]
    for rows in slices(key.size):
        some = key[rows].copy()
        for column, low, width in zip(reversed(columns), reversed(lows), reversed(bits), strict=True):
            column[rows] = (some & ((1 << width) - 1)) + low
            some >>= width
    return owner, t, x, y


def samples_of(gathered: Gathered, place: NDArray[np.integer], cell_m: int, dt_s: int) -> Samples:
    """Make samples of rows, in seconds and metres.

    Parameters
    ----------
    gathered
        The rows.
    place
        The place of each number of a person among all people.
    cell_m, dt_s
        The grid.
    """
    owner, t, x, y = gathered.distinct(place)
    offsets = np.searchsorted(owner, np.arange(place.size + 1)).astype(np.int64)
    del owner
    return Samples(offsets, _times(t, dt_s), _times(x, cell_m), _times(y, cell_m), cell_m, dt_s)


def _times(values: Ints, unit: int) -> Ints:
    """Multiply, part by part."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    products = narrow_of(low * unit, high * unit, values.size)
    for rows in slices(values.size):
        products[rows] = wide(values[rows]) * unit
    return products
