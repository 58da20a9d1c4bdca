"""Traces of points as attackers and measures take them: cut at gaps, without a jump in longitude."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.data import Fixes, Points
from shoal.workers import Workers

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Result = TypeVar("Result")

GAP_S = 4 * 3600
"""A trace ends where nothing is recorded for so long (Promesse §V-A)."""

_SECOND_US = 1_000_000
_EQUATOR_M = 6_378_137.0
_SQUARED_ECCENTRICITY = 0.0066943799901413165
_HALF_TURN = 180
_TURN = 360
_PIECES = 32
"""Work is cut into so many pieces, however many threads there are: sums must not depend on the machine."""


def split_at_gaps(points: Points, gap_s: float = GAP_S) -> Points:
    """Cut every part where its next point comes after ``gap_s`` or more; the points stay where they are.

    The points of each part have to be in order of time.

    >>> import pyarrow as pa
    >>> t = np.array([0, 60, 14_460, 14_461]) * 1_000_000
    >>> two = Points(pa.array(["a"]), np.array([0]), np.array([0, 4]), t, np.zeros(4), np.zeros(4))
    >>> split_at_gaps(two).offsets
    array([0, 2, 4])
    """
    cut = np.zeros(points.t_us.size + 1, np.bool_)
    cut[1:-1] = np.diff(points.t_us) >= gap_s * _SECOND_US
    cut[points.offsets] = True
    cut[-1] = False
    starts = np.flatnonzero(cut)
    part = np.searchsorted(points.offsets, starts, side="right") - 1
    offsets = np.append(starts, points.t_us.size)
    return replace(points, person_of=points.person_of[part], offsets=offsets)


def traces_of(fixes: Fixes, gap_s: float = GAP_S) -> Points:
    """Cut everybody's points at gaps: traces, person after person, in order of time."""
    return split_at_gaps(Points.of_people(fixes), gap_s)


def first_longitudes(fixes: Fixes) -> Floats:
    """Return a longitude of each person, to count theirs from; 0 for who has none."""
    has = fixes.lengths > 0
    first = np.zeros(len(fixes))
    first[has] = fixes.lng[fixes.offsets[:-1][has]]
    return first


def without_jump(points: Points, of_person: Floats) -> Points:
    """Count longitudes so that none is more than half a turn from its person's: neighbours are neighbours everywhere.

    >>> import pyarrow as pa
    >>> one = Points(pa.array(["a"]), np.array([0]), np.array([0, 2]), np.zeros(2, np.int64), np.zeros(2),
    ...              np.array([179.5, -179.5]))
    >>> without_jump(one, np.array([179.5])).lng
    array([179.5, 180.5])
    """
    everywhere = np.concatenate((of_person, points.lng[:1]))
    low, high = float(everywhere.min()), float(everywhere.max())
    if points.lng.size:
        low, high = min(low, float(points.lng.min())), max(high, float(points.lng.max()))
    if high - low <= _HALF_TURN:
        return points
    reference = np.repeat(of_person[points.person_of], np.diff(points.offsets))
    away = points.lng - reference
    jumped = np.where(away > _HALF_TURN, points.lng - _TURN, points.lng)
    return replace(points, lng=np.where(away <= -_HALF_TURN, points.lng + _TURN, jumped))


def metres_per_degree(lat: Floats) -> tuple[Floats, Floats]:
    """Return how many metres a degree of longitude and one of latitude have at a latitude, on WGS84.

    >>> [float(round(metres[0])) for metres in metres_per_degree(np.array([60.0]))]
    [55800.0, 111412.0]
    """
    radians = np.radians(lat)
    w = 1 - _SQUARED_ECCENTRICITY * np.sin(radians) ** 2
    east = np.radians(_EQUATOR_M) * np.cos(radians) / np.sqrt(w)
    return east, np.radians(_EQUATOR_M * (1 - _SQUARED_ECCENTRICITY)) / (w * np.sqrt(w))


def side_by_side(crew: Workers, offsets: Ints, work: Callable[[int, int], Result]) -> list[Result]:
    """Call ``work(lo, hi)`` for ranges of parts that hold about as many rows each, and return what it gives in order.

    The ranges depend on the data alone, not on the number of threads.
    """
    parts = offsets.size - 1
    rows = offsets + np.arange(parts + 1)  # a part costs something even without rows
    edges = np.searchsorted(rows, np.linspace(0, int(rows[-1]), _PIECES + 1)[1:-1])
    bounds = np.unique(np.concatenate(([0], edges, [parts])))
    return list(crew.pool.map(work, bounds[:-1].tolist(), bounds[1:].tolist()))
