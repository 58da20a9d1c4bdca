"""Promesse's walk (§IV-B): along a trace, a point each time the distance from the last one reaches a length.

`path` takes the point where the circle around the last one leaves the trace's own line; `chord`, the paper's
pseudocode, goes straight from the last point to the record that lies outside of it. Both are the same walk: only where
a stretch begins differs.
"""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.points.earth import RADIUS_M, between, into_degrees, into_space, onto_ground, square

FEWEST = 3
"""Points that a published trace has at least."""

SHORT, FAST = -1, -2
"""Too few points are left; or there are more of them than seconds, so that rounded times would not tell their order."""

NO_ROOM = -3
"""Where a walk is longer than `room` said: a fault, and nothing was written outside of the arrays."""

SECOND_US = 1_000_000
_CLOSE_M = 1e-6


@kernel
def room(place, start, stop, chord):  # type: ignore[no-untyped-def]
    """How many points a walk over each trace can give at most: the length of its way, in steps.

    Parameters
    ----------
    place, start, stop, chord
        As in `walk`.
    """
    most = np.zeros(start.size, np.int64)
    for trace in range(start.size):
        way = 0.0
        for i in range(start[trace] + 1, stop[trace]):
            straight = math.sqrt(
                square(place[i, 0] - place[i - 1, 0], place[i, 1] - place[i - 1, 1], place[i, 2] - place[i - 1, 2])
            )
            # Over the ground it is longer than through it; how much differs a little, as the Earth is no sphere.
            bend = min(1.0, straight / (1.99 * RADIUS_M))
            way += straight * (1.01 * math.asin(bend) / bend if bend > 1e-3 else 1.000001)
        most[trace] = np.int64(way / chord * 1.000001) + 2
    return most


@kernel
def walk(place, t_us, offsets, start, stop, centre, chord, zone, by_path, lat, lng, time_us):  # type: ignore[no-untyped-def]
    """Walk over traces, and write the points that are kept, one trace after the other.

    The first and the last point of a walk are not kept, nor are those next to them that lie in the disc of that end, or
    within a step of it: a way that leaves the disc may come back. Times of the others are at equal intervals, rounded
    to the second, between those of the records that the first and the last one kept approach.

    Parameters
    ----------
    place, t_us
        Records of all traces: positions in space, times.
    offsets
        The records of each trace.
    start, stop
        Those of them to walk over.
    centre, zone
        Discs of the ends, as in `zones`, and their radius; 0 where there are none.
    chord
        The length of a step, in a straight line through space.
    by_path
        Whether to follow the trace's line; otherwise straight ahead to the next record outside.
    lat, lng, time_us
        Where to write; with as much room as `room` says.

    Returns
    -------
    numpy.ndarray
        Points kept of each trace; `SHORT`, `FAST` or `NO_ROOM` where there are none.
    """
    kept = np.empty(start.size, np.int64)
    base = 0
    for trace in range(start.size):
        made = _steps(place, t_us, start[trace], stop[trace], chord, by_path, lat, lng, time_us, base)
        if made == NO_ROOM:
            kept[trace] = NO_ROOM
            continue
        first, last = base, max(base + made - 1, base)
        if zone > 0:
            begin, end = offsets[trace], offsets[trace + 1] - 1
            while first < last and _near(lat[first], lng[first], place, begin, centre, 2 * trace, chord, zone):
                first += 1
            while first < last and _near(lat[last - 1], lng[last - 1], place, end, centre, 2 * trace + 1, chord, zone):
                last -= 1
        kept[trace] = _spread(lat, lng, time_us, base, first, last)
        base += max(kept[trace], 0)
    return kept


@helper
def _near(lat, lng, place, row, centre, end, chord, zone):  # type: ignore[no-untyped-def]
    """Whether a point lies in the disc of an end, or within a step of it."""
    x, y, z = into_space(lat, lng)
    from_end = square(x - place[row, 0], y - place[row, 1], z - place[row, 2])
    from_centre = square(x - centre[end, 0], y - centre[end, 1], z - centre[end, 2])
    return from_end <= chord * chord or from_centre <= zone * zone


