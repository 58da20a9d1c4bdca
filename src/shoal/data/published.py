"""What is published of a release, for other libraries: frames, and geometries in WGS84 degrees."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from shoal.contract.files import STAMP
from shoal.contract.kinds import BOXES, POINTS, Kind
from shoal.data import wkb
from shoal.data.frames import FrameOut
from shoal.data.layout import Floats
from shoal.data.projection import Projection
from shoal.errors import DataError, ShoalError
from shoal.shown import table

if TYPE_CHECKING:
    import geopandas as gpd

ROWS = 1 << 18
"""Rows whose geometries are made at a time: a piece of a column of Arrow's cannot hold more than 2 GB."""

_TURN, _HALF_TURN = 360, 180


class Published(Protocol):
    """A release, just made or opened from the disk."""

    @property
    def manifest(self) -> dict[str, Any]: ...
    @property
    def kind(self) -> Kind: ...
    def to_arrow(self) -> pa.Table: ...


class Geometry(NamedTuple):
    """What every row's geometry is, and how some rows get theirs, as well-known binary."""

    type: str
    of: Callable[[pa.Table], pa.BinaryArray]


class PublishedOut(FrameOut):
    """Gives a release its ways out: ``to_polars()``, ``to_pandas()``, ``to_geopandas()``, and the Arrow C stream."""

    __slots__ = ()

    def to_geopandas(self: Published) -> "gpd.GeoDataFrame":
        """The published rows with a geometry: boxes as polygons, points as points, in WGS84 degrees.

        Needs geopandas (``pip install 'shoal[geo]'``).
        """
        try:
            import geopandas
        except ModuleNotFoundError:
            raise ShoalError(
                "geopandas is not installed", expected="geopandas", hint="pip install 'shoal[geo]'"
            ) from None
        geometry = geometry_of(self).of
        outlines = pa.chunked_array([geometry(rows) for rows in pieces(self)], pa.binary())
        places = geopandas.GeoSeries.from_wkb(outlines.to_pandas(), crs="EPSG:4326")
        return geopandas.GeoDataFrame(self.to_arrow().to_pandas(), geometry=places)


def shown_release(title: str, manifest: Mapping[str, Any]) -> str:
    """Show a release in a notebook: what is promised, what is not, and how it was made. No row of it."""
    promise = manifest.get("promise") or {}
    used = {name: value for name, value in (manifest.get("parameters") or {}).items() if value is not None}
    parameters = ", ".join(f"{name} = {value}" for name, value in used.items())
    rows = [
        ("mechanism", f"{manifest.get('mechanism')} ({parameters})" if parameters else manifest.get("mechanism")),
        ("what holds", promise.get("holds")),
        ("against", promise.get("attacker")),
        *(("not covered", words) for words in promise.get("not_covered") or ()),
        *((f"{name.replace('_', ' ')}, about", count) for name, count in (manifest.get("counts") or {}).items()),
    ]
    if manifest.get(STAMP):
        rows.append(("stamped", "not for release"))
    return table(title, rows)


def pieces(release: Published) -> Iterator[pa.Table]:
    """The published rows, some at a time; an empty piece where there are none."""
    rows = release.to_arrow()
    for start in range(0, max(rows.num_rows, 1), ROWS):
        yield rows.slice(start, ROWS)


def geometry_of(release: Published) -> Geometry:
    """Tell what the geometries of a release are, and how to make them."""
    if release.kind is BOXES:
        crs = Projection.named(str(release.manifest.get("crs")))
        return Geometry("Polygon", lambda rows: _outlines(rows, crs))
    if release.kind is POINTS:
        return Geometry("Point", points_of)
    raise DataError(
        f"a release of {release.kind.name}, which have no places on a map",
        expected="a release of boxes or points",
        hint="its table is data.parquet as it is; to_pandas() and to_polars() give it",
    )


def points_of(rows: pa.Table) -> pa.BinaryArray:
    """Points as they are published: where somebody was put, or the middle of the box."""
    return wkb.points(rows["lng"].to_numpy(), rows["lat"].to_numpy())


def _outlines(rows: pa.Table, crs: Projection) -> pa.BinaryArray:
    """The corners of boxes, counterclockwise from the south-west one. Their sides are straight on the release's map."""
    sides = {name: rows[name].to_numpy().astype(np.float64) for name in ("x_min", "x_max", "y_min", "y_max")}
    x = np.column_stack([sides[name] for name in ("x_min", "x_max", "x_max", "x_min")])
    y = np.column_stack([sides[name] for name in ("y_min", "y_min", "y_max", "y_max")])
    lat, lng = (column.reshape(x.shape) for column in crs.inverse(x.ravel(), y.ravel()))
    return wkb.quadrangles(_unbroken(lng), lat)


def _unbroken(lng: Floats) -> Floats:
    """Go on beyond 180 degrees where a box lies across the antimeridian: a polygon must not go round the globe.

    >>> _unbroken(np.array([[179.0, -179.0, -179.0, 179.0]])).tolist()
    [[179.0, 181.0, 181.0, 179.0]]
    """
    steps = (np.diff(lng, axis=1, append=lng[:, :1]) + _HALF_TURN) % _TURN - _HALF_TURN
    if (np.abs(steps.sum(axis=1)) > _HALF_TURN).any():
        raise DataError(
            "a box with a pole in it",
            expected="boxes whose outline can be drawn in degrees",
            hint="its sides in metres are in data.parquet",
        )
    return np.column_stack([lng[:, 0], lng[:, :1] + np.cumsum(steps[:, :3], axis=1)])
