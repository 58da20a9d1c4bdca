"""The way in: any accepted input becomes :class:`Traces`, :class:`Fixes` or :class:`Profiles`, with a report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import polars as pl
import pyarrow as pa

from shoal.data import schemas
from shoal.data.call_profiles import Building, CallProfiles, read_call_profiles
from shoal.data.fixes import Fixes, fixes_from_points
from shoal.data.grid import Grid
from shoal.data.layout import Floats, Ints32, Ints64, joined
from shoal.data.loading import names_in
from shoal.data.options import ReadOptions, chosen_options
from shoal.data.profile_table import read_profile_table
from shoal.data.profiles import Profiles
from shoal.data.projection import Projection
from shoal.data.sightings import Sightings, read_sightings
from shoal.data.stream import Identifiers, SightingStream
from shoal.data.times import SECOND_US
from shoal.data.traces import Traces, traces_from_columns, traces_from_samples
from shoal.data.values import people_of
from shoal.errors import DataError, ParameterError, given
from shoal.progress import Progress

Data = TypeVar("Data", Traces, Fixes, Profiles)


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What was read: counts only, no value of the data.

    Attributes
    ----------
    kind
        What the input held: points, cells, calls or profiles.
    rows, records
        Rows of the input, and those that keep all rules.
    points
        Positions that the records give (a call gives two, its start and its end; profiles have none).
    merged
        Points that fell on a sample already there, in the same cell and time step. None do where nothing is snapped.
    time_zone
        Where the zone of the times came from; None for profiles, which have no times.
    dropped
        ``{rule: rows}`` for the rows that break one.
    building
        What was noticed while profiles were built from calls; None for anything else.
    """

    kind: schemas.InputKind
    rows: int
    records: int
    points: int
    merged: int
    time_zone: str | None
    ignored_columns: tuple[str, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    building: Building | None = None


def read(
    source: Any,
    *,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    progress: Progress | None = None,
    **named: Any,
) -> Traces:
    """Read points, cell events or call records into :class:`Traces`: snapped to a grid, each sample once.

    Parameters
    ----------
    source
        A path (Parquet, CSV, CSV.gz, a directory of such parts, a Geolife or Cabspotting tree), a pattern such as
        ``events-*.parquet``, or a list of these; or a pandas, polars, pyarrow or geopandas frame, or anything with the
        Arrow C stream. Never changed.
    grid
        What to snap to; 100 m and 60 s by default.
    progress
        Told how far reading is, where files are read: rows of Parquet, bytes of CSV, files of a tree.
    options, **named
        :class:`ReadOptions`, or its fields by name.

    Examples
    --------
    >>> import polars as pl
    >>> events = pl.DataFrame({"uid": ["a"], "datetime": ["2020-01-01T00:00:00Z"], "lat": [6.1], "lng": [-5.2]})
    >>> read(events)
    Traces(1 person, 1 sample, 100 m × 60 s)
    >>> read(events, grid=Grid(cell_m=50, dt_s=30), bad_rows="drop")
    Traces(1 person, 1 sample, 50 m × 30 s)
    """
    return read_as(Traces, source, grid, chosen_options(options, named), progress)[0]


def read_fixes(
    source: Any, *, options: ReadOptions | None = None, progress: Progress | None = None, **named: Any
) -> Fixes:
    """Read points, cell events or call records into :class:`Fixes`: raw, to the microsecond, duplicates kept.

    Parameters
    ----------
    source, options, progress, **named
        As for :func:`read`.

    Examples
    --------
    >>> events = {"uid": ["a", "a"], "datetime": ["2020-01-01T00:00:00.25Z"] * 2, "lat": [6.1] * 2, "lng": [-5.2] * 2}
    >>> fixes = read_fixes(events)
    >>> fixes, fixes.t_us
    (Fixes(1 person, 2 points), array([1577836800250000, 1577836800250000]))
    """
    return read_as(Fixes, source, None, chosen_options(options, named), progress)[0]


def read_profiles(
    source: Any, *, options: ReadOptions | None = None, progress: Progress | None = None, **named: Any
) -> Profiles:
    """Read a table of call profiles, or call records, into :class:`Profiles`.

    Parameters
    ----------
    source
        As for :func:`read`, with the columns ``uid, municipality`` and six for each week from 1 on, such as
        ``w1_weekday_night``; or call records, from which profiles are built as :func:`build_profiles` does.
    options, progress, **named
        As for :func:`read`; for a table of profiles only ``columns``, ``person`` and ``bad_rows`` are of use.

    Examples
    --------
    >>> from shoal.contract.kinds import cell_names
    >>> read_profiles({"uid": ["a"], "municipality": ["Pisa"]} | {name: [0.5] for name in cell_names(4)})
    Profiles(1 row, 4 weeks)
    """
    return read_as(Profiles, source, None, chosen_options(options, named), progress)[0]


def build_profiles(
    source: Any,
    *,
    options: ReadOptions | None = None,
    engine: Any = None,
    progress: Progress | None = None,
    **named: Any,
) -> tuple[Profiles, ReadReport]:
    """Build call profiles from call records, and tell what was noticed on the way.

    Parameters
    ----------
    source
        As for :func:`read`, with the columns ``uid, datetime, duration, cell_start, cell_end``.
    options, progress, **named
        As for :func:`read`. ``cells`` (``cell, municipality``) and ``tz``, the local time zone, are needed.
    engine
        An engine that can build them where the calls are, such as :class:`shoal.Spark`; here by default.

    Examples
    --------
    >>> calls = {"uid": ["a"], "datetime": ["2024-01-01T09:00"], "duration": [60], "cell_start": [1], "cell_end": [2]}
    >>> cells = {"cell": [1, 2], "municipality": ["Pisa", "Lucca"]}
    >>> build_profiles(calls, cells=cells, tz="Europe/Rome")[0]
    Profiles(2 rows, 1 week)
    """
    options = chosen_options(options, named)
    built = engine.call_profiles(source, options) if engine is not None else None
    if built is not None:
        return _with_report(built)
    if not schemas.are_calls(names_in(source, options), options.columns):
        raise DataError(
            "no call records: no cell_start, no cell_end",
            expected="columns uid, datetime, duration, cell_start, cell_end",
            hint="name them with `columns`, or read profiles that are built already with read_profiles",
        )
    return read_as(Profiles, source, None, options, progress)


def read_with_report(
    source: Any,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    *,
    progress: Progress | None = None,
    **named: Any,
) -> tuple[Traces, ReadReport]:
    """Read as :func:`read` does, and tell what was read.

    >>> events = {"uid": ["a", "b"], "datetime": ["2020-01-01T00:00Z"] * 2, "lat": [6.1, 91], "lng": [-5.2, -5.2]}
    >>> read_with_report(events, bad_rows="drop")[1].dropped
    {'latitude': 1}
    """
    return read_as(Traces, source, grid, chosen_options(options, named), progress)


def read_as(
    takes: type[Data],
    source: Any,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    progress: Progress | None = None,
) -> tuple[Data, ReadReport]:
    """Read what something takes, and tell what was read.

    Parameters
    ----------
    takes
        :class:`Traces`, :class:`Fixes` or :class:`Profiles`.
    source, options, progress
        As for :func:`read`.
    grid
        As for :func:`read`; for traces only, since nothing else is snapped.

    Examples
    --------
    >>> events = {"uid": ["a"], "datetime": ["2020-01-01T00:00Z"], "lat": [6.1], "lng": [-5.2]}
    >>> read_as(Fixes, events)[0]
    Fixes(1 person, 1 point)
    """
    grid, options = Grid() if grid is None else grid, chosen_options(options, {})
    check_grid(takes, grid)
    readers: dict[type, Callable[[Any, Grid, ReadOptions, Progress | None], tuple[Any, ReadReport]]] = {
        Traces: _read_traces,
        Fixes: _read_fixes,
        Profiles: _read_profiles,
    }
    data, report = readers[takes](source, grid, options, progress)
    return data, report


def check_grid(takes: type[Any], grid: Grid) -> None:
    """Refuse a grid that is none, that samples cannot be measured on, or that nothing is snapped to."""
    if not isinstance(grid, Grid):
        raise ParameterError(
            f"`grid` of type {type(grid).__name__}", expected="a Grid", hint="for example Grid(cell_m=50, dt_s=30)"
        )
    if takes is not Traces and grid != Grid():
        name, value = ("cell_m", grid.cell_m) if grid.cell_m != Grid().cell_m else ("dt_s", grid.dt_s)
        raise ParameterError(
            given(f"grid.{name}", value), expected="no grid: nothing is snapped here", hint="leave it out"
        )
    if takes is Traces:
        grid.check_caps()


def _read_traces(source: Any, grid: Grid, options: ReadOptions, progress: Progress | None) -> tuple[Traces, ReadReport]:
    found, who = SightingStream(source, options, progress), Identifiers()
    owners, steps = list[Ints32](), list[Ints32]()
    lats, lngs = list[Floats](), list[Floats]()
    for frame in found:
        owners.append(who.numbers(frame["uid"]))
        steps.append(_steps(frame["epoch_us"].to_numpy(), grid))
        # Copies: a column would hold on to all that was read with it.
        lats.append(frame["lat"].to_numpy().copy())
        lngs.append(frame["lng"].to_numpy().copy())
        del frame
    lat, lng = joined(lats), joined(lngs)
    crs = Projection.around(lat, lng)
    x, y = crs.cells(lat, lng, grid.cell_m)
    points = lat.size
    del lat, lng
    people, place = who.sorted()
    columns = [place[joined(owners)], joined(steps), x, y]
    del x, y
    traces = traces_from_columns(_as_arrow(people), columns, crs, grid)
    return traces, _report(found, points=points, merged=points - traces.samples)


def traces_from_points(
    people: pa.StringArray,
    owner: np.ndarray[Any, np.dtype[np.integer]],
    t_us: Ints64,
    lat: Floats,
    lng: Floats,
    crs: Projection,
    grid: Grid,
) -> Traces:
    """Snap points to a grid.

    Parameters
    ----------
    people, owner, t_us, lat, lng
        As :func:`shoal.data.fixes.fixes_from_points` takes them.
    crs, grid
        What to snap to.
    """
    x, y = crs.cells(lat, lng, grid.cell_m)
    return traces_from_samples(people, owner, _steps(t_us, grid), x, y, crs, grid)


def _steps(t_us: Ints64, grid: Grid) -> Ints32:
    """Count times in steps of a grid."""
    steps = t_us // (grid.dt_s * SECOND_US)
    if steps.max(initial=0) > np.iinfo(np.int32).max:
        raise DataError(
            "times too late for so fine a time step", expected="times before 2038", hint="use `grid.dt_s=60`"
        )
    return steps.astype(np.int32)


def _read_fixes(source: Any, _: Grid, options: ReadOptions, progress: Progress | None) -> tuple[Fixes, ReadReport]:
    if isinstance(source, Traces):
        raise DataError(
            "traces, which are snapped to a grid", expected="raw points", hint="read the original with read_fixes"
        )
    found = read_sightings(source, options, progress)
    return fixes_from_points(*_columns(found)), _report(found, points=found.frame.height, merged=0)


def _read_profiles(
    source: Any, _: Grid, options: ReadOptions, progress: Progress | None
) -> tuple[Profiles, ReadReport]:
    if schemas.are_calls(names_in(source, options), options.columns):
        return _with_report(read_call_profiles(source, options, progress))
    found = read_profile_table(source, options, progress)
    records = len(found.profiles)
    report = ReadReport("profiles", found.rows, records, 0, 0, None, found.ignored_columns, found.dropped)
    return found.profiles, report


def _with_report(built: CallProfiles) -> tuple[Profiles, ReadReport]:
    left_out = (built.ignored_columns, built.dropped)
    counts = (built.rows, built.records, 2 * built.records, 0)
    return built.profiles, ReadReport("calls", *counts, built.time_zone, *left_out, built.building)


def _columns(found: Sightings) -> tuple[pa.StringArray, np.ndarray[Any, np.dtype[np.integer]], Ints64, Floats, Floats]:
    """Sorted identifiers; then, per position: an index of them, microseconds, degrees."""
    people, owner = people_of(found.frame["uid"])
    t_us, lat, lng = (found.frame[name].to_numpy() for name in ("epoch_us", "lat", "lng"))
    return _as_arrow(people), owner, t_us, lat, lng


def _as_arrow(people: pl.Series) -> pa.StringArray:
    return pa.array(people.to_arrow()).cast(pa.string())


def _report(found: Sightings | SightingStream, *, points: int, merged: int) -> ReadReport:
    return ReadReport(
        found.kind,
        found.rows,
        found.records,
        points,
        merged,
        found.time_zone,
        found.ignored_columns,
        dict(found.dropped),
    )
