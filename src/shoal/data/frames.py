"""The edge to other libraries' frames: anything Arrow in, polars, pandas or Arrow out."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl
import pyarrow as pa

from shoal.data.arrow import to_polars, zones_in
from shoal.data.words import told_all
from shoal.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


class _HasArrow(Protocol):
    def to_arrow(self) -> pa.Table: ...


class FrameOut:
    """Gives a class with ``to_arrow()`` the other ways out."""

    __slots__ = ()

    def to_polars(self: _HasArrow) -> pl.DataFrame:
        frame = pl.from_arrow(self.to_arrow())
        assert isinstance(frame, pl.DataFrame)
        return frame

    def to_pandas(self: _HasArrow) -> "pd.DataFrame":
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self: _HasArrow, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def table_of(frame: Any) -> Any:
    """Take a frame of any library without changing it, as a frame of polars or a table of Arrow.

    A geopandas frame brings its points as a geometry column, which becomes ``lat`` and ``lng``; everything else
    must speak the Arrow C stream.
    """
    if isinstance(frame, pl.DataFrame):
        return frame
    try:
        if isinstance(frame, pl.LazyFrame):
            return frame.collect()
        if hasattr(frame, "geometry") and hasattr(frame, "to_crs"):
            table = _from_geopandas(frame)
        elif any(base.__module__.partition(".")[0] == "pandas" for base in type(frame).__mro__):
            table = _from_pandas(frame)
        else:
            table = pa.table(frame)
        refuse_doubled_columns(table.column_names)
    except (pa.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError):
        raise DataError(
            f"an object of type {type(frame).__name__} that cannot be read as a table",
            expected="a path, or a pandas, polars, pyarrow or geopandas frame, or anything with the Arrow C stream",
            hint="columns that mix types are a common cause",
        ) from None
    return table


def names_of(table: Any) -> list[str]:
    names: list[str] = table.columns if isinstance(table, pl.DataFrame) else table.column_names
    return names


def columns_from(table: Any, columns: Sequence[str]) -> tuple[pl.DataFrame, dict[str, str]]:
    """Take some columns out of a frame, as polars; and ``{column: zone}`` of those that hold times with a zone."""
    if isinstance(table, pl.DataFrame):
        return table[list(columns)], {}
    chosen = {name: table[name] for name in columns}
    try:
        return to_polars(chosen), zones_in(chosen)
    except (pa.ArrowException, UnicodeDecodeError):
        raise DataError(
            "a column whose values are damaged",
            expected="text in UTF-8, and dictionaries that hold every value",
            hint="check how the table was made",
        ) from None


def refuse_doubled_columns(names: Sequence[str]) -> None:
    doubled = [name for name, times in Counter(names).items() if times > 1]
    if doubled:
        raise DataError(
            f"more than one column named {told_all([repr(name) for name in sorted(doubled)])}",
            expected="each column once",
            hint="rename or drop the extra column",
        )


def _from_pandas(frame: Any) -> pa.Table:
    """Columns and the index where it has a name, as movingpandas' index of times has."""
    refuse_doubled_columns([str(name) for name in frame.columns])
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return pa.Table.from_pandas(frame.reset_index(named) if named else frame, preserve_index=False)


def _from_geopandas(frame: Any) -> pa.Table:
    if frame.crs is not None and frame.crs.to_epsg() != 4326:
        raise DataError(
            "a geopandas frame in another coordinate system",
            expected="WGS84 (EPSG:4326)",
            hint="call .to_crs(4326) first",
        )
    points = frame.geometry
    if not bool((points.geom_type.isna() | (points.geom_type == "Point")).all()):
        raise DataError(
            "geometries that are not points",
            expected="one point per row",
            hint="lines and polygons have no single position",
        )
    plain = _from_pandas(frame.drop(columns=points.name))
    for name, values in (("lat", points.y), ("lng", points.x)):
        if name not in plain.column_names:
            plain = plain.append_column(name, pa.array(values.to_numpy(), pa.float64()))
    return plain
