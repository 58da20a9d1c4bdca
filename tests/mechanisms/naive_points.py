"""Slow twins of what publishes points, from the papers, on geodesics of the ellipsoid; none of the package's code."""

import math
from itertools import pairwise

import numpy as np
from pyproj import Geod, Proj

EARTH = Geod(ellps="WGS84")
HOUR = 3600
ROUNDING_M = 0.08
"""How far six decimals move a point at most: half a step of 0.111 m in both directions."""


def metres(a, b):
    """Geodesic distance between two (lat, lng)."""
    return EARTH.inv(a[1], a[0], b[1], b[0])[2]


def on_the_way(a, b, share):
    """The point at a share of the geodesic from a to b."""
    azimuth, _, length = EARTH.inv(a[1], a[0], b[1], b[0])
    lng, lat, _ = EARTH.fwd(a[1], a[0], azimuth, share * length)
    return lat, lng


def promesse(records, alpha, interpolation="path"):
    """Promesse over one trace, its ends cut by one step: a list of (second, lat, lng), empty where it is dropped.

    The paper's Figure 2 (§IV-B), repaired: alpha stands where the pseudocode has a blank, and the number of points is
    tested after the ends are gone.

    Parameters
    ----------
    records
        (second, lat, lng), sorted.
    """
    made = [(records[0][0], records[0][1:])]
    for (_, *before), (second, *here) in pairwise(records):
        low = 0.0
        while metres(made[-1][1], here) >= alpha:
            last = made[-1][1]
            begin = before if interpolation == "path" else last
            low = low if interpolation == "path" else 0.0
            high = 1.0
            # The way is inside the circle at `low`, and outside at its end.
            for _ in range(60):
                middle = (low + high) / 2
                inside = metres(last, on_the_way(begin, here, middle)) < alpha
                low, high = (middle, high) if inside else (low, middle)
            made.append((second, on_the_way(begin, here, high)))
            low = high
    kept = made[1:-1]
    if len(kept) < 3:
        return []
    first, last = kept[0][0], kept[-1][0]
    step = (last - first) / (len(kept) - 1)
    if step < 1:
        return []
    return [(math.floor(first + i * step + 0.5), *place) for i, (_, place) in enumerate(kept)]


def split(seconds):
    """Where traces begin: after gaps of 4 h or more."""
    return [i for i in range(len(seconds)) if i == 0 or seconds[i] - seconds[i - 1] >= 4 * HOUR]


def same_places(ends, alpha):
    """The first end at each end's place, in the order of time: the nearest earlier place within alpha, or itself."""
    places, found = [], []
    for i, end in enumerate(ends):
        near = [(metres(ends[j], end), j) for j in places]
        near = [item for item in near if item[0] <= alpha]
        found.append(min(near)[1] if near else i)
        if not near:
            places.append(i)
    return found


def from_line(point, line):
    """Distance in metres from a point to a line through (lat, lng), on a map around the point that is true there."""
    x, y = Proj(f"+proj=aeqd +lat_0={point[0]} +lon_0={point[1]} +ellps=WGS84")(line[:, 1], line[:, 0])
    a, b = np.column_stack((x[:-1], y[:-1])), np.column_stack((x[1:], y[1:]))
    way = b - a
    long = np.maximum((way**2).sum(axis=1), 1e-30)
    share = np.clip(-(a * way).sum(axis=1) / long, 0, 1)
    return float(np.sqrt(((a + share[:, None] * way) ** 2).sum(axis=1)).min())


def lattice_cell(lat, lng, side):
    """Row and column of a point in the public lattice, as the docs define it."""
    radius = 6_371_008.8
    row = math.floor(math.radians(lat) * radius / side)
    low, high = (math.degrees(edge * side / radius) for edge in (row, row + 1))
    middle = (max(low, -90) + min(high, 90)) / 2
    around = max(int(2 * math.pi * radius * math.cos(math.radians(middle)) / side), 1)
    column = min(int((lng / 360 % 1) * around), around - 1)
    return row, column, middle, (360 * (column + 0.5) / around + 180) % 360 - 180


def moved(lat, lng, east, north):
    """A point moved by metres, in long doubles: along a great circle, by the two radii of curvature at its latitude."""
    wide = np.longdouble
    radian = np.arctan2(wide(1), wide(1)) / 45
    flat = 1 / wide("298.257223563")
    squash = (1 - flat) ** 2
    sin, cos = np.sin(wide(lat) * radian), np.cos(wide(lat) * radian)
    bulge = 1 - (1 - squash) * sin**2
    normal = wide(6378137) / np.sqrt(bulge)
    east, north = wide(east) / normal, wide(north) / (normal * squash / bulge)
    far = np.sqrt(east**2 + north**2)
    ahead = np.sin(far) / far
    x, y = cos * np.cos(far) - sin * north * ahead, east * ahead
    z = sin * np.cos(far) + cos * north * ahead
    return np.arctan2(z, np.sqrt(x**2 + y**2)) / radian, (wide(lng) + np.arctan2(y, x) / radian + 180) % 360 - 180
