"""The way in: any accepted input becomes :class:`Traces`, with a report of what was read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.data import schemas
from shoal.data.grid import Grid
from shoal.data.options import ReadOptions
from shoal.data.points import read_points
from shoal.data.projection import Projection
from shoal.data.traces import Traces, traces_from_samples
from shoal.data.values import people_of
from shoal.errors import DataError


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
    found = read_points(source, options)
    traces = _to_traces(found.frame, grid)
    points = found.frame.height
    report = ReadReport(
        found.kind,
        found.rows,
        found.records,
        points,
        points - traces.samples,
        found.time_zone,
        found.ignored_columns,
        found.dropped,
    )
    return traces, report


def _to_traces(points: pl.DataFrame, grid: Grid) -> Traces:
    lat, lng = points["lat"].to_numpy(), points["lng"].to_numpy()
    crs = Projection.around(lat, lng)
    steps = points["epoch_s"].to_numpy() // grid.dt_s
    if steps.max() > np.iinfo(np.int32).max:
        raise DataError("times too late for so fine a time step", expected="times before 2038", hint="use --grid-s 60")
    people, owner = people_of(points["uid"])
    x, y = crs.cells(lat, lng, grid.cell_m)
    names = pa.array(people.to_arrow()).cast(pa.string())
    return traces_from_samples(names, owner, steps.astype(np.int32), x, y, crs, grid)
