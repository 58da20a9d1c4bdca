"""How far a guess of a place is off: the median with its interval, and how many are close."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.interval import wilson

Floats = NDArray[np.float64]

CLOSE_M = 100.0
"""A guess that is no farther off names the house, or its neighbours."""

_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class Misses:
    """Metres between what was guessed and what is true, one for each target."""

    metres: Floats

    def median(self) -> tuple[float, float, float]:
        """Return the median and its 95 % interval, by ranks: whatever the law of the errors is.

        >>> [round(value) for value in Misses(np.arange(101.0)).median()]
        [50, 40, 60]
        """
        n = self.metres.size
        if not n:
            return np.nan, np.nan, np.nan
        ordered = np.sort(self.metres)
        half = _Z_95 * np.sqrt(n) / 2
        low, high = int(max(np.floor((n + 1) / 2 - half), 1)), int(min(np.ceil((n + 1) / 2 + half), n))
        return float(np.median(ordered)), float(ordered[low - 1]), float(ordered[high - 1])

    def to_dict(self) -> dict[str, object]:
        """Figures; none where there was nobody to guess."""
        middle, low, high = (None if np.isnan(value) else round(value, 1) for value in self.median())
        close = wilson(int((self.metres <= CLOSE_M).sum()), self.metres.size)
        return {"median_m": middle, "low_m": low, "high_m": high, "within_100_m": close.to_dict()}
