"""Where people are when they use their phones: at home, at work, elsewhere, or away for days."""

import numpy as np
from numpy.typing import NDArray

from shoal.synth.chances import Ints
from shoal.synth.network import Network
from shoal.synth.people import People
from shoal.synth.rhythm import DAY_MIN, Times, is_weekend

OUT_BY_SLOT = np.array([0.03, 0.02, 0.02, 0.04, 0.17, 0.26, 0.26, 0.26, 0.26, 0.26, 0.17, 0.07])
"""Chance, per two hours of the day, of being at a place that is neither home nor work."""

MOST_OUT = 0.9
WORKING_HOURS = (8, 18)
AT_WORK = 0.95

TRIP_SHARE = (0.28, 0.6)
"""Shortest and longest part of the time that a traveller is away: few people travel, but then for days."""

BUSY_SHARE = 0.07
"""Share of bursts that an antenna beside the nearest one serves."""


def sample_antennas(
    rng: np.random.Generator, times: Times, first: int, people: People, network: Network, days: int
) -> NDArray[np.int16]:
    """Return the antenna of each sample; the persons of `times` are numbered from `first` on."""
    agenda = _agenda(rng, first, len(times.wake_h), people, days)
    # Everybody's slots begin with their own day, or all would change places at the same minute.
    shift = ((times.wake_h - 8.0) * 60).astype(np.int64)
    slot_min = days * DAY_MIN // agenda.shape[1]
    slot = np.clip((times.minute - shift[times.person]) // slot_min, 0, agenda.shape[1] - 1)
    antenna: NDArray[np.int16] = agenda[times.person, slot]

    # Whole bursts: an antenna's load changes more slowly than a person calls.
    busy = np.flatnonzero((rng.random(int(times.burst.max()) + 1) < BUSY_SHARE)[times.burst])
    antenna[busy] = network.beside[antenna[busy], people.second[first + times.person[busy]]]
    return antenna


def _agenda(rng: np.random.Generator, first: int, n: int, people: People, days: int) -> NDArray[np.int16]:
    """Return the antenna per person and slot: two hours, or less for people with more places than usual."""
    chosen = slice(first, first + n)
    chance_out = np.repeat(OUT_BY_SLOT, people.visits_per_slot)
    hour = np.arange(len(chance_out)) * 24 / len(chance_out)
    agenda = np.repeat(people.home[chosen].astype(np.int16), days * len(hour)).reshape(n, days, len(hour))
    outgoing = people.outgoing[chosen, None, None]

    work = people.work[chosen, None, None]
    # Who roams all over the place has less time for work.
    at_work = rng.random(agenda.shape, np.float32) < AT_WORK / np.maximum(1, outgoing / 2)
    at_work[:, is_weekend(days)] = False
    at_work[:, :, (hour < WORKING_HOURS[0]) | (hour >= WORKING_HOURS[1])] = False
    at_work &= work >= 0
    np.copyto(agenda, work.astype(np.int16), where=at_work)

    out = rng.random(agenda.shape, np.float32) < np.minimum(MOST_OUT, chance_out * outgoing)
    out &= ~at_work
    who = first + np.nonzero(out)[0]
    agenda[out] = people.other_place(who, _zipf(rng, people.others[who]))

    length = np.rint(days * rng.uniform(*TRIP_SHARE, n)).astype(np.int64)
    begin = np.floor(rng.random(n) * (days - length + 1)).astype(np.int64)
    day = np.arange(days)
    away = (people.away[chosen, None] >= 0) & (day >= begin[:, None]) & (day < (begin + length)[:, None])
    agenda[away] = np.repeat(people.away[chosen], away.sum(axis=1))[:, None]
    return agenda.reshape(n, -1)


def _zipf(rng: np.random.Generator, size: Ints) -> Ints:
    """Draw ranks from 0 to size - 1 whose chances fall like one over the rank."""
    # The floor of (size + 1)^u is r with a chance of log((r + 1) / r) / log(size + 1).
    return np.floor((size + 1.0) ** rng.random(len(size))).astype(np.int64) - 1
