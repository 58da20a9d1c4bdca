"""Where people are when they use their phones: at home, at work, elsewhere, or away for days."""

import numpy as np
from numpy.typing import NDArray

from shoal.synth.people import FIRST_OTHER, HOME, WORK, People
from shoal.synth.projection import Floats
from shoal.synth.rhythm import DAY_MIN, Ints

SLOT_MIN = 120
SLOTS = DAY_MIN // SLOT_MIN

OUT_BY_SLOT = np.array([0.03, 0.02, 0.02, 0.05, 0.2, 0.3, 0.3, 0.3, 0.3, 0.3, 0.2, 0.08])
AT_WORK = slice(4, 9)
WORK_SHARE = 0.75
BOUNCE_SHARE = 0.2
TRIP_SHARE = (0.28, 0.6)


def sample_antennas(
    rng: np.random.Generator,
    people: People,
    first: int,
    minutes: Ints,
    burst: Ints,
    phase_h: Floats,
    days: int,
    first_weekday: int = 0,
) -> NDArray[np.int16]:
    """Return the antenna of each sample of people `first`, `first` + 1, …"""
    chosen = slice(first, first + len(phase_h))
    counts = people.samples[chosen]
    person = np.repeat(np.arange(len(counts)), counts)

    agenda = _agenda(rng, people, chosen, days, first_weekday)
    slot = np.clip((minutes - (phase_h * 60).astype(np.int64)[person]) // SLOT_MIN, 0, days * SLOTS - 1)
    column = agenda[person, slot]

    # A second antenna serves whole bursts: the load changes more slowly than a person calls.
    bounced = (rng.random(int(burst.max()) + 1) < BOUNCE_SHARE)[burst]
    return np.where(bounced, people.bounce[first + person, column], people.place[first + person, column])


def _agenda(
    rng: np.random.Generator, people: People, chosen: slice, days: int, first_weekday: int
) -> NDArray[np.int16]:
    """Return the column of the table of places per person and two-hour slot."""
    outgoing, others = people.outgoing[chosen], people.others[chosen]
    n = len(others)
    weekend = (np.arange(days) + first_weekday) % 7 >= 5

    # Zipf's law among the other places: the floor of (n + 1)^u is r with a chance that falls like 1/r.
    rank = np.floor((others + 1.0)[:, None, None] ** rng.random((n, days, SLOTS))).astype(np.int16) - 1
    out = rng.random((n, days, SLOTS)) < np.minimum(0.9, OUT_BY_SLOT * outgoing[:, None, None])
    agenda = np.where(out, FIRST_OTHER + rank, HOME).astype(np.int16)

    works = np.zeros((n, days, SLOTS), bool)
    works[:, ~weekend, AT_WORK] = rng.random((n, int((~weekend).sum()), len(range(*AT_WORK.indices(SLOTS))))) < WORK_SHARE
    agenda[works & people.works[chosen, None, None]] = WORK

    length = np.rint(days * rng.uniform(*TRIP_SHARE, n)).astype(np.int64)
    begin = np.floor(rng.random(n) * (days - length + 1)).astype(np.int64)
    day = np.arange(days)
    away = people.travels[chosen, None] & (day >= begin[:, None]) & (day < (begin + length)[:, None])
    agenda[away] = people.place.shape[1] - 1
    return agenda.reshape(n, days * SLOTS)
