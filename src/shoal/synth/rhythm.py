"""When people use their phones: by day and week, each in their own way, and in bursts."""

import numpy as np
from numpy.typing import NDArray

from shoal.synth.projection import Floats

Ints = NDArray[np.int64]

DAY_MIN = 1440

MOMENTS = np.array([0.08, 0.25, 0.45, 0.68, 0.88])
WIDTHS = np.array([0.06, 0.10, 0.10, 0.10, 0.08])
SHARES = np.array([0.10, 0.18, 0.20, 0.22, 0.30])
"""Middle and width as parts of the waking day, and share of a typical person's use, of five moments."""

TASTE_SIGMA = 0.5
EARLY = 0.35
WAKE_EARLY_H, WAKE_LATE_H, SLEEP_H = (5.5, 7.3), (8.0, 9.0), (21.0, 24.0)
SLEEPLESS = 0.12
NIGHT_SHARE = 0.08
DAY_SIGMA = 0.25
WEEKEND = 0.85
BURST_MEAN = 1.6
GAP_MEDIAN_MIN = 5.0
GAP_SIGMA = 1.2


def sample_minutes(
    rng: np.random.Generator, counts: Ints, days: int, first_weekday: int = 0
) -> tuple[Ints, Ints, Floats]:
    """Return the local minutes of all samples of some people.

    Parameters
    ----------
    counts
        Samples per person.

    Returns
    -------
    minutes
        Since the first midnight; person after person, strictly ascending within each.
    burst
        Number of the burst of each sample, ascending over all people.
    phase_h
        Per person: how much later than others this person lives, in hours.
    """
    people = len(counts)
    person = np.repeat(np.arange(people), counts)
    starts = np.cumsum(counts) - counts

    opens = rng.random(len(person)) < 1 / BURST_MEAN
    opens[starts] = True
    burst = np.cumsum(opens) - 1
    owner = person[opens]

    wake_h = np.where(
        rng.random(people) < EARLY, rng.uniform(*WAKE_EARLY_H, people), rng.uniform(*WAKE_LATE_H, people)
    )
    began = _burst_starts(rng, owner, wake_h, days, first_weekday)

    gaps = np.maximum(1.0, rng.lognormal(np.log(GAP_MEDIAN_MIN), GAP_SIGMA, len(person)))
    gaps[opens] = 0.0
    elapsed = np.cumsum(gaps)
    minutes = began[burst] + (elapsed - elapsed[opens][burst]).astype(np.int64)

    span = days * DAY_MIN
    keys = person * (2 * span) + np.minimum(minutes, span - 1)
    order = np.argsort(keys, kind="stable")
    return _apart(keys[order], person, starts, counts, span), burst[order], wake_h - 7.0


def _burst_starts(
    rng: np.random.Generator, owner: Ints, wake_h: Floats, days: int, first_weekday: int
) -> Ints:
    people = len(wake_h)
    day = _choose(
        rng,
        owner,
        rng.lognormal(0.0, DAY_SIGMA, (people, days))
        * np.where((np.arange(days) + first_weekday) % 7 >= 5, WEEKEND, 1.0),
    )
    moment = _choose(rng, owner, SHARES * rng.lognormal(0.0, TASTE_SIGMA, (people, len(SHARES))))
    part = MOMENTS[moment] + WIDTHS[moment] * rng.standard_normal(len(owner))
    part = 1 - np.abs(1 - np.abs(part) % 2)  # mirrored into the waking day
    sleep_h = rng.uniform(*SLEEP_H, people)
    hour = wake_h[owner] + part * (sleep_h - wake_h)[owner]
    at_night = (rng.random(people) < SLEEPLESS)[owner] & (rng.random(len(owner)) < NIGHT_SHARE)
    hour = np.where(at_night, rng.uniform(0.0, 8.0, len(owner)), hour)
    return day * DAY_MIN + (hour * 60).astype(np.int64) % DAY_MIN


def _choose(rng: np.random.Generator, owner: Ints, weight: Floats) -> Ints:
    """Draw a column for each owner with chances given by the owner's row of weights."""
    columns = weight.shape[1]
    steps = np.cumsum(weight, axis=1)
    steps /= steps[:, -1:]
    flat = (steps + np.arange(len(weight))[:, None]).ravel()
    hit = np.searchsorted(flat, owner + rng.random(len(owner)) * (1 - 1e-9), side="right")
    return np.clip(hit - owner * columns, 0, columns - 1)


def _apart(keys: Ints, person: Ints, starts: Ints, counts: Ints, span: int) -> Ints:
    """Move samples of one minute on to the next free one, so that everybody keeps all of theirs.

    Two samples of a person in one minute would be at one place and fall together on the papers' grid, and the
    number of samples left would be out of control.
    """
    index = np.arange(len(keys)) - starts[person]
    forward = np.maximum.accumulate(keys - index) + index
    minutes = forward - person * (2 * span)
    # What was pushed over the end of the last day comes back before it.
    return np.minimum(minutes, span - counts[person] + index)
