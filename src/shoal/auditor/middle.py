"""The median of values that come in batches, as a whole number: exact, and none of them is held.

Whole numbers change hands at halves. So it is enough to count the values that are exactly at each half, and those
between two of them; and to know the least and the largest of each such class, should the middle lie between two.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MOST = 360
"""Values lie between this and its opposite."""


class Middle:
    """Counts values, of degrees for instance.

    >>> middle = Middle()
    >>> middle.add(np.array([1.0, 2.5])), middle.add(np.array([2.5, 7.0]))
    (None, None)
    >>> middle.rounded()
    2
    """

    def __init__(self) -> None:
        classes = 8 * _MOST + 1
        self._count = np.zeros(classes, np.int64)
        self._least, self._largest = np.full(classes, np.inf), np.full(classes, -np.inf)

    def add(self, values: Floats) -> None:
        """Count some values."""
        doubled = 2 * values
        below = np.floor(doubled)
        classes = (2 * (below + 2 * _MOST) + (doubled != below)).astype(np.int64)
        self._count += np.bincount(classes, minlength=self._count.size)
        np.minimum.at(self._least, classes, values)
        np.maximum.at(self._largest, classes, values)

    @property
    def span(self) -> float:
        """From the least to the largest of all values."""
        return float(self._largest.max() - self._least.min())

    def rounded(self) -> int:
        """Return what rounding the median gives."""
        upto = np.cumsum(self._count)
        total = int(upto[-1])
        low, high = (int(np.searchsorted(upto, place, side="right")) for place in ((total - 1) // 2, total // 2))
        # In one class all values are rounded alike. Otherwise the middle lies between the last of one and the first
        # of another.
        pair = (self._largest[low], self._least[high]) if low != high else (self._least[low], self._least[low])
        return int(np.rint(np.median(pair)))
