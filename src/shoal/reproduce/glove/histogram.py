"""Distributions of whole numbers that occur many million times: exact figures without sorting them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.reproduce.findings import CURVE_POINTS

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Histogram:
    """How often each number of cells occurs; ``unit`` is the size of a cell.

    >>> h = Histogram.of(np.array([1, 5, 2]), np.array([1, 1, 2]), unit=100)
    >>> h.total, h.mean, h.quantile(0.5), h.share_at_most(200)
    (4, 250.0, 200.0, 0.75)
    """

    counts: Ints
    unit: float

    @classmethod
    def of(cls, values: Ints, times: Ints, unit: float) -> "Histogram":
        """Count values that occur so many times each."""
        # Weights are summed as floats, exact far beyond any number of samples.
        return cls(np.bincount(values, weights=times, minlength=1).astype(np.int64), unit)

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(self.counts @ np.arange(self.counts.size)) / max(self.total, 1) * self.unit

    def quantile(self, share: float) -> float:
        """As numpy does by default: straight between the two nearest values."""
        if not self.total:
            return 0.0
        rank = share * (self.total - 1)
        ranks = np.array([np.floor(rank), np.ceil(rank)])
        low, high = np.searchsorted(np.cumsum(self.counts), ranks, side="right")
        return float(low + (high - low) * (rank - np.floor(rank))) * self.unit

    def share_at_most(self, value: float) -> float:
        return float(self.counts[: int(value // self.unit) + 1].sum()) / max(self.total, 1)

    def spread(self) -> dict[str, float]:
        """Mean and quartiles."""
        quartiles = {name: self.quantile(q) for name, q in (("q25", 0.25), ("median", 0.5), ("q75", 0.75))}
        return {"mean": self.mean, **quartiles}

    def curve(self) -> list[float]:
        """The values at evenly spaced shares, from the least to the greatest; nothing where nothing was counted."""
        if not self.total:
            return []
        below = np.cumsum(self.counts)
        ranks = np.maximum(np.ceil(np.linspace(0, 1, CURVE_POINTS) * self.total), 1)
        return [float(v) for v in np.searchsorted(below, ranks) * self.unit]
