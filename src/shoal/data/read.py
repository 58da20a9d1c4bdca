"""The way in: any accepted input becomes :class:`Traces`, with a report of what was read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.data import rules, schemas, sources
from shoal.data.frames import frame_to_polars
from shoal.data.geometry import lat_lng_of
from shoal.data.grid import Grid
from shoal.data.projection import Projection
from shoal.data.times import check_zone, to_epoch_seconds
from shoal.data.traces import Traces, traces_from_samples
from shoal.data.trees import read_tree
from shoal.errors import DataError, ParameterError

BadRows = Literal["stop", "drop"]

_RAGGED = "columns"


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to understand an input; the same names as on the command line.

    Attributes
    ----------
    columns
        ``{canonical name: column of the input}``, for inputs with other names.
    schema
        A preset: skmob, trackintel, movingpandas, geolife or cabspotting.
    cells
        The cells table (``cell, lat, lng``), for inputs that name cells.
    tz
        The zone of times that carry none.
    person
        A column that says who a uid belongs to, where one person has several.
    bad_rows
        ``stop`` at the first row that breaks a rule, or ``drop`` and count such rows.
    allow_zero
        Accept the position (0, 0).
    """

    columns: Mapping[str, str] | None = None
    schema: str | None = None
    cells: Any = None
    tz: str | None = None
    person: str | None = None
    bad_rows: BadRows = "stop"
    allow_zero: bool = False

    def __post_init__(self) -> None:
        if self.tz is not None:
            check_zone(self.tz)
        if self.bad_rows not in ("stop", "drop"):
            raise ParameterError(f"--bad-rows {self.bad_rows}", expected="stop or drop", hint="stop is the default")


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What was read: counts only, no value of the data.

    Attributes
    ----------
    rows, records
        Rows of the input, and those that keep all rules.
    dropped
        ``{rule: rows}`` for the rows that break one.
    points
        Positions that the records give (a call gives two, its start and its end).
    merged
        Points that fell on a sample already there, in the same cell and time step.
    """

    kind: schemas.Kind
    rows: int
    records: int
    points: int
    merged: int
    time_zone: str
    ignored_columns: tuple[str, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)


def read(source: Any, *, grid: Grid | None = None, options: ReadOptions | None = None, **named: Any) -> Traces:
    """Read points, cell events or call records into :class:`Traces`.

    Parameters
    ----------
    source
        A path (Parquet, CSV, CSV.gz, a directory of such parts, a Geolife or Cabspotting tree) or a pandas, polars,
        pyarrow or geopandas frame, or anything with the Arrow C stream. Never changed.
    grid
        What to snap to; 100 m and 60 s by default.
    options, **named
        :class:`ReadOptions`, or its fields by name.

    Examples
    --------
    >>> import polars as pl
    >>> events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-01-01T00:00:00Z"], "lat": [6.1], "lng": [-5.2]})
    >>> read(events)
    Traces(1 people, 1 samples, 100 m × 60 s)
    """
    return read_with_report(source, grid or Grid(), options or ReadOptions(**named))[0]


def read_with_report(source: Any, grid: Grid, options: ReadOptions) -> tuple[Traces, ReadReport]:
    """Read, and tell what was read."""
    grid.check_caps()
    kind, frame, ignored, ragged = _load(source, options)
    rows = frame.height + ragged
    if not rows:
        # Before any look at types: columns without values have none.
        raise DataError("no rows", expected="at least one record", hint="was the export finished?")
    prepared, time_zone = _prepare(kind, frame, options)
    row_rules = _rules_for(kind, allow_zero=options.allow_zero)
    breaches = rules.breaches_of(prepared, row_rules)
    if breaches and options.bad_rows == "stop":
        raise min(breaches, key=lambda breach: breach.first_row).error()
    kept = rules.without_breaches(prepared, breaches)
    if not kept.height:
        raise DataError(
            "no row that keeps the rules; rows that break the one on "
            + ", ".join(f"{breach.rule.name}: {breach.rows:,}" for breach in breaches),
            expected=breaches[0].rule.expected,
            hint=breaches[0].rule.hint,
        )
    points = _call_ends_as_points(kept) if kind == "calls" else kept
    traces = _to_traces(points, grid)
    dropped = {breach.rule.name: breach.rows for breach in breaches}
    if ragged:
        dropped[_RAGGED] = ragged
    report = ReadReport(
        kind, rows, kept.height, points.height, points.height - traces.samples, time_zone, ignored, dropped
    )
    return traces, report


def _load(source: Any, options: ReadOptions) -> tuple[schemas.Kind, pl.DataFrame, tuple[str, ...], int]:
    """Return the kind of input, its columns under their canonical names, the ignored ones and ragged rows."""
    preset = schemas.find_preset(options.schema) if options.schema else None
    ragged = 0
    if isinstance(source, str | Path):
        path = Path(source)
        if preset is not None and preset.tree is not None and not path.is_file():
            frame, available = read_tree(preset.tree, path), None
        else:
            frame, available = None, sources.columns_of(path)
    else:
        frame, available = frame_to_polars(source), None
    names = available if available is not None else (frame.columns if frame is not None else [])
    kind, mapping = schemas.resolve(names, options.columns, preset, options.person)
    if frame is None:
        raw = sources.read_columns(Path(source), sorted(set(mapping.values())), drop_ragged=options.bad_rows == "drop")
        frame, ragged = raw.frame, raw.ragged_rows
    ignored = tuple(name for name in names if name not in mapping.values())
    return (
        kind,
        frame.select([pl.col(actual).alias(name) for name, actual in mapping.items()]),
        ignored,
        ragged,
    )


def _prepare(kind: schemas.Kind, frame: pl.DataFrame, options: ReadOptions) -> tuple[pl.DataFrame, str]:
    """Bring the columns to the types that the rules and the grid work on."""
    epoch_s, time_zone = to_epoch_seconds(frame["datetime"], options.tz)
    uid = _as_identifier(frame["uid"], "uid")
    columns = [uid.alias("uid"), _blank(uid).alias("uid_blank"), epoch_s.alias("epoch_s")]
    if kind == "points":
        lat, lng = (
            lat_lng_of(frame[schemas.GEOMETRY])
            if schemas.GEOMETRY in frame.columns
            else (_as_number(frame["lat"]), _as_number(frame["lng"]))
        )
        return pl.DataFrame([*columns, lat.alias("lat"), lng.alias("lng")]), time_zone
    places = _read_cells(options)
    if kind == "cells":
        lat, lng = _place_of(frame["cell"], places)
        return pl.DataFrame([*columns, lat.alias("lat"), lng.alias("lng")]), time_zone
    start, end = _place_of(frame["cell_start"], places), _place_of(frame["cell_end"], places)
    both_known = start[0].is_not_null() & end[0].is_not_null()
    return (
        pl.DataFrame(
            [
                *columns,
                _as_number(frame["duration"]).floor().cast(pl.Int64, strict=False).alias("duration_s"),
                start[0].set(~both_known, None).alias("lat"),
                start[1].alias("lng"),
                end[0].alias("lat_end"),
                end[1].alias("lng_end"),
            ]
        ),
        time_zone,
    )


def _rules_for(kind: schemas.Kind, *, allow_zero: bool) -> list[rules.Rule]:
    common = [rules.UID, rules.TIME, rules.YEAR]
    if kind == "points":
        return [*common, rules.NUMBER, rules.LATITUDE, rules.LONGITUDE, *([] if allow_zero else [rules.ZERO])]
    return [*common, rules.CELL] if kind == "cells" else [*common, rules.CELL, rules.DURATION]


def _call_ends_as_points(calls: pl.DataFrame) -> pl.DataFrame:
    """Tell two positions of each call: where and when it started, where and when it ended."""
    start = calls.select("uid", "epoch_s", "lat", "lng")
    end = calls.select("uid", pl.col("epoch_s") + pl.col("duration_s"), lat="lat_end", lng="lng_end")
    return pl.concat([start, end], rechunk=True)


def _read_cells(options: ReadOptions) -> pl.DataFrame:
    """Read the cells table, which is held to the rules for positions."""
    if options.cells is None:
        raise DataError(
            "cells instead of coordinates, and no cells table",
            expected="a table of cell, lat, lng",
            hint="give it with --cells FILE",
        )
    wanted = ["cell", "lat", "lng"]
    if isinstance(options.cells, str | Path):
        path = Path(options.cells)
        _require_cells_columns(sources.columns_of(path))
        frame = sources.read_columns(path, wanted, drop_ragged=False).frame
    else:
        frame = frame_to_polars(options.cells)
        _require_cells_columns(frame.columns)
    frame = pl.DataFrame(
        [
            _as_identifier(frame["cell"], "cell").cast(pl.String).alias("cell"),
            _as_number(frame["lat"]).alias("lat"),
            _as_number(frame["lng"]).alias("lng"),
        ]
    )
    breaches = rules.breaches_of(frame, [rules.NUMBER, rules.LATITUDE, rules.LONGITUDE])
    if breaches:
        raise DataError(
            f"cells table, row {breaches[0].first_row:,}: {breaches[0].rule.found}",
            expected=breaches[0].rule.expected,
            hint="repair the cells table",
        )
    unique = frame.unique()
    if unique["cell"].n_unique() != unique.height:
        raise DataError(
            "a cells table with one cell at two places",
            expected="each cell once",
            hint="keep one row per cell",
        )
    return unique


def _require_cells_columns(names: list[str]) -> None:
    missing = [name for name in ("cell", "lat", "lng") if name not in names]
    if missing:
        raise DataError(
            f"a cells table without {', '.join(missing)}",
            expected="columns cell, lat, lng",
            hint="rename its columns",
        )


def _place_of(cells: pl.Series, places: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    ids = _as_identifier(cells, "cell").cast(pl.String).alias("cell").to_frame()
    joined = ids.join(places, on="cell", how="left", maintain_order="left")
    return joined["lat"], joined["lng"]


def _as_identifier(column: pl.Series, name: str) -> pl.Series:
    """Identifiers are text; whole numbers become their digits; anything else would change them silently."""
    dtype = column.dtype
    if dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum):
        return column
    if dtype.is_integer() or dtype == pl.Null:
        return column.cast(pl.String)
    raise DataError(
        f"a {name} column of type {dtype}",
        expected="text or whole numbers",
        hint="fractions and long numbers lose digits; store identifiers as text",
    )


def _blank(uid: pl.Series) -> pl.Series:
    if uid.dtype == pl.String:
        return pl.select((uid.is_null() | (uid.str.strip_chars() == "")).fill_null(True)).to_series()
    # Few distinct values, many rows: look at the values once.
    distinct = uid.unique()
    blank = distinct.filter(distinct.cast(pl.String).str.strip_chars() == "")
    return uid.is_null() | uid.is_in(blank.implode()) if blank.len() else uid.is_null()


def _as_number(column: pl.Series) -> pl.Series:
    """Return floats, null where the value is none."""
    dtype = column.dtype
    if dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum):
        column = column.cast(pl.String).str.strip_chars()
    elif not dtype.is_numeric() and dtype != pl.Null:
        raise DataError(
            f"a {column.name} column of type {dtype}",
            expected="numbers",
            hint="degrees for positions, seconds for durations",
        )
    return column.cast(pl.Float64, strict=False)


def _to_traces(points: pl.DataFrame, grid: Grid) -> Traces:
    lat, lng = points["lat"].to_numpy(), points["lng"].to_numpy()
    crs = Projection.around(lat, lng)
    steps = points["epoch_s"].to_numpy() // grid.dt_s
    if steps.max() > np.iinfo(np.int32).max:
        raise DataError("times too late for so fine a time step", expected="times before 2038", hint="use --grid-s 60")
    people, owner = _people(points["uid"])
    x, y = crs.cells(lat, lng, grid.cell_m)
    return traces_from_samples(people, owner, steps.astype(np.int32), x, y, crs, grid)


def _people(uid: pl.Series) -> tuple[pa.StringArray, "np.ndarray[Any, np.dtype[np.integer[Any]]]"]:
    """Return the sorted distinct identifiers, and the index of each row's."""
    distinct = uid.unique().cast(pl.String).sort()
    codes = uid.cast(pl.Enum(distinct)).to_physical().to_numpy()
    return pa.array(distinct.to_arrow()).cast(pa.string()), codes
