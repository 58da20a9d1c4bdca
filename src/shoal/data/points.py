"""Points before any projection or grid: columns found, types brought in order, rules kept."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data import rules, schemas, sources
from shoal.data.cells import place_of, read_cells
from shoal.data.frames import frame_to_polars
from shoal.data.geometry import lat_lng_of
from shoal.data.options import ReadOptions
from shoal.data.times import to_epoch_seconds
from shoal.data.trees import read_tree
from shoal.data.values import as_identifier, as_number, blank
from shoal.errors import DataError

_RAGGED = "columns"


@dataclass(frozen=True, slots=True)
class Points:
    """Positions that keep all rules, and what was found on the way to them.

    Attributes
    ----------
    frame
        ``uid, epoch_s, lat, lng``, a row per position, in the order of the input. With ``person``, uid is the person.
    rows, records
        Rows of the input, and those that keep all rules (a call gives two positions, its start and its end).
    dropped
        ``{rule: rows}`` for the rows that break one.
    """

    frame: pl.DataFrame
    kind: schemas.Kind
    rows: int
    records: int
    time_zone: str
    ignored_columns: tuple[str, ...]
    dropped: dict[str, int]


def read_points(source: Any, options: ReadOptions | None = None) -> Points:
    """Read any accepted input under all rules, and stop before projecting.

    >>> events = pl.DataFrame({"uid": ["b", "a"], "datetime": ["2020-01-01T00:00:01Z"] * 2, "lat": [6.1] * 2,
    ...     "lng": [-5.2] * 2})
    >>> read_points(events).frame.rows()
    [('b', 1577836801, 6.1, -5.2), ('a', 1577836801, 6.1, -5.2)]
    """
    options = options or ReadOptions()
    kind, frame, ignored, ragged = _load(source, options)
    rows = frame.height + ragged
    if not rows:
        # Before any look at types: columns without values have none.
        raise DataError("no rows", expected="at least one record", hint="was the export finished?")
    prepared, time_zone = _prepare(kind, frame, options)
    breaches = rules.breaches_of(prepared, _rules_for(kind, allow_zero=options.allow_zero))
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
    positions = _call_ends_as_points(kept) if kind == "calls" else kept.select("uid", "epoch_s", "lat", "lng")
    dropped = {breach.rule.name: breach.rows for breach in breaches}
    if ragged:
        dropped[_RAGGED] = ragged
    return Points(positions, kind, rows, kept.height, time_zone, ignored, dropped)


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
    uid = as_identifier(frame["uid"], "uid")
    columns = [uid.alias("uid"), blank(uid).alias("uid_blank"), epoch_s.alias("epoch_s")]
    if kind == "points":
        lat, lng = (
            lat_lng_of(frame[schemas.GEOMETRY])
            if schemas.GEOMETRY in frame.columns
            else (as_number(frame["lat"]), as_number(frame["lng"]))
        )
        return pl.DataFrame([*columns, lat.alias("lat"), lng.alias("lng")]), time_zone
    places = read_cells(options)
    if kind == "cells":
        lat, lng = place_of(frame["cell"], places)
        return pl.DataFrame([*columns, lat.alias("lat"), lng.alias("lng")]), time_zone
    start, end = place_of(frame["cell_start"], places), place_of(frame["cell_end"], places)
    both_known = start[0].is_not_null() & end[0].is_not_null()
    return (
        pl.DataFrame(
            [
                *columns,
                as_number(frame["duration"]).floor().cast(pl.Int64, strict=False).alias("duration_s"),
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
