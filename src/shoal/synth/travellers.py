"""People like those of PRIMULE's data: few residents, many visitors for a day or three, more who only pass by.

What somebody is in a municipality is decided first, and known as the truth only where a call shows that somebody was
there: whoever hardly calls is not seen in most places.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.synth.call_presets import CallsPreset
from shoal.synth.chances import Chances, Ints
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
    been = np.repeat((region.population == 0)[None, :], users, axis=0)  # nobody goes where nobody lives
    for place in (home, work):
        been[np.flatnonzero(place >= 0), place[place >= 0]] = True
    visitor, visited = _new_places(rng, region, visitor, been)
    passer, begin = _new_places(rng, region, passer, been)
    first_day = rng.integers(0, days, len(visitor))
    length = 1 + rng.choice(len(VISIT_DAYS), len(visitor), p=VISIT_DAYS)
    for day in range(len(VISIT_DAYS)):
        there = (day < length) & (first_day + day < days)
        where[visitor[there], first_day[there] + day] = visited[there].astype(np.int16)[:, None]

    end = _onward(rng, region, passer, begin, been)
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


def _new_places(
    rng: np.random.Generator, region: Region, traveller: Ints, been: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """Send people, each as often as listed, to a municipality where they have not been; large ones attract.

    Parameters
    ----------
    traveller
        Who travels, sorted.
    been
        Per person and municipality, whether they have been there: kept up to date.

    Returns
    -------
    tuple
        Who, and where to. Whoever has been everywhere stays at home.
    """
    pull = region.population / region.population.sum()
    # The first journey of everybody, then the second: who has one more knows where they have been.
    time = np.arange(len(traveller)) - np.searchsorted(traveller, traveller)
    place = np.full(len(traveller), -1)
    for now in range(int(time.max(initial=-1)) + 1):
        trips = np.flatnonzero(time == now)
        trips = trips[~been[traveller[trips]].all(axis=1)]
        person = traveller[trips]
        drawn = rng.choice(len(pull), len(trips), p=pull)
        again = np.flatnonzero(been[person, drawn])
        drawn[again] = Chances(pull * ~been[person[again]]).draw(np.arange(len(again)), rng.random(len(again)))
        been[person, drawn] = True
        place[trips] = drawn
    return traveller[place >= 0], place[place >= 0]


def _onward(rng: np.random.Generator, region: Region, person: Ints, begin: Ints, been: NDArray[np.bool_]) -> Ints:
    """Let every fourth one end the call in a near municipality where they have not been."""
    end = begin.copy()
    drives_on = rng.random(len(begin)) < 0.25
    near = region.nearest(_NEIGHBOURS)
    for choice in reversed(range(near.shape[1])):
        following = near[begin, choice]
        free = drives_on & ~been[person, following]
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
