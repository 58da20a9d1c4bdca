"""Thirds of the people, by how often they are seen."""

import numpy as np

from shoal.data.layout import Ints64


def thirds_of(samples: Ints64) -> Ints64:
    """Put everybody into a third by their number of raw samples: 0, 1 or 2; equal numbers are in one.

    >>> thirds_of(np.array([5, 1, 9])), thirds_of(np.array([4, 4, 4, 4]))
    (array([1, 0, 2]), array([0, 0, 0, 0]))
    """
    if not samples.size:
        return np.empty(0, np.int64)
    low, high = np.quantile(samples, (1 / 3, 2 / 3), method="inverted_cdf")
    return np.asarray((samples > low).astype(np.int64) + (samples > high))
