"""Samples that come in batches, in any order: sorted by person, time and place, without duplicates.

A row is one number as soon as all rows are known, and only such numbers are sorted: a third of what four columns of
64 bits take.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.compact import multiples
from shoal.attacks.crowd import Ints, Samples
from shoal.attacks.narrow import fits, narrow, narrow_of
from shoal.attacks.packing import distinct
from shoal.attacks.parts import slices
from shoal.data.layout import joined

_BITS, _SMALL = 63, 16

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

    def distinct(self, place: NDArray[np.integer], units: tuple[int, int, int]) -> tuple[Ints, Ints, Ints, Ints]:
        """Return where each person's rows start, and times and places, sorted and without duplicates.

        The batches are let go of.

        Parameters
        ----------
        place
            What to sort people by: the place of each number.
        units
            What time steps, columns and rows of the grid are multiplied by.
        """
        lows, bits = self._lows[1:], [max(place.size - 1, 0).bit_length()]
        bits += [(high - low).bit_length() for low, high in zip(lows, self._highs[1:], strict=True)]
        if not self.rows:
            none = np.empty(0, np.int64)
            return np.zeros(place.size + 1, np.int64), none, none, none
        if sum(bits) > _BITS:
            columns = [joined(list(column)) for column in zip(*self._batches, strict=True)]
            self._batches.clear()
            owner, *found, _ = distinct((place[columns[0]], *columns[1:]))
            t, x, y = (narrow(column * unit) for column, unit in zip(found, units, strict=True))
            return np.searchsorted(owner, np.arange(place.size + 1)).astype(np.int64), t, x, y
        key, at = np.empty(self.rows, np.int64), 0
        self._batches.reverse()
        while self._batches:
            batch = self._batches.pop()
            part = key[at : at + batch[0].size]
            part[:] = place[batch[0]]
            for column, low, width in zip(batch[1:], lows, bits[1:], strict=True):
                part <<= width
                part += column
                part -= low
            at += part.size
        key = _sorted(key)
        starts = np.searchsorted(key, np.arange(place.size) << sum(bits[1:]))
        shifts = sum(bits[2:]), bits[3], 0
        t, x, y = (_unpacked(key, *where) for where in zip(shifts, bits[1:], lows, units, strict=True))
        return np.append(starts, key.size).astype(np.int64), t, x, y


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


def _unpacked(key: Ints, shift: int, width: int, low: int, unit: int) -> Ints:
    """Take a column out of the numbers: in 16 bits where these are enough, since how fine it is is known."""
    most = (1 << width) - 1
    first, last = low * unit, (low + most) * unit
    if width <= _SMALL and fits(first, max(last, unit)):
        kept = np.empty(key.size, np.uint16)
        for rows in slices(key.size):
            kept[rows] = key[rows] >> shift & most
        return multiples(kept, first, unit)
    column = narrow_of(first, last, key.size)
    for rows in slices(key.size):
        column[rows] = ((key[rows] >> shift & most) + low) * unit
    return column


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
    return Samples(*gathered.distinct(place, (dt_s, cell_m, cell_m)), cell_m, dt_s)
