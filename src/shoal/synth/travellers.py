"""People like those of PRIMULE's data: few residents, many visitors for a day or three, more who only pass by.

What somebody is in a municipality is decided first, and known as the truth only where a call shows that somebody was
there: whoever hardly calls is not seen in most places.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.synth.call_presets import CallsPreset
from shoal.synth.chances import Ints
from shoal.synth.municipalities import Region
from shoal.synth.presence import (
    COMMUTER,
    DYNAMIC,
    PASSING,
    RESIDENT,
    SLOTS,
    VISITOR,
    WORKING_HOURS,
    Presence,
    elsewhere,
    other_than,
)

VISIT_DAYS = (0.6, 0.25, 0.15)
"""Shares of visits that last one, two and three days."""

_NEIGHBOURS = 3


def spread_travellers(
    rng: np.random.Generator, users: int, weeks: int, region: Region, preset: CallsPreset
) -> Presence:
    """Give everybody a home (or none in the region), a workplace, visits and single calls on the way.

    The truth holds all places where somebody may call from, first of each person and municipality what weighs most.
    """
    days = weeks * 7
    count = len(region.name)
    local = rng.random(users) >= preset.outsiders
    home = np.where(local, rng.choice(count, users, p=region.population / region.population.sum()), -1)
    dynamic = local & (rng.random(users) < preset.dynamic)
    commutes = dynamic & (rng.random(users) < preset.commuters) & (count > 1)
    work = np.where(commutes, elsewhere(rng, region, home), -1)

    where = np.repeat(home.astype(np.int16), days * SLOTS).reshape(users, days, SLOTS)
    weekdays = np.flatnonzero(np.arange(days) % 7 < 5)
    away = np.flatnonzero(dynamic)
    where[away[:, None], weekdays[None, :], WORKING_HOURS] = work[away][:, None]

    visitor = _repeated(rng, local, preset.local_visits, preset.outsider_visits)
    passer = _repeated(rng, local, preset.local_passes, preset.outsider_passes)
    # Whoever lives outside is in the data for one thing or the other.
    idle = np.flatnonzero(~local & (np.bincount(np.concatenate([visitor, passer]), minlength=users) == 0))
    passer = np.sort(np.concatenate([passer, idle]))
    visitor, passer = (who[(home[who] >= 0).astype(int) + (work[who] >= 0) < count] for who in (visitor, passer))
    visited = _destination(rng, region, home[visitor], work[visitor])
    first_day = rng.integers(0, days, len(visitor))
    length = 1 + rng.choice(len(VISIT_DAYS), len(visitor), p=VISIT_DAYS)
    for day in range(len(VISIT_DAYS)):
        there = (day < length) & (first_day + day < days)
        where[visitor[there], first_day[there] + day] = visited[there].astype(np.int16)[:, None]

    begin = _destination(rng, region, home[passer], work[passer])
    end = _onward(rng, region, begin, home[passer], work[passer])
    slot_share = np.array(preset.calls_per_slot) / sum(preset.calls_per_slot)
    # A visit is one because of a call; on the way there is nothing but that one call.
    person = np.concatenate([passer, visitor])
    rows = [
        (np.flatnonzero(local & ~dynamic), home[local & ~dynamic], RESIDENT),
        (np.flatnonzero(dynamic), home[dynamic], DYNAMIC),
        (np.flatnonzero(commutes), work[commutes], COMMUTER),
        (visitor, visited, VISITOR),
        (passer, begin, PASSING),
        (passer, end, PASSING),
    ]
    truth = _first_label(rows, count)
    nobody = np.empty(0, np.int64)
    return Presence(
        where=where,
        passing_person=person,
        passing_day=np.concatenate([rng.integers(0, days, len(passer)), first_day]),
        passing_slot=rng.choice(SLOTS, len(person), p=slot_share),
        passing_start=np.concatenate([begin, visited]),
        passing_end=np.concatenate([end, visited]),
        truth_person=truth[0],
        truth_municipality=truth[1],
        truth_label=truth[2],
        first_person=nobody,
        first_day=nobody,
        first_slot=nobody,
    )


def _repeated(rng: np.random.Generator, local: NDArray[np.bool_], local_mean: float, outsider_mean: float) -> Ints:
    """Draw how often each person does something, and return the person of each time."""
    times = rng.poisson(np.where(local, local_mean, outsider_mean))
    return np.repeat(np.arange(len(local)), times)


def _destination(rng: np.random.Generator, region: Region, home: Ints, work: Ints) -> Ints:
    """Draw a municipality that is neither home nor workplace; large ones attract."""
    drawn = rng.choice(len(region.name), len(home), p=region.population / region.population.sum())
    clash = (drawn == home) | (drawn == work)
    drawn[clash] = other_than(rng, len(region.name), home[clash], work[clash])
    return drawn


def _onward(rng: np.random.Generator, region: Region, begin: Ints, home: Ints, work: Ints) -> Ints:
    """Let every fourth one end the call in a near municipality that is neither home nor workplace."""
    end = begin.copy()
    drives_on = rng.random(len(begin)) < 0.25
    near = region.nearest(_NEIGHBOURS)
    for choice in reversed(range(near.shape[1])):
        following = near[begin, choice]
        free = drives_on & (following != home) & (following != work)
        end[free] = following[free]
    return end


def _first_label(rows: list[tuple[Ints, Ints, int]], municipalities: int) -> tuple[Ints, Ints, Ints]:
    """Join rows of people, municipalities and a label; of several for one person and municipality the first counts."""
    key = np.concatenate([person * municipalities + place for person, place, _ in rows])
    label = np.concatenate([np.full(len(person), label) for person, _, label in rows])
    order = np.lexsort((label, key))
    key, label = key[order], label[order]
    first = np.concatenate(([True], key[1:] != key[:-1])) if len(key) else np.empty(0, np.bool_)
    return key[first] // municipalities, key[first] % municipalities, label[first]
