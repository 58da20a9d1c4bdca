"""Drawing many times from many distributions at once."""

import numpy as np
from numpy.typing import NDArray

from shoal.synth.projection import Floats

Ints = NDArray[np.int64]


class Chances:
    """Rows of weights; each draw names a row and gets a column with a chance in proportion to its weight."""

    def __init__(self, weight: Floats) -> None:
        self._columns = weight.shape[1]
        steps = np.cumsum(weight, axis=1, dtype=np.float64)
        steps /= steps[:, -1:]
        # Row i covers the numbers from i to i + 1: one search serves all rows.
        steps += np.arange(len(weight))[:, None]
        self._steps = steps.ravel()

    def draw(self, row: NDArray[np.integer], u: Floats) -> Ints:
        """Return a column for each row, given as many uniform numbers.

        >>> Chances(np.array([[1.0, 0.0], [1.0, 3.0]])).draw(np.array([0, 1, 1]), np.array([0.9, 0.2, 0.9]))
        array([0, 0, 1])
        """
        hit = np.searchsorted(self._steps, row + u * (1 - 1e-9), side="right")
        return np.clip(hit - row * np.int64(self._columns), 0, self._columns - 1).astype(np.int64)
