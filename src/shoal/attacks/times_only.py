"""The attacker who knows when a person was seen and nothing of where, as from a bill or a log."""

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, kept_offsets
from shoal.attacks.same import class_sizes, same_sequences


def times_only(published: Crowd) -> Ints:
    """Count for each individual those with the same distinct times; a lower bound, exact on one grid of times.

    >>> zero, one = np.zeros(2, np.int64), np.ones(2, np.int64)
    >>> times_only(Crowd(np.arange(3), zero, one * 60, np.array([0, 500]), np.array([100, 600]), zero, one))
    array([2, 2])
    """
    fresh = np.zeros(published.t0.size, np.bool_)
    fresh[published.offsets[:-1][published.lengths > 0]] = True
    times = published.t0, published.t1
    for column in times:
        fresh[1:] |= column[1:] != column[:-1]
    if fresh.all():
        return class_sizes(same_sequences(published.offsets, times))
    t0, t1 = (column[fresh] for column in times)
    return class_sizes(same_sequences(kept_offsets(published.offsets, fresh), (t0, t1)))
