"""The attacker who looks for the middle of the ring that cut ends leave behind (on Promesse).

A trace without its first step begins on a circle around where it began. Who knows several traces that begin or end at
one place, as the traces of a home, fits the circle and has the place. A disc that is drawn once for the place, with the
place not in its middle, leaves its own middle to be found, and no more with more traces.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.misses import Misses

Floats = NDArray[np.float64]

_ROUNDS = 30
_TURN = 0.05
"""What a trace's direction weighs beside its distance: it says which way to look, not how far."""

_HUBER = 0.15
"""Ends that are off by more than this share of the radius are doubted: people turn round on the way."""


_LEAST_FOR_RADIUS, _WIDEST = 4, 2.0
"""So many ends are needed to fit a radius as well, which is at most so many times the least."""


class Ring(NamedTuple):
    """Where a cut trace may have begun, for who knows how it was cut.

    Attributes
    ----------
    back_m
        How far the cut is behind the first published point.
    radius_m
        How far the cut is from the middle.
    or_more
        Whether it may be farther: where the first record outside is what is published, it is.
    """

    back_m: float
    radius_m: float
    or_more: bool = False


def fixed_trim(alpha_m: float) -> Ring:
    """The paper's: the first step is left out, and what is published begins on the circle."""
    return Ring(0.0, alpha_m)


def zone_trim(alpha_m: float) -> Ring:
    """A disc of two steps is cut out, and the first step behind it left out as well."""
    return Ring(alpha_m, 2 * alpha_m, or_more=True)


def middle_of_ring(ends: Floats, heading: Floats, ring: Ring) -> Floats:
    """Guess the place that traces begin at, or end at.

    Parameters
    ----------
    ends
        First published points, metres: n × 2. Of traces that end there, the last ones.
    heading
        Where each goes from there, of length 1.

    >>> way = np.array([[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]])
    >>> middle_of_ring(np.array([5.0, 7.0]) + 100 * way, way, fixed_trim(100.0)).round(3).tolist()
    [5.0, 7.0]
    """
    cut, radius = ends - ring.back_m * heading, ring.radius_m
    middle = np.median(cut - radius * heading, axis=0)
    if len(ends) < 2:
        return np.asarray(middle)
    for _ in range(_ROUNDS):
        away = middle - cut
        distance = np.maximum(np.hypot(*away.T), 1e-9)
        if ring.or_more and len(ends) >= _LEAST_FOR_RADIUS:
            radius = float(np.clip(np.median(distance), ring.radius_m, _WIDEST * ring.radius_m))
        straight = cut - radius * heading
        beyond = distance - radius
        trust = np.minimum(1.0, _HUBER * radius / np.maximum(np.abs(beyond), 1e-9))
        unit = away / distance[:, None]
        # Gauss and Newton: the middle that would lie on all circles, were they straight where it is now.
        left = np.einsum("n,ni,nj->ij", trust, unit, unit) + _TURN * len(ends) * np.eye(2)
        right = (trust * beyond) @ unit + _TURN * (middle - straight).sum(axis=0)
        step = np.linalg.solve(left, right)
        middle = middle - step
        if np.hypot(*step) < 1e-3:
            break
    return np.asarray(middle)


class Rings(NamedTuple):
    """How far the guess is off with so many traces for each home.

    Attributes
    ----------
    guess
        By the ring.
    end
        The baseline: one published end itself, nothing computed.
    control
        The same guess, held against somebody else's home.
    """

    traces: int
    guess: Misses
    end: Misses
    control: Misses


def ring_attack(
    homes: Floats,
    offsets: NDArray[np.int64],
    ends: Floats,
    heading: Floats,
    ring: Ring,
    *,
    traces: int,
    rng: np.random.Generator,
) -> Rings:
    """Guess each home from so many of its traces, taken at random; homes with fewer are left out.

    Parameters
    ----------
    homes
        The truth, metres: h × 2.
    offsets
        Where the ends of each home start among ``ends`` and ``heading``; one more entry than homes.
    """
    off, raw, other = [], [], []
    some = np.flatnonzero(np.diff(offsets) >= traces)
    elsewhere = np.roll(some, 1)
    for home, someone in zip(some.tolist(), elsewhere.tolist(), strict=True):
        rows = offsets[home] + rng.choice(int(offsets[home + 1] - offsets[home]), traces, replace=False)
        guess = middle_of_ring(ends[rows], heading[rows], ring)
        off.append(np.hypot(*(guess - homes[home])))
        raw.append(np.hypot(*(ends[rows[0]] - homes[home])))
        other.append(np.hypot(*(guess - homes[someone])))
    return Rings(traces, *(Misses(np.array(values, np.float64)) for values in (off, raw, other)))
