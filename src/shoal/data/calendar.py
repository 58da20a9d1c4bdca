"""The local calendar: from moments in UTC to local days and slots, by a table of quarter hours.

Converting each time on its own is slow, and needless: every zone of these times is off UTC by whole quarter hours, so
all moments of a quarter hour in UTC lie in one local quarter hour, and slots begin at whole hours.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.layout import Ints64

DAY_US = 86_400_000_000
WEEK_DAYS, WORK_DAYS = 7, 5
SLOT_STARTS_H = (0, 8, 19)
"""Where night, day and evening begin (primule §3)."""

_QUARTER_US = 900_000_000
_EPOCH_WEEKDAY = 3
"""1970-01-01 was a Thursday; Monday is 0."""


def week_of(day: int) -> int:
    """Number the week, Monday to Sunday, of a day since 1970-01-01.

    >>> [week_of(day) for day in (3, 4, 10, 11)]
    [0, 1, 1, 2]
    """
    return (day + _EPOCH_WEEKDAY) // WEEK_DAYS


def monday_of(week: int) -> int:
    """Return the first day of a week, in days since 1970-01-01.

    >>> monday_of(1), datetime(1970, 1, 5).strftime("%A")
    (4, 'Monday')
    """
    return week * WEEK_DAYS - _EPOCH_WEEKDAY


def days_per_kind(week: int, first_day: int, last_day: int) -> tuple[int, int]:
    """Count the weekdays and the weekend days of a week that lie in a period, both ends included.

    >>> days_per_kind(1, 4, 100), days_per_kind(1, 8, 9), days_per_kind(1, 11, 100)
    ((5, 2), (1, 1), (0, 0))
    """
    monday = monday_of(week)
    there = [first_day <= monday + day <= last_day for day in range(WEEK_DAYS)]
    return sum(there[:WORK_DAYS]), sum(there[WORK_DAYS:])


@dataclass(frozen=True)
class LocalCalendar:
    """The calendar of a zone from one moment to another, both in microseconds since the UTC epoch.

    >>> rome = LocalCalendar("Europe/Rome", 0, DAY_US)
    >>> rome.day_and_slot(np.array([0, DAY_US - 1])).tolist()  # in winter the day begins at 23:00 UTC
    [0, 4]
    """

    zone: str
    first_us: int
    last_us: int

    def day_and_slot(self, moment_us: Ints64) -> NDArray[np.uint64]:
        """Return of each moment its local day since 1970-01-01 times four, plus the slot of the day."""
        return self._table[moment_us // _QUARTER_US - self._origin]

    @cached_property
    def _table(self) -> NDArray[np.uint64]:
        """Day and slot of each quarter hour."""
        quarters = self.last_us // _QUARTER_US - self._origin
        first = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=self._origin * _QUARTER_US)
        last = first + timedelta(microseconds=quarters * _QUARTER_US)
        moments = pl.datetime_range(first, last, "15m", time_unit="us", time_zone="UTC", eager=True)
        local = moments.dt.convert_time_zone(self.zone).dt.replace_time_zone(None).to_physical().to_numpy()
        hour = local % DAY_US // (4 * _QUARTER_US)
        slot = np.searchsorted(SLOT_STARTS_H, hour, side="right") - 1
        return np.asarray(local // DAY_US * 4 + slot, np.uint64)

    @property
    def _origin(self) -> int:
        return self.first_us // _QUARTER_US
