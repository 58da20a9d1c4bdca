"""Range queries: how many different uids cross a square in a window of time (Promesse §V-C).

Queries are centred on random raw records, so that none is empty in the raw data. A uid crosses one when a record of it
lies inside: not when the line between two records does. uids are counted as they are on either side, so a
person whose trace is published in several parts may count several times.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.tracks import metres_per_degree, side_by_side
from shoal.data import Fixes, Points, Traces
from shoal.usefulness.figures import Cells, Floats, Ints
from shoal.workers import Workers

QUERIES = 1_000
WINDOW_S = (2 * 3600.0, 8 * 3600.0)
HALF_DIAGONAL_M = (500.0, 5_000.0)

_SECOND_US = 1_000_000


class Queries(NamedTuple):
    """Queries over points.

    Attributes
    ----------
    windows
        First and last microsecond of each.
    squares
        Latitude and longitude of the middle, and half of either side in degrees.
    """

    windows: Ints
    squares: Floats


def draw(fixes: Fixes, rng: np.random.Generator, count: int = QUERIES) -> Queries:
    """Draw queries around records drawn at random, each with a size of its own."""
    row, half_us, half_side = _drawn((fixes.t_us, fixes.lat, fixes.lng), rng, count)
    lat, t = fixes.lat[row], fixes.t_us[row]
    east, north = metres_per_degree(lat)
    # At a pole a square has all longitudes.
    squares = np.stack((lat, fixes.lng[row], half_side / north, half_side / np.maximum(east, 1e-3)), axis=1)
    return Queries(np.stack((t - half_us, t + half_us), axis=1), squares)


def count(points: Fixes | Points, queries: Queries, crew: Workers) -> Ints:
    """Count the uids (people of fixes, parts of points) that cross each query; rows of each in order of time."""
    from shoal.kernels.compared.ranges import count_points

    def look(lo: int, hi: int) -> Ints:
        found = np.zeros(queries.windows.shape[0], np.int64)
        count_points(points.offsets, lo, hi, points.t_us, points.lat, points.lng, *queries, found)
        return found

    found: Ints = np.sum([np.zeros(len(queries.windows), np.int64), *side_by_side(crew, points.offsets, look)], axis=0)
    return found


def draw_cells(traces: Traces, rng: np.random.Generator, count: int = QUERIES) -> Ints:
    """Draw queries of whole cells: start, duration, west, width, south, height of each, one column per query.

    Their rims are rounded outwards to the grid, so that every raw sample is either inside or outside.
    """
    row, half_us, half_side = _drawn((traces.t, traces.x, traces.y), rng, count)
    columns = []
    for column, half in (
        (traces.t, half_us / _SECOND_US / traces.grid.dt_s),
        (traces.x, half_side / traces.grid.cell_m),
        (traces.y, half_side / traces.grid.cell_m),
    ):
        middle = column[row] + 0.5
        low = np.floor(middle - half).astype(np.int64)
        columns += [low, np.ceil(middle + half).astype(np.int64) - low]
    return np.stack(columns)


def count_samples(traces: Traces, queries: Ints, crew: Workers) -> Ints:
    """Count the people with a sample in each query."""
    from shoal.kernels.compared.ranges import count_cells

    def look(lo: int, hi: int) -> Ints:
        found = np.zeros(queries.shape[1], np.int64)
        count_cells(traces.offsets, lo, hi, traces.t, traces.x, traces.y, queries, found)
        return found

    found: Ints = np.sum([np.zeros(queries.shape[1], np.int64), *side_by_side(crew, traces.offsets, look)], axis=0)
    return found


class BoxCounts(NamedTuple):
    """Who crosses each query, as far as boxes tell.

    Attributes
    ----------
    definite
        Those who have a box inside: they were there.
    possible
        Those who have a box that touches it: nobody else was there.
    expected
        Between the two: every box has one sample, anywhere in it and apart from the others.
    """

    definite: Ints
    possible: Ints
    expected: Floats


def count_in_boxes(offsets: Ints, boxes: Cells, queries: Ints, crew: Workers) -> BoxCounts:
    """Count the published individuals who cross each query; boxes of each sorted by their start."""
    from shoal.kernels.compared.ranges import count_boxes

    has = np.diff(offsets) > 0
    longest = np.zeros(offsets.size - 1, np.int64)
    if has.any():
        longest[has] = np.maximum.reduceat(boxes.dt, offsets[:-1][has])

    def look(lo: int, hi: int) -> BoxCounts:
        definite, possible = np.zeros((2, queries.shape[1]), np.int64)
        expected = np.zeros(queries.shape[1])
        rows = slice(int(offsets[lo]), int(offsets[hi]))
        columns = np.stack([column[rows].astype(np.int64, copy=False) for column in boxes])
        own = offsets[lo : hi + 1] - offsets[lo]
        count_boxes(own, 0, hi - lo, columns, longest[lo:hi], queries, definite, possible, expected)
        return BoxCounts(definite, possible, expected)

    found = [look(0, 0), *side_by_side(crew, offsets, look)]
    # In order: a sum of fractions must not depend on which thread was first.
    return BoxCounts(*(np.sum(column, axis=0) for column in zip(*found, strict=True)))


class Distortion(NamedTuple):
    """The mean over queries of ``|Q(D) - Q(D')| / Q(D)``, and its standard error."""

    mean: float
    standard_error: float


def distortion(raw: Ints, published: Ints | Floats) -> Distortion:
    """Compare counts; every query counts somebody in the raw data.

    >>> distortion(np.array([2, 4]), np.array([1, 4]))
    Distortion(mean=0.25, standard_error=0.25)
    """
    off = np.abs(raw - published) / raw
    return Distortion(float(off.mean()), standard_error(off))


def standard_error(values: Floats) -> float:
    """Return that of the mean; 0 where there are fewer than two values, of which nothing can be said."""
    return float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else 0.0


def _drawn(records: tuple[NDArray[Any], ...], rng: np.random.Generator, count: int) -> tuple[Ints, Ints, Floats]:
    """Draw records, half of the window in microseconds, and half of the side.

    Records are drawn in the order of times and places: which ones they are does not depend on what people are called.
    """
    row = _in_order(records, rng.integers(records[0].size, size=count))
    half_us = np.rint(rng.uniform(*WINDOW_S, count) / 2 * _SECOND_US).astype(np.int64)
    return row, half_us, rng.uniform(*HALF_DIAGONAL_M, count) / math.sqrt(2)


def _in_order(records: tuple[NDArray[Any], ...], places: Ints) -> Ints:
    """Return the records at some places of the order by all columns, equal ones as they came.

    Only those are sorted that have the time of one of them.

    >>> _in_order((np.array([3, 1, 3, 2]), np.array([5, 0, 4, 0])), np.array([2, 0, 3]))
    array([2, 1, 0])
    """
    times = np.sort(records[0])
    wanted = times[places]
    after = places - np.searchsorted(times, wanted)
    del times
    rows = np.flatnonzero(np.isin(records[0], wanted))
    some = [column[rows] for column in records]
    order = np.lexsort(some[::-1])
    return rows[order][np.searchsorted(some[0][order], wanted) + after]
