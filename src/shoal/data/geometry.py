"""Points that come as WKB or WKT, the way trackintel, movingpandas and GeoParquet store them."""

import numpy as np
import polars as pl

from shoal.errors import DataError

_WKB_POINT_BYTES = 21


def lat_lng_of(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Return latitude and longitude (null where the value is no point)."""
    if hasattr(column.dtype, "ext_storage"):
        # GeoParquet marks its binary columns as geoarrow.wkb, which newer versions of polars keep as a type of its own.
        column = column.ext.storage()
    if column.dtype == pl.Binary:
        return _from_wkb(column)
    if column.dtype in (pl.String, pl.Categorical) or isinstance(column.dtype, pl.Enum):
        return _from_wkt(column.cast(pl.String))
    raise DataError(
        f"a geometry column of type {column.dtype}",
        expected="WKB or WKT points",
        hint="write it with to_wkb()",
    )


def _from_wkt(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    number = r"([-+0-9.eE]+)"
    found = column.str.extract_groups(rf"(?i)^\s*POINT\s*Z?\s*\(\s*{number}\s+{number}")
    lng, lat = (found.struct.field(name).cast(pl.Float64, strict=False) for name in ("1", "2"))
    return lat, lng


def _from_wkb(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Decode all points at once: byte order, type (1 is a point), then two doubles."""
    usable = (column.bin.size() == _WKB_POINT_BYTES).fill_null(False)
    raw = np.frombuffer(b"".join(column.filter(usable).to_list()), np.uint8).reshape(-1, _WKB_POINT_BYTES)
    little = raw[:, 0] == 1
    coordinates = np.empty((len(raw), 2))
    kinds = np.empty(len(raw), np.uint32)
    for order, rows in (("<", little), (">", ~little)):
        kinds[rows] = np.ascontiguousarray(raw[rows, 1:5]).view(f"{order}u4")[:, 0]
        coordinates[rows] = np.ascontiguousarray(raw[rows, 5:]).view(f"{order}f8")
    coordinates[kinds != 1] = np.nan
    both = np.full((column.len(), 2), np.nan)
    both[usable.to_numpy()] = coordinates
    return pl.Series(both[:, 1]), pl.Series(both[:, 0])
