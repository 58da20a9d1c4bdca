"""The walk along a trace and a pivot: the linear spatio-temporal distance (Abul, Bonchi, Nanni 2010), exact."""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel


@helper
def _flat(traces, i, j):  # type: ignore[no-untyped-def]
    """Squared distance on the ground between point i and the pivot's point j."""
    x, y, sx, sy, _ = traces
    dx, dy = (x[i] - x[j]) * sx[j], (y[i] - y[j]) * sy[j]
    return dx * dx + dy * dy


@helper
def _steps(traces, i, j, unit, cap):  # type: ignore[no-untyped-def]
    """Distance in space and time between point i and the pivot's point j, in whole units up to the cap."""
    z = traces[4]
    apart = math.sqrt(_flat(traces, i, j) + (z[i] - z[j]) * (z[i] - z[j]))
    return cap if apart >= cap * unit else np.int64(apart / unit)


@helper
def _next(traces, i, last_i, j, last_j, unit, cap):  # type: ignore[no-untyped-def]
    """The next cell of the walk and its steps: both go on, else the member, else the pivot; the first of the least."""
    if i == last_i:
        return i, j + 1, _steps(traces, i, j + 1, unit, cap)
    if j == last_j:
        return i + 1, j, _steps(traces, i + 1, j, unit, cap)
    best_i, best_j, best = i + 1, j + 1, _steps(traces, i + 1, j + 1, unit, cap)
    if best > 0:
        steps = _steps(traces, i + 1, j, unit, cap)
        if steps < best:
            best_i, best_j, best = i + 1, j, steps
    if best > 0:
        steps = _steps(traces, i, j + 1, unit, cap)
        if steps < best:
            best_i, best_j, best = i, j + 1, steps
    return best_i, best_j, best


@kernel
def distances(rows, offsets, traces, unit, cap, total, reach):  # type: ignore[no-untyped-def]
    """Fill in the distance of some traces to all others as pivots, and how far apart the walk has them at most.

    Parameters
    ----------
    rows
        Traces whose rows of ``total`` and ``reach`` are wanted.
    offsets, traces
        All traces: where each begins, and (x, y, sx, sy, z) as in `shoal.kernels.w4m`.
    unit, cap
        Metres in a step, and the most steps that two points can be apart.
    total, reach
        Of each trace (row) and pivot (column): the sum of steps; the largest distance on the ground, metres, the first
        cell excluded.
    """
    for a in rows:
        first_a, last_a = offsets[a], offsets[a + 1] - 1
        for b in range(offsets.size - 1):
            i, j, last_b = first_a, offsets[b], offsets[b + 1] - 1
            steps, farthest = _steps(traces, i, j, unit, cap), 0.0
            while i < last_a or j < last_b:
                i, j, more = _next(traces, i, last_a, j, last_b, unit, cap)
                steps += more
                farthest = max(farthest, _flat(traces, i, j))
            total[a, b], reach[a, b] = steps, math.sqrt(farthest)


@kernel
def beside(member, pivot, offsets, traces, unit, cap, x, y):  # type: ignore[no-untyped-def]
    """Write a member as it is published: at each of the pivot's times within a unit of the pivot's point.

    The pivot's point takes the first point of the member that the walk meets there; where that is farther than a unit,
    the point on the way to it. Return the sum of how far points moved, metres, and of how much, in metres of time.

    Parameters
    ----------
    member, pivot
        Two traces.
    offsets, traces
        As in `distances`.
    unit, cap
        Half of delta, and the cap.
    x, y
        Room for as many points as the pivot has.
    """
    px, py, _, _, z = traces
    i, last_i = offsets[member], offsets[member + 1] - 1
    first_j, last_j = offsets[pivot], offsets[pivot + 1] - 1
    j, moved, waited = first_j, 0.0, 0.0
    while True:
        flat = math.sqrt(_flat(traces, i, j))
        share = 1.0 if flat <= unit else unit / flat
        x[j - first_j] = px[j] + share * (px[i] - px[j])
        y[j - first_j] = py[j] + share * (py[i] - py[j])
        moved += (1.0 - share) * flat
        waited += abs(z[i] - z[j])
        at = j
        while j == at and (i < last_i or j < last_j):
            i, j, _ = _next(traces, i, last_i, j, last_j, unit, cap)
        if j == at:
            return moved, waited
