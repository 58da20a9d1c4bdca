"""Lambert azimuthal equal-area on WGS84 in closed form, for many positions at once: a third of PROJ's time.

Snyder, *Map Projections: A Working Manual*, equations 24-17 to 24-20, with q of 3-12 as a series. PROJ has the last
word: this is within ``WITHIN_M`` of it, and says nothing near the poles and on the other side of the globe.
"""

import math
from dataclasses import dataclass

import numpy as np

from shoal.data.chunks import CACHED_ROWS
from shoal.data.degrees import HALF_TURN, TURN
from shoal.data.ellipsoid import A_M, E2
from shoal.data.layout import Floats, Ints32, Ints64

WITHIN_M = 1e-4
"""A hundred times what rounding makes of it, so that another version of PROJ, or another sine, changes nothing."""

_FARTHEST_LAT, _FARTHEST_LNG, _LEAST_NEARNESS = 85, 170, 0.5
"""Beyond these, numbers that are nearly equal are taken from each other. Nearness is 1 + the cosine of the distance."""

_TERMS = [2 * (1 - E2) * (n + 1) / (2 * n + 1) * E2**n for n in range(7)]
"""Of q, the sine times a series in its square. The next term is worth less than a hundred-millionth of a metre."""

_Q_AT_POLE = sum(_TERMS)
_RADIUS_M = A_M * math.sqrt(_Q_AT_POLE / 2)
_SERIES = [term / _Q_AT_POLE for term in reversed(_TERMS)]
"""That of the sine of the authalic latitude."""


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane that touches the globe at a centre.

    Attributes
    ----------
    lon_0
        The centre's longitude.
    sin_0, cos_0
        Of the centre's authalic latitude.
    widening
        How much wider than high things are drawn, so that near the centre they have their shape.
    """

    lon_0: int
    sin_0: float
    cos_0: float
    widening: float

    @classmethod
    def around(cls, lat_0: int, lon_0: int) -> "Plane | None":
        """Return the plane around a point; None near the poles."""
        if abs(lat_0) > _FARTHEST_LAT:
            return None
        sin = math.sin(math.radians(lat_0))
        sin_0 = float(_authalic(np.array([sin]))[0])
        cos_0 = math.sqrt(1 - sin_0 * sin_0)
        from_axis = A_M * math.cos(math.radians(lat_0)) / math.sqrt(1 - E2 * sin * sin)
        return cls(lon_0, sin_0, cos_0, from_axis / (_RADIUS_M * cos_0))

    def metres(self, lat: Floats, lng: Floats) -> tuple[Floats, Floats] | None:
        """Return metres east and north of the centre; None if one of the positions is too far from it.

        >>> plane = Plane.around(6, -5)
        >>> [metres.round(3).tolist() for metres in plane.metres(np.array([6.0, 7.0]), np.array([-5.0, -5.0]))]
        [[0.0, 0.0], [0.0, 110586.907]]
        """
        half = lng - self.lon_0
        half -= TURN * np.rint(half / TURN)
        limits = ((lat, _FARTHEST_LAT), (lng, HALF_TURN), (half, _FARTHEST_LNG))
        if not all(_within(degrees, most) for degrees, most in limits):
            return None
        sin = _authalic(np.sin(lat * math.radians(1)))
        cos = np.sqrt(1 - sin * sin)
        # The sine of half the angle gives the sine and the cosine of the whole: half the time of asking for both.
        half *= math.radians(0.5)
        np.sin(half, out=half)
        squared = half * half
        toward = (1 - 2 * squared) * cos
        nearness = toward * self.cos_0 + sin * self.sin_0 + 1
        if not nearness.min() >= _LEAST_NEARNESS:
            return None
        scale = np.sqrt(2 * _RADIUS_M**2 / nearness)
        east = half * np.sqrt(1 - squared) * cos * scale * (2 * self.widening)
        north = (sin * self.cos_0 - toward * self.sin_0) * scale * (1 / self.widening)
        return east, north

    def snap(self, lat: Floats, lng: Floats, cell_m: int, out: tuple[Ints32, Ints32]) -> Ints64:
        """Write the cells of positions into columns; return the rows that PROJ may see in another cell.

        >>> cells = np.empty(2, np.int32), np.empty(2, np.int32)
        >>> Plane.around(6, -5).snap(np.array([6.0, 7.0]), np.array([-5.0, -4.0]), 100, cells)
        array([0])
        >>> [column[1].item() for column in cells]
        [1104, 1106]
        """
        unsure = np.zeros(lat.size, np.bool_)
        for start in range(0, lat.size, CACHED_ROWS):
            piece = slice(start, start + CACHED_ROWS)
            metres = self.metres(lat[piece], lng[piece])
            if metres is None:
                unsure[piece] = True
                continue
            for column, values in zip(out, metres, strict=True):
                values /= cell_m
                cells = np.floor(values)
                column[piece] = cells
                values -= cells
                values -= 0.5
                unsure[piece] |= np.abs(values, out=values) > 0.5 - WITHIN_M / cell_m
        return np.flatnonzero(unsure)


def _authalic(sin: Floats) -> Floats:
    """Return sines of the latitudes on a sphere of equal area; takes those on the ellipsoid."""
    squared = sin * sin
    result = np.full_like(sin, _SERIES[0])
    for term in _SERIES[1:]:
        result *= squared
        result += term
    result *= sin
    return result


def _within(degrees: Floats, most: float) -> bool:
    """Tell whether all are at most so many degrees from zero; what is no number is not."""
    return bool(degrees.min() >= -most and degrees.max() <= most)
