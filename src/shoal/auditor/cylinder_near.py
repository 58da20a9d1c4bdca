"""Who is near a trace at all its times, of those that have the same times."""

from collections.abc import Callable

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.auditor.points_geometry import ROUNDED_M, Floats, distances
from shoal.auditor.points_parts import Published

_RELATIVE = 1e-3
"""What distances may be off beyond the rounding of places, as a share: on a map they are, away from its centre."""

_PROBES = 8
"""Moments at which traces are compared first: most that are apart are apart there."""

_LEAST_M = 110_000
"""A degree of latitude is longer."""

Near = Callable[[int], Ints]


def nearness(points: Published, members: Ints, radius_m: float) -> Near:
    """Return a function that tells who is near one of these traces, of equal times, at all of them.

    Points of one time are published in the order of their places, so which of them belongs to which is not known: they
    are near where some pairing makes them so.
    """
    begin = int(points.offsets[members[0]])
    lengths = int(points.offsets[members[0] + 1]) - begin
    limit = radius_m * (1 + _RELATIVE) + ROUNDED_M
    alone, runs = moments(points.t_us[begin : begin + lengths])
    probes = alone[np.unique(np.linspace(0, alone.size - 1, _PROBES).astype(np.int64))] if alone.size else alone
    first = points.offsets[members]
    quick = [(points.lat[first + at], points.lng[first + at]) for at in probes]
    known = dict[int, Ints]()
    # From south to north at the first moment: who is far to either side is not asked. Of several points of that time
    # it is the southernmost, which are paired if any pairing is near.
    south = points.lat[first]
    from_south = np.argsort(south, kind="stable")
    latitudes = south[from_south]

    def near(one: int) -> Ints:
        if one not in known:
            here = float(south[one])
            a, b = np.searchsorted(latitudes, (here - limit / _LEAST_M, here + limit / _LEAST_M))
            left = from_south[a:b]
            for lat, lng in quick:
                left = left[distances(lat[one], lng[one], lat[left], lng[left]) <= limit]
            rows = first[left][:, None] + np.arange(lengths)
            own = slice(int(first[one]), int(first[one]) + lengths)
            fine = distances(points.lat[own], points.lng[own], points.lat[rows], points.lng[rows]) <= limit
            held = np.asarray(fine[:, alone].all(axis=1))
            for start, stop in runs:
                for other in np.flatnonzero(held & ~fine[:, start:stop].all(axis=1)).tolist():
                    mine, theirs = (
                        slice(int(first[which]) + start, int(first[which]) + stop) for which in (one, left[other])
                    )
                    held[other] = _paired(points, mine, theirs, limit)
            known[one] = left[held]
        return known[one]

    return near


def moments(t_us: Ints) -> tuple[Ints, list[tuple[int, int]]]:
    """Return the rows that are alone at their time, and where those of one time start and stop.

    >>> moments(np.array([1, 2, 2, 5]))
    (array([0, 3]), [(1, 3)])
    """
    starts = np.flatnonzero(np.concatenate(([True], t_us[1:] != t_us[:-1])))
    stops = np.append(starts[1:], t_us.size)
    several = stops - starts > 1
    return starts[~several], list(zip(starts[several].tolist(), stops[several].tolist(), strict=True))


def _paired(points: Published, mine: slice, theirs: slice, limit: float) -> bool:
    """Tell whether each of these can be given one of those within the limit, all different."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    lat, lng = _column(points.lat, mine), _column(points.lng, mine)
    fine = distances(lat, lng, points.lat[theirs], points.lng[theirs]) <= limit
    return bool((maximum_bipartite_matching(csr_array(fine)) >= 0).all())


def _column(values: Floats, rows: slice) -> Floats:
    return values[rows][:, None]
