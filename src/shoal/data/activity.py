"""Who was active where, on which day and in which slot: from batches of calls to counts of days.

An entry is one number: person, municipality, local day and slot, packed so that sorting brings profiles together.
Sorting such numbers and dropping repeats is what OR-ing bits of days per profile would give, and numpy sorts 80 million
of them in seconds, where a group-by takes minutes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.contract.kinds import KINDS_OF_DAY, SLOTS
from shoal.data.calendar import WEEK_DAYS, WORK_DAYS, monday_of
from shoal.data.layout import Ints64
from shoal.errors import DataError

Entries = NDArray[np.uint64]

_SLOT_BITS, _DAY_BITS, _PLACE_BITS = 2, 17, 16
_MOMENT_BITS = _SLOT_BITS + _DAY_BITS
_PERSON_SHIFT = np.uint64(_MOMENT_BITS + _PLACE_BITS)
_ROW_SHIFT = np.uint64(_MOMENT_BITS)
MOST_PLACES = 1 << _PLACE_BITS
MOST_PEOPLE = 1 << (64 - int(_PERSON_SHIFT))

_SETTLE = 1 << 25
"""Entries that wait before repeats are dropped: a quarter of a gigabyte."""

_ENTRIES_AT_A_TIME = 1 << 18
_ROWS_AT_A_TIME = 1 << 14
"""Their counts stay in the processor's cache, and in memory that is used again."""


def pack(person: Ints64, place: Ints64, day_and_slot: Entries) -> Entries:
    """Make entries of who, where and when.

    >>> entries = pack(np.array([1]), np.array([3]), np.array([19_000 * 4 + 2], np.uint64))
    >>> int(entries[0]) == (1 << 35) + (3 << 19) + (19_000 << 2) + 2
    True
    """
    packed = (person.astype(np.uint64) << _PERSON_SHIFT) | (place.astype(np.uint64) << _ROW_SHIFT) | day_and_slot
    return np.asarray(packed, np.uint64)


@dataclass(slots=True)
class Activity:
    """Distinct entries, collected batch by batch."""

    settled: Entries = field(default_factory=lambda: np.empty(0, np.uint64))
    waiting: list[Entries] = field(default_factory=list)

    def add(self, entries: Entries) -> None:
        """Take a batch in."""
        self.waiting.append(entries)
        if sum(map(len, self.waiting)) > max(_SETTLE, len(self.settled)):
            self.settle()

    def settle(self) -> None:
        """Sort everything, and drop repeats."""
        everything = np.concatenate([self.settled, *self.waiting])
        self.waiting.clear()
        everything.sort()
        self.settled = everything[_first_of_each(everything)]

    def renumber(self, rank: Ints64) -> None:
        """Give each person another number, and sort by that."""
        low = (np.uint64(1) << _PERSON_SHIFT) - np.uint64(1)
        ranks = rank.astype(np.uint64) << _PERSON_SHIFT
        for start in range(0, len(self.settled), _ENTRIES_AT_A_TIME):
            piece = self.settled[start : start + _ENTRIES_AT_A_TIME]
            piece[:] = ranks[piece >> _PERSON_SHIFT] | (piece & low)
        self.settled.sort()

    def keep_days(self, first_day: int, last_day: int) -> None:
        """Drop what lies outside a period."""
        day = (self.settled >> np.uint64(_SLOT_BITS)) & np.uint64((1 << _DAY_BITS) - 1)
        inside = (day >= first_day) & (day <= last_day)
        if not inside.all():
            self.settled = self.settled[inside]

    def days(self) -> set[int]:
        """Return the days on which somebody was active."""
        day = (self.settled >> np.uint64(_SLOT_BITS)) & np.uint64((1 << _DAY_BITS) - 1)
        return set(np.flatnonzero(np.bincount(day.astype(np.int64))).tolist())

    def owners(self) -> tuple[Ints64, Ints64]:
        """Return person and place of each row: those who were active there."""
        rows = self.settled[_first_of_each(self.settled >> _ROW_SHIFT)] >> _ROW_SHIFT
        place = rows & np.uint64(MOST_PLACES - 1)
        return (rows >> np.uint64(_PLACE_BITS)).astype(np.int64), place.astype(np.int64)

    def counts(self, first_week: int, weeks: int) -> Iterator[tuple[slice, Ints64]]:
        """Count the days of each row and cell; rows in the order of `owners`, some at a time."""
        starts = np.append(np.flatnonzero(_first_of_each(self.settled >> _ROW_SHIFT)), len(self.settled))
        cells = weeks * len(KINDS_OF_DAY) * len(SLOTS)
        for first in range(0, len(starts) - 1, _ROWS_AT_A_TIME):
            last = min(first + _ROWS_AT_A_TIME, len(starts) - 1)
            entries = self.settled[starts[first] : starts[last]]
            row = np.repeat(np.arange(last - first), np.diff(starts[first : last + 1]))
            cell = row * cells + _cell_of(entries, first_week)
            yield slice(first, last), np.bincount(cell, minlength=(last - first) * cells).reshape(-1, cells)


def refuse_too_many(people: int, places: int) -> None:
    """Refuse what an entry has no room for."""
    for number, most, what in ((people, MOST_PEOPLE, "people"), (places, MOST_PLACES, "municipalities")):
        if number > most:
            raise DataError(f"{number:,} {what}", expected=f"up to {most:,}", hint="build profiles region by region")


def _first_of_each(values: Entries) -> NDArray[np.bool_]:
    if not values.size:
        return np.empty(0, np.bool_)
    return np.concatenate(([True], values[1:] != values[:-1]))


def _cell_of(entries: Entries, first_week: int) -> Ints64:
    """Return the cell of each entry: week, kind of day, slot."""
    slot = (entries & np.uint64((1 << _SLOT_BITS) - 1)).astype(np.int64)
    day = ((entries >> np.uint64(_SLOT_BITS)) & np.uint64((1 << _DAY_BITS) - 1)).astype(np.int64)
    since = day - monday_of(first_week)
    weekend = since % WEEK_DAYS >= WORK_DAYS
    return np.asarray(((since // WEEK_DAYS) * len(KINDS_OF_DAY) + weekend) * len(SLOTS) + slot)
