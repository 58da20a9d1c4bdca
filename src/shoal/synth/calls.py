"""Call records of a region, with the truth about who lives, works and stays in which municipality."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.progress import Progress, silent
from shoal.synth.call_presets import EASY, CallsPreset, find_calls_preset
from shoal.synth.municipalities import REGION, Region, build_region, region_of
from shoal.synth.presence import LABELS, Presence, spread_people
from shoal.synth.projection import Floats
from shoal.synth.randomness import opaque_ids, require_counts, stream
from shoal.synth.travellers import spread_travellers

FIRST_MONDAY = datetime(2024, 1, 1)

SLOT_START_H = np.array([0, 8, 19, 24])
"""Borders of the day's slots (primule §3): night, working hours, evening."""

DURATION_MEDIAN_S = 80.0
FAVOURITE_CELL, SAME_CELL = 0.6, 0.85


@dataclass(frozen=True, slots=True, eq=False)
class CallsData:
    """Calls, the network they were made in, and the truth.

    Parameters
    ----------
    events
        ``uid, datetime, duration, cell_start, cell_end``: one row per call, duration in seconds; person after
        person, in order of time.
    cells
        ``cell, lat, lng, municipality``.
    municipalities
        ``municipality, lat, lng, population``.
    truth
        ``uid, municipality, label``: one row for every municipality a person was seen in; label is resident,
        dynamic_resident, commuter, visitor or passing_by.
    """

    events: pa.Table
    cells: pa.Table
    municipalities: pa.Table
    truth: pa.Table


@dataclass(frozen=True, slots=True, eq=False)
class _Calls:
    """Flat columns of calls; ``second`` is local time since the first midnight."""

    person: NDArray[np.int64]
    second: NDArray[np.int64]
    duration: NDArray[np.int64]
    cell_start: NDArray[np.int64]
    cell_end: NDArray[np.int64]


def calls(
    users: int,
    weeks: int,
    *,
    preset: str | CallsPreset = "tuscany",
    city: bool = False,
    municipalities: pa.Table | None = None,
    tz: str = "Europe/Rome",
    seed: int = 0,
    progress: Progress | None = None,
) -> CallsData:
    """Make the calls of `users` people over `weeks` weeks, Monday to Sunday in local time.

    People are what the Sociometer tells apart (primule §5): residents call from everywhere in the week,
    dynamic residents at any time but weekday working hours, when they are commuters in another municipality;
    visitors stay for some days; passers-by leave a single call. No call reaches over the end of its slot. The same
    arguments give the identical tables.

    Parameters
    ----------
    users, weeks
        How many. Whoever makes no call in all that time is in no table.
    preset
        ``tuscany``, like PRIMULE's people: few and uneven calls, many who visit or pass through. ``easy``: many and
        even calls, visits of whole weeks or weekends, everybody seen wherever they are.
    city
        Let two thirds of the region live in one municipality.
    municipalities
        ``municipality, lat, lng, population`` of a real region; invented ones where it is not given.
    tz
        Time zone of the region: weeks, days and slots are local, the table's times are UTC.
    seed
        Of everything.
    progress
        Called as ``progress(phase, done, total)``.

    Examples
    --------
    >>> data = calls(30, 1, seed=5)
    >>> data.events.column_names
    ['uid', 'datetime', 'duration', 'cell_start', 'cell_end']
    """
    require_counts(users=users, weeks=weeks, seed=seed)
    zone = _zone(tz)
    chosen = find_calls_preset(preset)
    tell = progress or silent
    tell("making calls", 0, 3)
    source = stream(seed, "region")
    region = (
        build_region(source, users, people_each=chosen.people_each, most=chosen.municipalities, city=city)
        if municipalities is None
        else region_of(source, municipalities)
    )
    source = stream(seed, "presence")
    if chosen == EASY:
        presence = spread_people(source, users, weeks, region)
    else:
        presence = spread_travellers(source, users, weeks, region, chosen)
    tell("making calls", 1, 3)
    made = _make_calls(stream(seed, "calls"), presence, region, chosen)
    if chosen != EASY:
        presence = _as_seen(presence, made, region)
    tell("making calls", 2, 3)
    result = _tables(made, presence, region, opaque_ids(stream(seed, "uids"), users), _utc_of(zone, weeks))
    tell("making calls", 3, 3)
    return result


