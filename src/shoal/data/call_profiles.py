"""From call records to profiles: on which share of days a person was active, by week, kind of day and time of day.

The individual call profile of PRIMULE §3. A call counts at its start in the municipality of its first cell, and at its
end in that of its last. Weeks go from Monday to Sunday in local time. The period goes from the day of the first call to
the day on which the last one starts: of a week that is partly in it, shares are of the days that there are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from shoal.contract.kinds import SLOTS, cell_names
from shoal.data import rules, schemas
from shoal.data.activity import Activity, pack, refuse_too_many
from shoal.data.calendar import LocalCalendar, days_per_kind, week_of
from shoal.data.cells import read_municipalities
from shoal.data.layout import Floats, Ints64
from shoal.data.loading import Loaded, keep_batch, load_batches, nothing_kept
from shoal.data.numbering import Numbering
from shoal.data.options import ReadOptions
from shoal.data.profiles import Profiles
from shoal.data.times import SECOND_US, to_epoch_us
from shoal.data.values import as_identifier, as_number, blank, known_as
from shoal.errors import DataError, ParameterError
from shoal.progress import Progress, silent

MOST_WEEKS = 60
"""A clock that is years off would make thousands of columns."""

RULES = [rules.UID, rules.TIME, rules.YEAR, rules.KNOWN_CELL, rules.PLACED_CELL, rules.DURATION, rules.LASTING]


@dataclass(frozen=True, slots=True)
class Building:
    """What was noticed while profiles were built: counts, no value of the data.

    Attributes
    ----------
    days
        Local days of the period, the first and the last one included.
    copies
        Calls that stand in the input once more, to the last field: they change nothing.
    ends_after
        Calls that end after the last day of the period; their end is not counted.
    weeks_without_calls
        Weeks, from 1, in which nobody called: their cells are 0.
    cells_without_days
        Cells of weeks that the period touches without any such day: they are 0 too.
    """

    days: int
    copies: int
    ends_after: int
    weeks_without_calls: tuple[int, ...]
    cells_without_days: tuple[str, ...]

    @classmethod
    def together(cls, parts: Sequence["Building"]) -> "Building":
        """What was noticed of some people and of others, over one period."""
        without = set.intersection(*(set(part.weeks_without_calls) for part in parts))
        return replace(
            parts[0],
            copies=sum(part.copies for part in parts),
            ends_after=sum(part.ends_after for part in parts),
            weeks_without_calls=tuple(sorted(without)),
        )


@dataclass(frozen=True, slots=True)
class CallProfiles:
    """Profiles, sorted by person and municipality, and what was found on the way to them.

    Attributes
    ----------
    rows, records
        Calls of the input, and those that keep all rules.
    dropped
        ``{rule: rows}`` for the rows that break one.
    """

    profiles: Profiles
    rows: int
    records: int
    time_zone: str
    ignored_columns: tuple[str, ...]
    dropped: dict[str, int]
    building: Building


def read_call_profiles(
    source: Any, options: ReadOptions | None = None, progress: Progress | None = None
) -> CallProfiles:
    """Build profiles from call records under all rules.

    >>> calls = {"uid": ["a"], "datetime": ["2024-01-01T09:00"], "duration": [60], "cell_start": [1], "cell_end": [2]}
    >>> cells = {"cell": [1, 2], "municipality": ["Pisa", "Lucca"]}
    >>> built = read_call_profiles(calls, ReadOptions(cells=cells, tz="Europe/Rome"))
    >>> built.profiles.municipalities.to_pylist(), built.profiles.values[:, 1]
    (['Lucca', 'Pisa'], array([1., 1.]))
    """
    options = options or ReadOptions()
    tell = progress or silent
    collected = Calls(options)
    for loaded in load_batches(
        source, options, lambda names: schemas.resolve_calls(names, options.columns, options.person), progress
    ):
        collected.add(loaded)
    tell("building profiles", 0, 1)
    result = collected.result()
    tell("building profiles", 1, 1)
    return result


class Calls:
    """What is known of calls after some batches of them."""

    def __init__(self, options: ReadOptions) -> None:
        if options.tz is None:
            raise ParameterError(
                "call records without a zone to count their days in",
                expected="the local time zone, for weeks, days and times of day",
                hint="name it with `tz`, for example `tz='Europe/Rome'`",
            )
        self.options = options
        cells = read_municipalities(options)
        self.places = cells["municipality"].drop_nulls().unique().sort()
        refuse_too_many(0, self.places.len())
        self.cell_names = pl.Enum(cells["cell"])
        self.place_of_cell = cells["municipality"].cast(pl.Enum(self.places)).to_physical().cast(pl.Int64)
        self.people = Numbering()
        self.activity = Activity()
        self.fingerprints: list[NDArray[np.uint64]] = []
        self.end_days: Counter[int] = Counter()
        self.first_day, self.last_day = np.iinfo(np.int64).max, -1
        self.rows = self.records = 0
        self.dropped: Counter[str] = Counter()
        self.time_zone = ""
        self.ignored_columns: tuple[str, ...] = ()

    def add(self, loaded: Loaded) -> None:
        """Take in a batch of calls."""
        self.rows += loaded.rows
        self.ignored_columns = loaded.ignored_columns
        prepared, self.time_zone = self._prepare(loaded)
        kept = keep_batch(prepared, RULES, self.options, loaded)
        self.dropped.update(kept.dropped)
        self.records += kept.frame.height
        if kept.frame.height:
            self._count(kept.frame)

    def _prepare(self, loaded: Loaded) -> tuple[pl.DataFrame, str]:
        frame = loaded.frame
        assert self.options.tz is not None
        epoch_us, time_zone = to_epoch_us(frame["datetime"], self.options.tz, loaded.zones.get("datetime"))
        uid = as_identifier(frame["uid"], "uid")
        start, end = (
            known_as(as_identifier(frame[name], name), self.cell_names) for name in ("cell_start", "cell_end")
        )
        prepared = [
            uid.alias("uid"),
            blank(uid).alias("uid_blank"),
            epoch_us.alias("epoch_us"),
            as_number(frame["duration"]).floor().cast(pl.Int64, strict=False).alias("duration_s"),
            start.alias("start_cell"),
            end.alias("end_cell"),
            self.place_of_cell.gather(start).alias("start_place"),
            self.place_of_cell.gather(end).alias("end_place"),
        ]
        return pl.DataFrame(prepared), time_zone

    def _count(self, calls: pl.DataFrame) -> None:
        names = ("epoch_us", "duration_s", "start_place", "end_place")
        start_us, duration_s, start_place, end_place = (calls[name].to_numpy() for name in names)
        end_us = start_us + duration_s * SECOND_US
        assert self.options.tz is not None
        calendar = LocalCalendar(self.options.tz, int(start_us.min()), int(end_us.max()))
        starts, ends = calendar.day_and_slot(start_us), calendar.day_and_slot(end_us)
        self.first_day = min(self.first_day, int(starts.min()) // 4)
        self.last_day = max(self.last_day, int(starts.max()) // 4)
        self._refuse_a_wrong_clock()
        person = self.people.numbers(calls["uid"])
        refuse_too_many(len(self.people), 0)
        self.activity.add(pack(person, start_place, starts))
        # Nearly all calls end where and when they began, as far as profiles can tell.
        elsewhere = (starts != ends) | (start_place != end_place)
        self.activity.add(pack(person[elsewhere], end_place[elsewhere], ends[elsewhere]))
        later = ends[elsewhere] // 4
        self.end_days.update(dict(zip(*(part.tolist() for part in np.unique_counts(later)), strict=True)))
        alike = calls.select("epoch_us", "duration_s", "start_cell", "end_cell", person=pl.Series(person))
        self.fingerprints.append(alike.hash_rows(0).to_numpy())

    def _refuse_a_wrong_clock(self) -> None:
        weeks = week_of(self.last_day) - week_of(self.first_day) + 1
        if weeks > MOST_WEEKS:
            raise DataError(
                f"calls over {weeks:,} weeks",
                expected=f"up to {MOST_WEEKS} weeks",
                hint="a few calls with a wrong clock look like this: filter by date first",
            )

    def result(self, period: tuple[int, int] | None = None) -> CallProfiles:
        """Make profiles of all batches; ``period`` is that of everybody's calls where these are some people's."""
        if not self.records:
            raise nothing_kept(self.dropped, RULES)
        if period is not None:
            self.first_day, self.last_day = period
            self._refuse_a_wrong_clock()
        self.activity.settle()
        self.activity.keep_days(self.first_day, self.last_day)
        first_week = week_of(self.first_day)
        weeks = week_of(self.last_day) - first_week + 1
        days = self._days_per_cell(first_week, weeks)
        building = self._building(first_week, weeks, days)
        people, municipalities = self._owners()
        values = self._values(len(people), first_week, weeks, days)
        profiles = Profiles(people, municipalities, values, weeks, building.cells_without_days)
        return CallProfiles(
            profiles, self.rows, self.records, self.time_zone, self.ignored_columns, dict(self.dropped), building
        )

    def _owners(self) -> tuple[pa.StringArray, pa.StringArray]:
        """Sort by person and municipality, and return those of each row."""
        names = self.people.names()
        order = names.arg_sort().to_numpy()
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        self.activity.renumber(rank)
        person, place = self.activity.owners()
        return _taken(names.gather(order), person), _taken(self.places, place)

    def _values(self, rows: int, first_week: int, weeks: int, days: Ints64) -> Floats:
        """Divide the days with calls by the days there are."""
        values = np.zeros((rows, len(days)))
        for some, counts in self.activity.counts(first_week, weeks):
            np.divide(counts, days, out=values[some], where=days > 0)
        return values

    def _days_per_cell(self, first_week: int, weeks: int) -> Ints64:
        """Return how many days there are for each cell."""
        kinds = [days_per_kind(first_week + week, self.first_day, self.last_day) for week in range(weeks)]
        return np.repeat(np.array(kinds).ravel(), len(SLOTS))

    def _building(self, first_week: int, weeks: int, days: Ints64) -> Building:
        called_in = {week_of(day) - first_week for day in self.activity.days()}
        everything = np.concatenate(self.fingerprints)
        self.fingerprints.clear()  # as much memory as a third of the profiles
        everything.sort()
        return Building(
            days=self.last_day - self.first_day + 1,
            copies=int((everything[1:] == everything[:-1]).sum()),
            ends_after=sum(calls for day, calls in self.end_days.items() if day > self.last_day),
            weeks_without_calls=tuple(week + 1 for week in range(weeks) if week not in called_in),
            cells_without_days=tuple(name for name, there in zip(cell_names(weeks), days, strict=True) if not there),
        )


def _taken(names: pl.Series, index: Ints64) -> pa.StringArray:
    return pa.array(names.gather(index).to_arrow()).cast(pa.string())
