"""From latitude and longitude to metres on a plane, and back (``algorithms.md`` §0).

Lambert azimuthal equal-area on WGS84, as in GLOVE §3. The centre is the median position rounded to whole
degrees: an exact centroid would tell strangers something about the people, and a single outlier would move it.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.chunks import CACHED_ROWS, in_chunks
from shoal.data.degrees import HALF_TURN, east_of_widest_gap, on_circle, wrapped
from shoal.data.laea import Plane
from shoal.data.layout import Floats, Ints32, Ints64
from shoal.errors import DataError

if TYPE_CHECKING:
    from pyproj import Proj


_CHUNK = 100_000

_NAMED = re.compile(r"\+proj=laea \+lat_0=(-?\d{1,2}) \+lon_0=(-?\d{1,3}) \+datum=WGS84 \+units=m \+no_defs")


@dataclass(frozen=True, slots=True)
class Projection:
    """Lambert azimuthal equal-area around a point of whole degrees.

    >>> Projection(6, -5).proj
    '+proj=laea +lat_0=6 +lon_0=-5 +datum=WGS84 +units=m +no_defs'
    """

    lat_0: int
    lon_0: int

    @classmethod
    def around(cls, lat: Floats, lng: Floats) -> "Projection":
        """Centre on the median position, rounded to whole degrees; sound across the antimeridian."""
        if lat.size == 0:
            return cls(0, 0)
        return cls(_whole_median(lat), _median_longitude(lng))

    @classmethod
    def named(cls, proj: str) -> "Projection":
        """The map that a manifest names.

        >>> Projection.named("+proj=laea +lat_0=6 +lon_0=-5 +datum=WGS84 +units=m +no_defs")
        Projection(lat_0=6, lon_0=-5)
        """
        found = _NAMED.fullmatch(proj)
        if found is None:
            raise DataError(
                "a map that no release of Shoal's has", expected="the crs of a release of boxes", hint="see shoal audit"
            )
        return cls(int(found[1]), int(found[2]))

    @property
    def proj(self) -> str:
        return f"+proj=laea +lat_0={self.lat_0} +lon_0={self.lon_0} +datum=WGS84 +units=m +no_defs"

    def cells(self, lat: Floats, lng: Floats, cell_m: int) -> tuple[Ints32, Ints32]:
        """Columns and rows of the grid's cells that hold these positions; finite coordinates only.

        Far from the edges of a cell a closed form tells which one it is; PROJ is asked about the others.
        """
        out = np.empty(lat.size, np.int32), np.empty(lat.size, np.int32)
        plane = Plane.around(self.lat_0, self.lon_0)

        def snap(part: slice) -> None:
            here = out[0][part], out[1][part]
            unsure = plane.snap(lat[part], lng[part], cell_m, here) if plane else np.arange(part.stop - part.start)
            if unsure.size:
                self._snap_exactly(lat[part], lng[part], cell_m, here, unsure)

        in_chunks(snap, lat.size, _CHUNK)
        return out

    def _snap_exactly(self, lat: Floats, lng: Floats, cell_m: int, out: tuple[Ints32, Ints32], rows: Ints64) -> None:
        """Write the cells of some rows into columns, as PROJ sees them."""
        metres = self._proj()(lng[rows], lat[rows])
        for column, values in zip(out, metres, strict=True):
            if not np.isfinite(values).all():
                raise DataError(
                    "a position opposite to the rest of the data on the globe",
                    expected="positions that one map can hold",
                    hint="drop such outliers first",
                )
            column[rows] = np.floor(values / cell_m)

    def inverse(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Latitude and longitude of points given in metres."""
        lat, lng = np.empty(x.size), np.empty(x.size)

        def unproject(part: slice) -> None:
            lng[part], lat[part] = self._proj()(x[part], y[part], inverse=True)

        in_chunks(unproject, x.size, _CHUNK)
        if not (np.isfinite(lat).all() and np.isfinite(lng).all()):
            raise DataError(
                "a cell whose centre lies beyond the edge of the map",
                expected="cells that one map can hold",
                hint="use smaller cells, or drop positions on the other side of the globe",
            )
        return lat, lng

    def _proj(self) -> "Proj":
        # PROJ releases the GIL, but one of its objects must not be shared between threads: one per chunk.
        from pyproj import Proj

        return Proj(self.proj)


def _median_longitude(lng: Floats) -> int:
    """Median on a circle: cut it in its widest gap without data, then take the ordinary median."""
    if lng.max() - lng.min() > HALF_TURN:
        lng = on_circle(lng, east_of_widest_gap(on_circle(lng)))
    return wrapped(_whole_median(lng))


def _whole_median(degrees: Floats) -> int:
    """The median, rounded: found by counting whole degrees, a fraction of the time of finding the median itself.

    >>> _whole_median(np.array([1.4, 2.6, 2.8])), _whole_median(np.array([1.4, 2.5]))
    (3, 2)
    """
    first, last = int(np.rint(degrees.min())), int(np.rint(degrees.max()))
    count = np.zeros(last - first + 1, np.int64)
    for start in range(0, degrees.size, CACHED_ROWS):
        whole = np.rint(degrees[start : start + CACHED_ROWS]).astype(np.int64)
        count += np.bincount(whole - first, minlength=count.size)
    below = np.cumsum(count)
    # Of an even number the median is the mean of two; where both round alike, so does whatever lies between them.
    low, high = np.searchsorted(below, [(degrees.size - 1) // 2, degrees.size // 2], side="right")
    return first + int(low) if low == high else int(np.rint(np.median(degrees)))
