"""Slow, plain versions of what the auditor does with points, from the definitions; they call none of its code."""

import math
from itertools import pairwise

from pyproj import Geod

GEOD = Geod(ellps="WGS84")


def metres(a, b):
    """Between two places (lat, lng)."""
    return GEOD.inv(a[1], a[0], b[1], b[0])[2]


def cylinders(traces, k, radius_m):
    """Which traces (lists of (t, lat, lng)) are one of k with the same times, all within a radius of one of them."""

    def beside(a, b):
        same = [t for t, *_ in traces[a]] == [t for t, *_ in traces[b]]
        return same and all(metres(p[1:], q[1:]) <= radius_m for p, q in zip(traces[a], traces[b], strict=True))

    everybody = range(len(traces))
    around = [[other for other in everybody if beside(pivot, other)] for pivot in everybody]
    return [any(one in around[pivot] and len(around[pivot]) >= k for pivot in everybody) for one in everybody]


def on_the_way(points, way, tolerance_m):
    """Whether points (x, y) lie on a way in their order: tried at every position of a fine ruler along it."""
    ruler = []
    for (ax, ay), (bx, by) in pairwise(way):
        steps = max(1, math.ceil(math.hypot(bx - ax, by - ay) / (tolerance_m / 4)))
        ruler += [(ax + (bx - ax) * i / steps, ay + (by - ay) * i / steps) for i in range(steps)]
    ruler.append(way[-1])
    at = 0
    for x, y in points:
        while at < len(ruler) and math.hypot(ruler[at][0] - x, ruler[at][1] - y) > tolerance_m:
            at += 1
        if at == len(ruler):
            return False
    return True


def naive_cell(lat, lng, side_m):
    """The cell of the public lattice and its middle, as docs/explanation/geo-indistinguishability.md has it."""
    sphere = 6_371_008.8
    row = math.floor(math.radians(lat) * sphere / side_m)
    middle = math.degrees((row + 0.5) * side_m / sphere)
    cells = max(1, math.floor(2 * math.pi * sphere * math.cos(math.radians(middle)) / side_m))
    column = math.floor(lng % 360 / 360 * cells)
    return row, column, middle, (column + 0.5) * 360 / cells
