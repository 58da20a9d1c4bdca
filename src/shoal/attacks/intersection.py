"""The attacker who holds two releases of the same people, and keeps whom both leave."""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import keys


def companions(now: Ints, before: Ints) -> Ints:
    """Count for each person those who share their group in both releases, themselves included.

    >>> companions(np.array([0, 0, 1, 1]), np.array([5, 5, 5, 6]))
    array([2, 2, 1, 1])
    """
    (pair,) = keys((now, before))
    _, back, sizes = np.unique(pair, return_inverse=True, return_counts=True)
    return np.asarray(sizes[back], np.int64)


def companions_by_chance(now: Ints, before: Ints, rng: np.random.Generator) -> Ints:
    """Count the same where the second release groups people at random: the control."""
    return companions(now, before[rng.permutation(before.size)])
