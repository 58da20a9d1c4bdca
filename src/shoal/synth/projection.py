"""Between metres on a plane and degrees on the globe."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pyproj import Proj

Floats = NDArray[np.float64]


class Plane(NamedTuple):
    """The Lambert azimuthal equal-area plane around a centre, in metres east and north of it.

    Equal area, because what is calibrated are areas and densities; the papers use the same projection.
    """

    lat: float
    lng: float

    def to_degrees(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return latitudes and longitudes, rounded to six decimals (0.1 m)."""
        lng, lat = _projection(self)(x, y, inverse=True)
        return np.round(lat, 6), np.round(lng, 6)

    def to_metres(self, lat: Floats, lng: Floats) -> tuple[Floats, Floats]:
        """Return metres east and north of the centre."""
        x, y = _projection(self)(lng, lat)
        return np.asarray(x), np.asarray(y)


def _projection(plane: Plane) -> "Proj":
    from pyproj import Proj  # imported late: it takes longer than most of what is done here

    return Proj(proj="laea", lat_0=plane.lat, lon_0=plane.lng, datum="WGS84", units="m")