def _make_calls(rng: np.random.Generator, presence: Presence, region: Region, preset: CallsPreset) -> _Calls:
    users, days, slots = presence.where.shape
    activity = np.maximum(rng.lognormal(0.0, preset.activity_sigma, users), preset.activity_least)
    counts = rng.poisson(activity[:, None, None] * np.array(preset.calls_per_slot), presence.where.shape)
    counts[presence.where < 0] = 0
    # Nobody is labelled for a municipality without having called from there.
    counts[presence.first_person, presence.first_day, presence.first_slot] += 1

    flat = np.repeat(np.arange(counts.size), counts.ravel())
    person, day, slot = np.unravel_index(flat, (users, days, slots))
    start = municipality = presence.where.ravel()[flat].astype(np.int64)

    person = np.concatenate([person, presence.passing_person])
    day = np.concatenate([day, presence.passing_day])
    slot = np.concatenate([slot, presence.passing_slot])
    start = np.concatenate([start, presence.passing_start])
    municipality = np.concatenate([municipality, presence.passing_end])

    second = day * 86_400 + _seconds_of_day(rng, slot)
    slot_end = day * 86_400 + SLOT_START_H[slot + 1] * 3600
    duration = np.ceil(rng.lognormal(np.log(DURATION_MEDIAN_S), 1.1, len(second))).astype(np.int64)

    order = np.lexsort((second, person))
    person, second, start, municipality = person[order], second[order], start[order], municipality[order]
    # A call ends before the person's next one begins, and before its slot does.
    free = (slot_end[order] - second) - 1
    same = person[1:] == person[:-1]
    free[:-1][same] = np.minimum(free[:-1], np.diff(second) - 1)[same]
    duration = np.clip(duration, 1, np.maximum(free, 1))

    favour = np.asarray(rng.random(users))
    cell_start = _cells(rng, region, person, start, favour)
    stays = (start == municipality) & (rng.random(len(start)) < SAME_CELL)
    cell_end = np.where(stays, cell_start, region.cells(rng, municipality))
    return _Calls(person, second, duration, cell_start, cell_end)


def _as_seen(presence: Presence, made: _Calls, region: Region) -> Presence:
    """Keep of the truth what a call shows: nobody knows of the others."""
    owner = np.repeat(np.arange(len(region.name)), np.diff(region.first_cell))
    places = len(region.name)
    seen = np.unique(np.concatenate([made.person * places + owner[end] for end in (made.cell_start, made.cell_end)]))
    shown = np.isin(presence.truth_person * places + presence.truth_municipality, seen)
    return replace(
        presence,
        truth_person=presence.truth_person[shown],
        truth_municipality=presence.truth_municipality[shown],
        truth_label=presence.truth_label[shown],
    )


def _seconds_of_day(rng: np.random.Generator, slot: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draw a second within each slot; in the night slot before half past one or after half past six."""
    u = rng.random(len(slot))
    begin, end = SLOT_START_H[slot] * 3600.0, SLOT_START_H[slot + 1] * 3600.0 - 60
    night = slot == 0
    early = night & (rng.random(len(slot)) < 0.7)
    begin = np.where(early, 6.5 * 3600, begin)
    end = np.where(night & ~early, 1.5 * 3600, end)
    return (begin + u * (end - begin)).astype(np.int64)


def _cells(
    rng: np.random.Generator,
    region: Region,
    person: NDArray[np.int64],
    municipality: NDArray[np.int64],
    favour: Floats,
) -> NDArray[np.int64]:
    """Give each call a cell: mostly the one the person uses most in that municipality."""
    first = region.first_cell[municipality]
    size = region.first_cell[municipality + 1] - first
    favourite = first + np.floor(favour[person] * size).astype(np.int64)
    return np.where(rng.random(len(person)) < FAVOURITE_CELL, favourite, region.cells(rng, municipality))


def _zone(tz: str) -> ZoneInfo:
    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ParameterError(
            f"tz={tz!r}", expected="a time zone's name", hint="for example Europe/Rome or UTC"
        ) from error


def _utc_of(zone: ZoneInfo, weeks: int) -> NDArray[np.int64]:
    """Return the seconds since the UTC epoch at which each local hour of the weeks begins."""
    hours = (FIRST_MONDAY + timedelta(hours=h) for h in range(weeks * 7 * 24 + 1))
    return np.array([int(hour.replace(tzinfo=zone).timestamp()) for hour in hours], np.int64)


def _tables(
    made: _Calls, presence: Presence, region: Region, ids: list[str], utc_of_hour: NDArray[np.int64]
) -> CallsData:
    uid = pa.array(ids, pa.string())
    names = pa.array(region.name, pa.string())
    owner = np.repeat(np.arange(len(region.name)), np.diff(region.first_cell))
    cell_names = pa.array([f"C{cell:05d}" for cell in range(len(owner))], pa.string())

    def column(numbers: NDArray[np.int64], values: pa.Array) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), values)

    seconds = utc_of_hour[made.second // 3600] + made.second % 3600
    cell_lat, cell_lng = REGION.to_degrees(region.cell_x, region.cell_y)
    lat, lng = REGION.to_degrees(region.x, region.y)
    people = region.population
    return CallsData(
        events=pa.table(
            {
                "uid": column(made.person, uid),
                "datetime": pa.array(seconds * 1_000_000, pa.int64()).cast(pa.timestamp("us", "UTC")),
                "duration": made.duration,
                "cell_start": column(made.cell_start, cell_names),
                "cell_end": column(made.cell_end, cell_names),
            }
        ),
        cells=pa.table(
            {
                "cell": cell_names,
                "lat": cell_lat,
                "lng": cell_lng,
                "municipality": names.take(pa.array(owner)),
            }
        ),
        municipalities=pa.table({"municipality": names, "lat": lat, "lng": lng, "population": people}),
        truth=pa.table(
            {
                "uid": column(presence.truth_person, uid),
                "municipality": names.take(pa.array(presence.truth_municipality)),
                "label": pa.array(LABELS).take(pa.array(presence.truth_label)),
            }
        ),
    )
