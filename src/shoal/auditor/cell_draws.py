"""What was added to each value of a profile, and how likely the noise that is claimed is to add no more than that.

The law: a recorded value is moved to the nearest step of a grid of 1/1000; a whole number z of steps is added with a
chance in proportion to exp(-ε |z| / 1000); what lies below 0 or above 1 is cut to it.

A value that was cut tells only that z was so far or farther. So each draw is turned into where it lies within its law,
a number from 0 to 1: of a single step, or of all that was cut, a random place within its chance. If the law holds these
are even and know nothing of each other or of what was recorded, cut or not; every test here rests on that.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.auditor.profile_rows import Floats
from shoal.contract.claims.profiles import NOISE_STEPS

Mask = NDArray[np.bool_]

_ON_GRID = 1e-6
"""Steps: closer than this a recorded value lies on the grid, and everybody moves it alike."""


@dataclass(frozen=True, slots=True)
class Law:
    """Noise in whole steps: z has a chance in proportion to ``q ** abs(z)``.

    >>> law = Law(math.exp(-0.5))
    >>> round(float(law.below(np.array([0]))[0] + law.none / 2), 6), round(float(law.below(np.array([90]))[0]), 6)
    (0.5, 1.0)
    """

    q: float

    @classmethod
    def of(cls, epsilon: float) -> "Law":
        return cls(math.exp(-epsilon / NOISE_STEPS))

    def below(self, z: Ints) -> Floats:
        """The chance of less than z."""
        tail = self.q ** np.abs(np.where(z <= 0, z - 1, z)) / (1 + self.q)
        return np.where(z <= 0, tail, 1 - tail)

    @property
    def none(self) -> float:
        """The chance of no noise at all, which is larger than that of any other."""
        return (1 - self.q) / (1 + self.q)

    @property
    def meeting(self) -> float:
        """The chance that two draws are the same.

        >>> 0.24 < Law.of(1.0).meeting * 1000 < 0.26
        True
        """
        return self.none**2 * (1 + self.q**2) / (1 - self.q**2)


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws of noise: a row for each profile, a column for each cell.

    Attributes
    ----------
    steps
        What was added, in steps of the grid; where the value was cut, to the edge.
    inside
        Where the published value lies between 0 and 1, so that the draw can be told.
    place
        Where the draw lies within its law.
    extent
        Of what was not cut: the share of such draws from the same recorded value that move it less, either way.
    loose
        How far off both may be: a recorded value between two steps may have been moved to either.
    same
        Where the published value is the recorded one.
    same_chance, cut_chance
        The chance of that, and of being cut to an edge.
    """

    steps: Ints
    inside: Mask
    place: Floats
    extent: Floats
    loose: Floats
    same: Mask
    same_chance: Floats
    cut_chance: Floats

    def __len__(self) -> int:
        return len(self.steps)


def draws(published: Floats, true: Floats, law: Law, rng: np.random.Generator) -> Draws:
    """Tell what was added to the values of some profiles."""
    # Beyond the edges nothing is drawn; that nothing is published there is looked at elsewhere.
    said = np.rint(np.clip(published, 0, 1) * NOISE_STEPS).astype(np.int64)
    exact = true * NOISE_STEPS
    base = np.rint(exact).astype(np.int64)
    between = np.abs(exact - base) > _ON_GRID
    steps = said - base
    # There are few steps and many values: a table of all chances.
    below = law.below(np.arange(-NOISE_STEPS, NOISE_STEPS + 2))
    low = np.where(said <= 0, 0.0, below[steps + NOISE_STEPS])
    high = np.where(said >= NOISE_STEPS, 1.0, below[steps + NOISE_STEPS + 1])
    place = low + rng.random(low.shape) * (high - low)
    inside = (said > 0) & (said < NOISE_STEPS)
    loose = np.where(between, 2 * law.none, 0.0)
    # An edge that was recorded is published again where anything beyond it was drawn.
    same_chance = np.where((base > 0) & (base < NOISE_STEPS), law.none, 1 / (1 + law.q)) + between * law.none
    cut_chance = below[NOISE_STEPS + 1 - base] + 1 - below[2 * NOISE_STEPS - base] + between * law.none
    same_chance, cut_chance = (np.minimum(chance, 1.0) for chance in (same_chance, cut_chance))
    extent = _extent(np.abs(steps), base, below, rng)
    return Draws(steps, inside, place, extent, loose, steps == 0, same_chance, cut_chance)


def _extent(far: Ints, base: Ints, below: Floats, rng: np.random.Generator) -> Floats:
    """Tell which share of the draws that are not cut goes less far; of those that go as far, a random one.

    Parameters
    ----------
    far
        Steps, either way.
    base
        Recorded values, in steps.
    below
        The chance of less than z, for z from -1000 on.
    """

    def within(reach: Ints) -> Floats:
        low, high = np.maximum(-reach, 1 - base), np.minimum(reach, NOISE_STEPS - 1 - base)
        return np.asarray(np.where(high < low, 0.0, below[high + 1 + NOISE_STEPS] - below[low + NOISE_STEPS]))

    least, most = within(far - 1), within(far)
    return np.asarray((least + rng.random(far.shape) * (most - least)) / within(np.full_like(far, NOISE_STEPS)))
