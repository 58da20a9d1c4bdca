"""The Earth as an ellipsoid in space: positions as metres from its centre."""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel

AXIS_M = 6_378_137.0
FLATTENING = 1 / 298.257223563
"""WGS84."""

SQUASH = (1 - FLATTENING) ** 2
"""The squared ratio of the two axes."""

RADIUS_M = 6_371_008.8
"""The mean radius."""

_RADIAN = math.pi / 180


def chord_of(length_m: float) -> float:
    """Length of the straight line between two points that are so far apart on the ground.

    The mean radius stands for all: up to 100 km that errs by less than 1 cm.

    >>> round(chord_of(500.0), 6), round(chord_of(100_000.0), 1)
    (500.0, 99999.0)
    """
    return 2 * RADIUS_M * math.sin(length_m / (2 * RADIUS_M))


@helper
def into_space(lat, lng):  # type: ignore[no-untyped-def]
    """Metres from the centre of the Earth, along three axes."""
    sin = math.sin(lat * _RADIAN)
    normal = AXIS_M / math.sqrt(1 - (1 - SQUASH) * sin * sin)
    from_axis = normal * math.cos(lat * _RADIAN)
    return from_axis * math.cos(lng * _RADIAN), from_axis * math.sin(lng * _RADIAN), SQUASH * normal * sin


@helper
def onto_ground(x, y, z):  # type: ignore[no-untyped-def]
    """The point of the ellipsoid above or below a point in space, seen from the centre."""
    up = AXIS_M / math.sqrt(x * x + y * y + z * z / SQUASH)
    return x * up, y * up, z * up


@helper
def into_degrees(x, y, z):  # type: ignore[no-untyped-def]
    """Latitude and longitude of a point of the ellipsoid."""
    return math.atan2(z, SQUASH * math.sqrt(x * x + y * y)) / _RADIAN, math.atan2(y, x) / _RADIAN


@helper
def square(x, y, z):  # type: ignore[no-untyped-def]
    """Squared length of a vector."""
    return x * x + y * y + z * z


@helper
def across(x, y, z):  # type: ignore[no-untyped-def]
    """A direction of length 1 that is square to a vector; which one is left open."""
    ux, uy, uz = (z, 0.0, -x) if abs(z) > abs(x) else (-y, x, 0.0)
    long = math.sqrt(square(ux, uy, uz))
    return ux / long, uy / long, uz / long


@helper
def between(ax, ay, az, bx, by, bz, share):  # type: ignore[no-untyped-def]
    """The point at a share of the straight way over the ground from a to b, to be brought `onto_ground`.

    The way lies in a plane through the centre. Between antipodes any such plane will do: one is chosen.
    """
    a, b = math.sqrt(square(ax, ay, az)), math.sqrt(square(bx, by, bz))
    half = math.sqrt(square(ax / a - bx / b, ay / a - by / b, az / a - bz / b)) / 2
    if half > 1 - 1e-12:
        ux, uy, uz = across(ax, ay, az)
        of_a, of_u = math.cos(math.pi * share) / a, math.sin(math.pi * share)
        return of_a * ax + of_u * ux, of_a * ay + of_u * uy, of_a * az + of_u * uz
    angle = 2 * math.asin(min(half, 1.0))
    of_a, of_b = math.sin((1 - share) * angle) / a, math.sin(share * angle) / b
    return of_a * ax + of_b * bx, of_a * ay + of_b * by, of_a * az + of_b * bz


@kernel
def places_in_space(lat, lng):  # type: ignore[no-untyped-def]
    """Rows of x, y, z for many positions."""
    place = np.empty((lat.size, 3))
    for i in range(lat.size):
        place[i, 0], place[i, 1], place[i, 2] = into_space(lat[i], lng[i])
    return place
