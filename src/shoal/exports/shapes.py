"""What other libraries call the columns of a trace, and how a box becomes a point without losing its extent."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.contract.kinds import BOXES, Kind

GEOPARQUET = "geoparquet"
"""The shape with the release's own columns and a geometry, not named after a library."""

EXTENT = ("t_start", "t_end", "x_min", "x_max", "y_min", "y_max")
"""Columns of a box that are kept as they are."""

_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Shape:
    """Names of columns.

    Attributes
    ----------
    uid, time, lat, lng
        What a library calls who, when and where.
    geometry
        Its column of geometries; None where it has none.
    points
        Whether boxes become the points in their middle.
    """

    uid: str
    time: str
    lat: str
    lng: str
    geometry: str | None
    points: bool = True


SHAPES = {
    "skmob": Shape("uid", "datetime", "lat", "lng", None),
    "trackintel": Shape("user_id", "tracked_at", "latitude", "longitude", "geom"),
    "movingpandas": Shape("traj_id", "t", "y", "x", "geometry"),
    GEOPARQUET: Shape("uid", "datetime", "lat", "lng", "geometry", points=False),
}


def shaped(rows: pa.Table, kind: Kind, shape: Shape) -> pa.Table:
    """Rename the columns of some published rows; where boxes are to be points, take the middle and keep the extent."""
    rows = rows.set_column(0, "uid", rows["uid"].cast(pa.string()))
    if not shape.points:
        return rows
    boxes = kind is BOXES
    columns = {
        shape.uid: rows["uid"],
        shape.time: _middle(rows) if boxes else rows["datetime"],
        shape.lat: rows["lat"],
        shape.lng: rows["lng"],
    }
    if boxes:
        columns |= {name: rows[name] for name in EXTENT}
        columns |= _half_widths(rows)
    return pa.table(columns)


def _middle(rows: pa.Table) -> pa.Array:
    start, end = _micros(rows)
    return pa.array(start + (end - start) // 2, pa.timestamp("us", "UTC"))


def _half_widths(rows: pa.Table) -> dict[str, pa.Array]:
    """How far the truth may lie from the middle, in each direction."""
    start, end = _micros(rows)
    x, y = (rows[f"{axis}_max"].to_numpy() / 2 - rows[f"{axis}_min"].to_numpy() / 2 for axis in "xy")
    return {"half_x_m": pa.array(x), "half_y_m": pa.array(y), "half_t_s": pa.array((end - start) / 2 / _SECOND_US)}


def _micros(rows: pa.Table) -> list[np.ndarray]:
    return [rows[name].cast(pa.int64()).to_numpy() for name in ("t_start", "t_end")]
