"""What is counted of people, so that the counts of some and of others add up to those of all.

From a tally follows all that an overview tells, exactly, wherever the people are: numbers per person, and how often
each gap and each place occurs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.data.grid import Grid
from shoal.data.layout import Floats, Ints64, Span
from shoal.data.projection import Projection
from shoal.data.traces import Traces

TOO_FAST_M_PER_S = 300
"""About the speed of an airliner: a move faster than this is an error of the data."""

_SMALL = 1 << 22
"""Whole numbers up to this are counted in an array of all of them, without sorting."""

_WAITING = 1 << 20
_PLACE_BITS = 32


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Whole numbers, distinct and ascending, and how often each occurs.

    >>> found = Counted.together([Counted.of(np.array([7, 5, 7])), Counted.of(np.array([6]))])
    >>> found.values, found.times, found.percentiles([0, 50, 75])
    (array([5, 6, 7]), array([1, 1, 2]), (5.0, 6.5, 7.0))
    """

    values: Ints64
    times: Ints64

    @classmethod
    def of(cls, numbers: Ints64) -> "Counted":
        if numbers.size and numbers.min() >= 0 and numbers.max() < _SMALL:
            times = np.bincount(numbers)
            values = np.flatnonzero(times)
            return cls(values, times[values])
        return cls(*np.unique(numbers, return_counts=True))

    @classmethod
    def weighted(cls, numbers: Ints64, times: Ints64) -> "Counted":
        """Numbers that may be repeated, each with how often it occurs."""
        order = np.argsort(numbers, kind="stable")
        numbers, times = numbers[order], times[order]
        first = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1)) if numbers.size else np.empty(0, np.int64)
        return cls(numbers[first], np.add.reduceat(times, first) if first.size else times)

    @classmethod
    def together(cls, parts: Iterable["Counted"]) -> "Counted":
        """Add the counts of parts, which need not all be in memory."""
        waiting: list[Counted] = []
        settled = 0
        for part in parts:
            waiting.append(part)
            if sum(one.values.size for one in waiting) > max(_WAITING, 2 * settled):
                waiting = [cls._merged(waiting)]
                settled = waiting[0].values.size
        return cls._merged(waiting)

    @classmethod
    def _merged(cls, parts: Sequence["Counted"]) -> "Counted":
        none = np.empty(0, np.int64)
        columns = (np.concatenate([none, *(getattr(part, name) for part in parts)]) for name in ("values", "times"))
        return cls.weighted(*columns)

    @property
    def total(self) -> int:
        return int(self.times.sum())

    @property
    def mean(self) -> float:
        return float((self.values * self.times).sum()) / self.total if self.total else float("nan")

    def percentiles(self, percents: Sequence[float]) -> tuple[float, ...]:
        """What ``numpy.percentile`` gives for all numbers at once; NaN where there are none."""
        total = self.total
        if not total:
            return (float("nan"),) * len(percents)
        upto = np.cumsum(self.times)
        found = []
        for percent in percents:
            place = percent / 100 * (total - 1)
            low, high = (self.values[np.searchsorted(upto, int(at), side="right")] for at in (place, np.ceil(place)))
            found.append(float(low + (high - low) * (place - int(place))))
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What was counted of some people.

    Attributes
    ----------
    samples, places, gyration_m
        Of each person, in any order: samples, distinct places, radius of gyration.
    gaps
        Steps of the grid between successive samples of a person.
    visited
        Places of all samples; `unpacked` tells where they are.
    fast_moves
        Moves faster than `TOO_FAST_M_PER_S`.
    span_s
        The time covered.
    crs, grid
        What places and steps are of.
    """

    samples: Ints64
    places: Ints64
    gyration_m: Floats
    gaps: Counted
    visited: Counted
    fast_moves: int
    span_s: Span
    crs: Projection
    grid: Grid

    @classmethod
    def of(cls, traces: Traces) -> "Tally":
        """Count what there is of people, at least one sample."""
        gaps, speeds = _moves(traces)
        place = packed(traces.x, traces.y)
        return cls(
            traces.lengths,
            _distinct_places(traces, place),
            radius_of_gyration_m(traces),
            Counted.of(gaps),
            Counted.of(place),
            int((speeds > TOO_FAST_M_PER_S).sum()),
            traces.span_s,
            traces.crs,
            traces.grid,
        )

    @classmethod
    def together(cls, parts: Sequence["Tally"]) -> "Tally":
        """Add what was counted of parts, at least one: every person is in one of them, with all samples."""
        starts, ends = zip(*(part.span_s for part in parts), strict=True)
        return cls(
            np.concatenate([part.samples for part in parts]),
            np.concatenate([part.places for part in parts]),
            np.concatenate([part.gyration_m for part in parts]),
            Counted.together(part.gaps for part in parts),
            Counted.together(part.visited for part in parts),
            sum(part.fast_moves for part in parts),
            (min(starts), max(ends)),
            parts[0].crs,
            parts[0].grid,
        )

    def far_samples(self, far_m: float) -> int:
        """Samples farther than so much from the median position."""
        x, y = unpacked(self.visited.values)
        middle = [Counted.weighted(values, self.visited.times).percentiles([50])[0] for values in (x, y)]
        far = np.hypot(x - middle[0], y - middle[1]) > far_m / self.grid.cell_m
        return int(self.visited.times[far].sum())


def packed(x: NDArray[np.integer], y: NDArray[np.integer]) -> Ints64:
    """Places as one number each."""
    return np.asarray((x.astype(np.int64) << _PLACE_BITS) + y)


def unpacked(place: Ints64) -> tuple[Ints64, Ints64]:
    """Cells of places.

    >>> unpacked(packed(np.array([-3, 4]), np.array([5, -6])))
    (array([-3,  4]), array([ 5, -6]))
    """
    x = (place + (1 << (_PLACE_BITS - 1))) >> _PLACE_BITS
    return x, place - (x << _PLACE_BITS)


def radius_of_gyration_m(traces: Traces) -> Floats:
    """Root mean square distance of each person's samples from their mean position, in metres."""
    if not traces.samples:
        return np.zeros(len(traces))
    starts, n = traces.offsets[:-1], traces.lengths
    total = np.zeros(len(traces))
    for values in (traces.x, traces.y):
        # From each person's own first sample: squares of large coordinates would eat the digits, and what comes of a
        # person must not depend on who else is there.
        v = (values.astype(np.int64) - np.repeat(values[starts], n)).astype(float)
        total += np.add.reduceat(v * v, starts) / n - (np.add.reduceat(v, starts) / n) ** 2
    return np.asarray(np.sqrt(np.maximum(total, 0)) * traces.grid.cell_m)


def _moves(traces: Traces) -> tuple[Ints64, Floats]:
    """Return the steps and the speed between each person's successive samples."""
    same = traces.owner[1:] == traces.owner[:-1]
    steps = np.diff(traces.t.astype(np.int64))[same]
    metres = np.hypot(np.diff(traces.x.astype(float)), np.diff(traces.y.astype(float)))[same] * traces.grid.cell_m
    # Both ends of a move are known to one step only, so that much more time may have passed.
    return steps, metres / ((steps + 1) * traces.grid.dt_s)


def _distinct_places(traces: Traces, place: Ints64) -> Ints64:
    order = np.lexsort((place, traces.owner))
    owner, place = traces.owner[order], place[order]
    fresh = np.ones(place.size, np.bool_)
    fresh[1:] = (owner[1:] != owner[:-1]) | (place[1:] != place[:-1])
    return np.bincount(owner[fresh], minlength=len(traces))
