"""Which municipality each person is in, in every slot of every day, and what that makes them there."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.synth.chances import Chances, Ints
from shoal.synth.municipalities import Region

LABELS = ["resident", "dynamic_resident", "commuter", "visitor", "passing_by"]
RESIDENT, DYNAMIC, COMMUTER, VISITOR, PASSING = range(5)

SLOTS = 3
WORKING_HOURS = 1

OUTSIDERS = 0.1
"""Share of people who live outside the region; two in three of them visit it, the others pass through."""

COMMUTERS = 0.35
WEEKEND_TRIPS = 0.06
PASSING_LOCALS = 0.12


@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """Where everybody is.

    Parameters
    ----------
    where
        Municipality per (person, day, slot); -1 is outside the region.
    passing_person, passing_day, passing_slot, passing_start, passing_end
        Single calls, such as those of people on their way: where they begin and where they end.
    truth_person, truth_municipality, truth_label
        One row per person and municipality; labels are positions in `LABELS`.
    first_person, first_day, first_slot
        Slots in which somebody calls for sure.
    """

    where: NDArray[np.int16]
    passing_person: Ints
    passing_day: Ints
    passing_slot: Ints
    passing_start: Ints
    passing_end: Ints
    truth_person: Ints
    truth_municipality: Ints
    truth_label: Ints
    first_person: Ints
    first_day: Ints
    first_slot: Ints


def spread_people(rng: np.random.Generator, users: int, weeks: int, region: Region) -> Presence:
    """Give everybody a home (or none in the region), a workplace, and journeys."""
    days = weeks * 7
    weekday = np.arange(days) % 7 < 5
    share = region.population / region.population.sum()
    count = len(share)

    local = rng.random(users) >= OUTSIDERS
    home = np.where(local, rng.choice(count, users, p=share), -1)
    work = elsewhere(rng, region, home)
    commutes = local & (rng.random(users) < COMMUTERS)

    where = np.repeat(home.astype(np.int16), days * SLOTS).reshape(users, days, SLOTS)
    at_work = np.zeros((days, SLOTS), bool)
    at_work[weekday, WORKING_HOURS] = True
    where[commutes[:, None, None] & at_work] = np.repeat(work[commutes], int(at_work.sum()))

    visits_week = ~local & (rng.random(users) < 1 / 3)
    visits_weekend = ~local & ~visits_week & (rng.random(users) < 1 / 2)
    if weeks >= 3:
        # Over fewer weeks, somebody away for a weekend could no longer be told for a resident.
        visits_weekend |= local & (rng.random(users) < WEEKEND_TRIPS)
    visited = other_than(rng, count, home, np.where(commutes, work, -1))
    week = rng.integers(0, weeks, users)
    day = np.arange(days)
    there = (day // 7 == week[:, None]) & (visits_week[:, None] | (visits_weekend[:, None] & ~weekday))
    where[there] = np.repeat(visited, there.sum(axis=1))[:, None]
    visits = visits_week | visits_weekend

    rows = [
        (np.flatnonzero(local & ~commutes), home, RESIDENT),
        (np.flatnonzero(commutes), home, DYNAMIC),
        (np.flatnonzero(commutes), work, COMMUTER),
        (np.flatnonzero(visits), visited, VISITOR),
    ]
    person = np.concatenate([who for who, _, _ in rows])
    municipality = np.concatenate([place[who] for who, place, _ in rows])
    label = np.concatenate([np.full(len(who), kind) for who, _, kind in rows])
    first = np.argmax((where[person] == municipality[:, None, None]).reshape(len(person), -1), axis=1)

    passes = ~visits & (~local | (rng.random(users) < PASSING_LOCALS))
    workplace = np.where(commutes, work, -1)
    passing = _passing(rng, region, np.flatnonzero(passes), home, workplace, np.flatnonzero(weekday))
    passing_rows = [(p, m) for p, _, begin, end in passing for m in sorted({begin, end})]
    passing_table = np.array(passing, np.int64).reshape(-1, 4)
    passing_truth = np.array(passing_rows, np.int64).reshape(-1, 2)

    truth_person = np.concatenate([person, passing_truth[:, 0]])
    truth_municipality = np.concatenate([municipality, passing_truth[:, 1]])
    truth_label = np.concatenate([label, np.full(len(passing_truth), PASSING)])
    order = np.lexsort((truth_label, truth_person))
    return Presence(
        where=where,
        passing_person=passing_table[:, 0],
        passing_day=passing_table[:, 1],
        passing_slot=np.full(len(passing_table), WORKING_HOURS),
        passing_start=passing_table[:, 2],
        passing_end=passing_table[:, 3],
        truth_person=truth_person[order],
        truth_municipality=truth_municipality[order],
        truth_label=truth_label[order],
        first_person=person,
        first_day=first // SLOTS,
        first_slot=first % SLOTS,
    )


def elsewhere(rng: np.random.Generator, region: Region, home: Ints) -> Ints:
    """Draw a workplace outside the home municipality: large ones and near ones attract.

    Outsiders (-1) get one as well, which nobody looks at.
    """
    distance_km = np.hypot(region.x[:, None] - region.x, region.y[:, None] - region.y) / 1000
    pull = region.population / (1 + (distance_km / 15) ** 2)
    np.fill_diagonal(pull, 0)
    return Chances(pull).draw(np.maximum(home, 0), rng.random(len(home)))


def other_than(rng: np.random.Generator, count: int, first: Ints, second: Ints) -> Ints:
    """Draw one of `count` municipalities that is neither of two (-1 excludes nothing)."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    allowed = count - (low >= 0) - (high >= 0)
    drawn: Ints = np.floor(rng.random(len(first)) * allowed).astype(np.int64)
    drawn += (low >= 0) & (drawn >= low)
    drawn += (high >= 0) & (drawn >= high)
    return drawn


def _passing(
    rng: np.random.Generator, region: Region, who: Ints, home: Ints, work: Ints, weekdays: Ints
) -> list[tuple[int, int, int, int]]:
    """Return (person, day, municipality at the start, at the end) of one call for each of `who`.

    On a weekday, because one call on one of two weekend days already looks like a stay. Every second one goes
    on into the next municipality.
    """
    begin = other_than(rng, len(region.x), home[who], work[who])
    day = rng.choice(weekdays, len(who))
    drives_on = rng.random(len(who)) < 0.5
    result = []
    for person, at, on_day, goes_on in zip(who.tolist(), begin.tolist(), day.tolist(), drives_on.tolist(), strict=True):
        following = region.neighbour(at, {at, int(home[person]), int(work[person])}) if goes_on else None
        result.append((person, on_day, at, at if following is None else following))
    return result