@helper
def _spread(lat, lng, time_us, base, first, last):  # type: ignore[no-untyped-def]
    """Keep the points from first to last, with times at equal intervals: in whole numbers, rounded to the second."""
    count = last - first
    if count < FEWEST:
        return SHORT
    begin_us, span_us = time_us[first], time_us[last - 1] - time_us[first]
    if span_us < (count - 1) * SECOND_US:
        return FAST
    step, rest = divmod(span_us, count - 1)
    for k in range(count):
        lat[base + k], lng[base + k] = lat[first + k], lng[first + k]
        exact = begin_us + step * k + rest * k // (count - 1)
        time_us[base + k] = (exact + SECOND_US // 2) // SECOND_US * SECOND_US
    return count


@helper
def _steps(place, t_us, start, stop, chord, by_path, lat, lng, time_us, base):  # type: ignore[no-untyped-def]
    """Walk over one trace and write its points but the first, each with the time of its record: how many were written.

    A long way between two records is walked in pieces, straight lines so short that they stay close to the ground.
    """
    made = 0
    reach = chord * chord
    piece = math.sqrt(0.08 * RADIUS_M * chord)
    if start < stop:
        ex, ey, ez = place[start, 0], place[start, 1], place[start, 2]
    for i in range(start + 1, stop):
        bx, by, bz = place[i, 0], place[i, 1], place[i, 2]
        if square(bx - ex, by - ey, bz - ez) < reach:
            continue  # the ball around the last point holds both ends of the line, hence all of it
        ax, ay, az = ex, ey, ez
        if by_path:
            ax, ay, az = place[i - 1, 0], place[i - 1, 1], place[i - 1, 2]
        pieces = int(math.sqrt(square(bx - ax, by - ay, bz - az)) / piece) + 1
        px, py, pz = ax, ay, az
        for number in range(1, pieces + 1):
            qx, qy, qz = bx, by, bz
            if number < pieces:
                x, y, z = between(ax, ay, az, bx, by, bz, number / pieces)
                qx, qy, qz = onto_ground(x, y, z)
            while square(qx - ex, qy - ey, qz - ez) >= reach:
                if base + made >= lat.size:
                    return NO_ROOM
                ex, ey, ez = _leaves(px, py, pz, qx, qy, qz, ex, ey, ez, chord)
                lat[base + made], lng[base + made] = into_degrees(ex, ey, ez)
                time_us[base + made] = t_us[i]
                made += 1
            px, py, pz = qx, qy, qz
    return made


@helper
def _leaves(px, py, pz, qx, qy, qz, ex, ey, ez, chord):  # type: ignore[no-untyped-def]
    """Where the straight line from p, inside, to q, outside, leaves the ball around e, brought onto the ground.

    That is a little above the line, hence a little farther from e: a few steps of Newton's mend it to a thousandth of a
    millimetre.
    """
    dx, dy, dz = qx - px, qy - py, qz - pz
    wx, wy, wz = px - ex, py - ey, pz - ez
    long = square(dx, dy, dz)
    ahead = wx * dx + wy * dy + wz * dz
    share = (math.sqrt(max(0.0, ahead * ahead - long * (square(wx, wy, wz) - chord * chord))) - ahead) / long
    x, y, z = qx, qy, qz
    for _ in range(20):
        share = min(max(share, 0.0), 1.0)
        x, y, z = onto_ground(px + share * dx, py + share * dy, pz + share * dz)
        far = math.sqrt(square(x - ex, y - ey, z - ez))
        if abs(far - chord) < _CLOSE_M:
            break
        grows = ((x - ex) * dx + (y - ey) * dy + (z - ez) * dz) / far
        if grows <= 0:
            break
        share += (chord - far) / grows
    return x, y, z
