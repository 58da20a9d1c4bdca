"""When people use their phones: by day and week, each in their own way, and in bursts."""

from dataclasses import dataclass

import numpy as np

from shoal.synth.chances import Chances, Ints
from shoal.synth.projection import Floats

DAY_MIN = 1440

MOMENTS = np.array([0.08, 0.25, 0.45, 0.68, 0.88])
WIDTHS = np.array([0.06, 0.10, 0.10, 0.10, 0.08])
SHARES = np.array([0.10, 0.18, 0.20, 0.22, 0.30])
"""Middle and width, as parts of the waking day, and share of a typical person's use, of its five moments."""

TASTE_SIGMA = 0.9
"""How much people differ in which moments they prefer; makes the tail of the temporal stretches heavy."""

WAKE_H, WAKE_EARLY_H, SLEEP_H = (8.0, 9.0), (5.5, 7.3), (21.0, 24.0)
EARLY = 0.03
SLEEPLESS, NIGHT_SHARE = 0.03, 0.08
"""Share of early risers, of people who use their phones at night, and of their use that falls there.

Small on purpose: the papers find a third of the people alike at (20 km, 8 h), which cannot be if most have
a few samples in nights of their own.
"""

DAY_SIGMA = 0.15
WEEKEND = 0.85
BURST_MEAN = 1.4
GAP_MEDIAN_MIN, GAP_SIGMA = 5.0, 1.2


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """Samples of some people, person after person.

    Parameters
    ----------
    person, minute
        Of each sample: who, and local minutes since the first midnight, strictly ascending for each person.
    burst
        Of each sample: the number of its burst.
    wake_h
        Of each person: the hour at which the day begins.
    """

    person: Ints
    minute: Ints
    burst: Ints
    wake_h: Floats


def is_weekend(days: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which of the days are Saturdays and Sundays; the first day is a Monday."""
    return np.arange(days) % 7 >= 5


def sample_times(rng: np.random.Generator, counts: Ints, days: int) -> Times:
    """Draw the times of `counts` samples per person.

    Bursts begin at times that follow the person's day; within a burst, samples follow each other after
    log-normal gaps of some minutes.
    """
    person = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    wake_h = np.where(
        rng.random(len(counts)) < EARLY,
        rng.uniform(*WAKE_EARLY_H, len(counts)),
        rng.uniform(*WAKE_H, len(counts)),
    )

    opens = rng.random(len(person)) < 1 / BURST_MEAN
    opens[starts] = True
    burst = np.cumsum(opens) - 1
    began = _burst_starts(rng, person[opens], wake_h, days)

    gaps = np.maximum(1.0, rng.lognormal(np.log(GAP_MEDIAN_MIN), GAP_SIGMA, len(person)))
    gaps[opens] = 0.0
    elapsed = np.cumsum(gaps)
    minute = began[burst] + (elapsed - elapsed[opens][burst]).astype(np.int64)

    span = days * DAY_MIN
    keys = person * (2 * span) + np.minimum(minute, span - 1)
    order = np.argsort(keys, kind="stable")
    return Times(person, _apart(keys[order], person, starts, counts, span), burst[order], wake_h)


def _burst_starts(rng: np.random.Generator, owner: Ints, wake_h: Floats, days: int) -> Ints:
    """Return a minute for each burst, given whose it is."""
    people = len(wake_h)
    by_day = rng.lognormal(0.0, DAY_SIGMA, (people, days)) * np.where(is_weekend(days), WEEKEND, 1.0)
    by_moment = SHARES * rng.lognormal(0.0, TASTE_SIGMA, (people, len(SHARES)))
    day = Chances(by_day).draw(owner, rng.random(len(owner)))
    moment = Chances(by_moment).draw(owner, rng.random(len(owner)))

    part = MOMENTS[moment] + WIDTHS[moment] * rng.standard_normal(len(owner))
    part = 1 - np.abs(1 - np.abs(part) % 2)  # mirrored into the waking day
    sleep_h = rng.uniform(*SLEEP_H, people)
    hour = wake_h[owner] + part * (sleep_h - wake_h)[owner]
    awake = (rng.random(people) < SLEEPLESS)[owner] & (rng.random(len(owner)) < NIGHT_SHARE)
    hour = np.where(awake, rng.uniform(0.0, 8.0, len(owner)), hour)
    return day * DAY_MIN + np.minimum((hour * 60).astype(np.int64), DAY_MIN - 1)


def _apart(keys: Ints, person: Ints, starts: Ints, counts: Ints, span: int) -> Ints:
    """Move samples of one minute on to the next free one, so that everybody keeps all of theirs.

    Two samples of a person in one minute would be at one place and fall together on the papers' grid, and the
    number of samples left would be out of control.
    """
    index = np.arange(len(keys)) - starts[person]
    minute: Ints = np.maximum.accumulate(keys - index) + index - person * (2 * span)
    # What was pushed over the end of the last day comes back before it.
    return np.minimum(minute, span - counts[person] + index)
