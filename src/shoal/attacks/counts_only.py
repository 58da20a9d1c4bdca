"""The attacker who knows how often a person was seen each day, and neither when nor where: as from a bill's sums."""

import numpy as np

from shoal.attacks.crowd import Crowd, Ints
from shoal.attacks.packing import distinct
from shoal.attacks.same import class_sizes, same_sequences

_DAY_S = 86_400


def counts_only(published: Crowd, *, step_s: int = _DAY_S) -> Ints:
    """Count for each individual those with as many boxes on each day (UTC), by the start of the box.

    Exact for points. Of boxes that hold several samples the attacker cannot know how many were published, so this
    is a lower bound of the candidates.

    >>> day, zero = np.array([0, 9, 86_400, 5, 86_401]), np.zeros(5, np.int64)
    >>> counts_only(Crowd(np.array([0, 2, 3, 5]), day, day + 60, zero, zero + 1, zero, zero + 1))
    array([1, 1, 1])
    >>> counts_only(Crowd(np.array([0, 2, 3, 5]), day, day + 60, zero, zero + 1, zero, zero + 1), step_s=10**6)
    array([2, 1, 2])
    """
    found = [_days(low, part, step_s) for low, part in published.parts()]
    owner, day, count = (np.concatenate(column) for column in zip(*found, strict=True))
    offsets = np.searchsorted(owner, np.arange(len(published) + 1)).astype(np.int64)
    return class_sizes(same_sequences(offsets, (day, count)))


def _days(low: int, part: Crowd, step_s: int) -> tuple[Ints, Ints, Ints]:
    """Return the individual and the day, and how many boxes there are, for individuals from ``low`` on."""
    owner, day, count = distinct((part.owner, part.t0 // step_s))
    return owner + low, day, count
