"""Degrees in so few numbers that those of many parts can be put together, and still tell their median to the degree.

The projection's centre is the median position, rounded to whole degrees (:mod:`shoal.data.projection`). Where positions
are on many machines nobody sees them all. But rounding makes it easy: between a half degree and the next all values
round to the same, so it is enough to know how many lie there, and the first and the last of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.layout import Floats

TURN, HALF_TURN = 360, 180


@dataclass(frozen=True, slots=True)
class Degrees:
    """How many values lie in each interval, and the first and last of them: ``{interval: (count, first, last)}``.

    Whole and half degrees are intervals of their own, as they round to the even neighbour.

    >>> Degrees.of(np.array([0.5, 1.5, 44.9])).middle()
    2
    """

    intervals: dict[int, tuple[int, float, float]]

    @classmethod
    def of(cls, values: Floats) -> "Degrees":
        halves = np.floor(2 * values)
        key = (2 * halves + (2 * values != halves)).astype(np.int64)
        found, place, count = np.unique(key, return_inverse=True, return_counts=True)
        first, last = np.full(found.size, np.inf), np.full(found.size, -np.inf)
        np.minimum.at(first, place, values)
        np.maximum.at(last, place, values)
        rows = zip(found.tolist(), count.tolist(), first.tolist(), last.tolist(), strict=True)
        return cls({key: (many, low, high) for key, many, low, high in rows})

    @classmethod
    def together(cls, parts: Iterable["Degrees"]) -> "Degrees":
        """Put those of several parts together."""
        merged: dict[int, tuple[int, float, float]] = {}
        for part in parts:
            for key, (count, first, last) in part.intervals.items():
                many, low, high = merged.get(key, (0, np.inf, -np.inf))
                merged[key] = many + count, min(low, first), max(high, last)
        return cls(merged)

    @property
    def spread(self) -> float:
        """The distance from the first to the last."""
        first, last = zip(*((first, last) for _, first, last in self.intervals.values()), strict=True)
        return float(max(last) - min(first))

    def middle(self) -> int:
        """The median, rounded to whole degrees: exactly what numpy would give for all values at once."""
        keys = sorted(self.intervals)
        ends = np.cumsum([self.intervals[key][0] for key in keys])
        below, above = (keys[int(np.searchsorted(ends, rank, side="right"))] for rank in _ranks(int(ends[-1])))
        if below == above:
            return int(np.rint(self.intervals[below][1]))
        return int(np.rint((self.intervals[below][2] + self.intervals[above][1]) / 2))

    def east_of_widest_gap(self) -> float:
        """Of longitudes: where they go on east of their widest gap, as the projection cuts the circle."""
        edges = [edge for _, first, last in self.intervals.values() for edge in (first, last)]
        return east_of_widest_gap(on_circle(np.array(edges)))


def on_circle(lng: Floats, cut: float | None = None) -> Floats:
    """Longitudes from -180 to below 180; those west of a cut one turn further.

    >>> on_circle(np.array([180.0, -170.0, 170.0]), cut=170.0)
    array([180., 190., 170.])
    """
    lng = np.where(lng == HALF_TURN, -HALF_TURN, lng)
    return lng if cut is None else lng + TURN * (lng < cut)


def east_of_widest_gap(lng: Floats) -> float:
    """Where the data go on east of their widest gap; a gap between two whole degrees is too narrow to count."""
    degree = np.floor(lng).astype(np.intp) + HALF_TURN
    first, last = np.full(TURN, np.inf), np.full(TURN, -np.inf)
    np.minimum.at(first, degree, lng)
    np.maximum.at(last, degree, lng)
    west, east = last[np.isfinite(last)], first[np.isfinite(first)]
    # The gap west of each degree with data; that of the first one goes across the antimeridian.
    gaps = east - np.roll(west, 1)
    gaps[0] += TURN
    return float(east[gaps.argmax()])


def wrapped(lng: int) -> int:
    """A whole longitude from -180 to below 180."""
    return (lng + HALF_TURN) % TURN - HALF_TURN


def _ranks(count: int) -> tuple[Any, Any]:
    return (count - 1) // 2, count // 2
