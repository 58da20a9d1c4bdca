"""Planar Laplace noise (Andrés et al. 2013, §4): the angle uniform, the radius Gamma(2, 1/epsilon) metres.

A draw takes three random words. The metres are turned into angles at the point's own latitude by the two radii of
curvature there, and the point is moved along a great circle: right at any latitude, beyond a pole and across the
antimeridian too.
"""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.points.earth import AXIS_M, RADIUS_M, SQUASH

WORDS = 3
"""Random words of 64 bits that one draw takes."""

_RADIAN = math.pi / 180
_TINY = 2.0**-53


@kernel
def noisy(lat, lng, words, epsilon, new_lat, new_lng):  # type: ignore[no-untyped-def]
    """Move every point by a draw of its own.

    Parameters
    ----------
    lat, lng
        Degrees.
    words
        `WORDS` random 64-bit words for each point.
    epsilon
        Per metre.
    new_lat, new_lng
        Where to write.
    """
    for i in range(lat.size):
        # In (0, 1], so that a logarithm is never of zero.
        first = ((words[i, 0] >> np.uint64(11)) + np.uint64(1)) * _TINY
        second = ((words[i, 1] >> np.uint64(11)) + np.uint64(1)) * _TINY
        angle = 2 * math.pi * ((words[i, 2] >> np.uint64(11)) * _TINY)
        radius = -(math.log(first) + math.log(second)) / epsilon
        new_lat[i], new_lng[i] = _moved(lat[i], lng[i], radius * math.sin(angle), radius * math.cos(angle))


@helper
def _moved(lat, lng, east_m, north_m):  # type: ignore[no-untyped-def]
    """Latitude and longitude of a point after a move of so many metres."""
    sin, cos = math.sin(lat * _RADIAN), math.cos(lat * _RADIAN)
    bulge = 1 - (1 - SQUASH) * sin * sin
    normal = AXIS_M / math.sqrt(bulge)
    east, north = east_m / normal, north_m * bulge / (normal * SQUASH)
    far = math.sqrt(east * east + north * north)
    if far == 0:
        return lat, lng
    ahead, cos_far = math.sin(far) / far, math.cos(far)
    x, y, z = cos * cos_far - sin * north * ahead, east * ahead, sin * cos_far + cos * north * ahead
    turned = lng + math.atan2(y, x) / _RADIAN
    if turned >= 180:
        turned -= 360
    elif turned < -180:
        turned += 360
    return math.atan2(z, math.sqrt(x * x + y * y)) / _RADIAN, turned


@kernel
def cells(lat, lng, side_m, row, column):  # type: ignore[no-untyped-def]
    """The cell of every point in a public lattice, the same for all data.

    Rows go along the parallels, ``side_m`` high on a sphere of the mean radius, row 0 from the equator to the north.
    A row is cut, from longitude 0 to the east, into as many equal cells as fit round the Earth in its middle, at least
    one: they are ``side_m`` wide there or a little wider.

    Parameters
    ----------
    lat, lng
        Degrees.
    side_m
        Height of a row.
    row, column
        Where to write.
    """
    for i in range(lat.size):
        row[i] = math.floor(lat[i] * _RADIAN * RADIUS_M / side_m)
        around = _around(row[i], side_m)
        turned = lng[i] / 360
        column[i] = min(np.int64((turned - math.floor(turned)) * around), around - 1)


@kernel
def middles(row, column, side_m, lat, lng):  # type: ignore[no-untyped-def]
    """The middle of every cell, in degrees; the last rows of all end at the poles.

    Parameters
    ----------
    row, column, side_m
        Cells, as in `cells`.
    lat, lng
        Where to write.
    """
    for i in range(row.size):
        lat[i] = _middle(row[i], side_m)
        turned = 360 * (column[i] + 0.5) / _around(row[i], side_m)
        lng[i] = turned - 360 if turned >= 180 else turned


@helper
def _middle(row, side_m):  # type: ignore[no-untyped-def]
    """Latitude of the middle of a row."""
    step = side_m / (RADIUS_M * _RADIAN)
    return (max(row * step, -90.0) + min((row + 1) * step, 90.0)) / 2


@helper
def _around(row, side_m):  # type: ignore[no-untyped-def]
    """Cells of a row."""
    return max(np.int64(2 * math.pi * RADIUS_M * math.cos(_middle(row, side_m) * _RADIAN) / side_m), 1)
