"""Who was where and when, before any projection or grid: columns found, types brought in order, rules kept."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.data import rules, schemas
from shoal.data.cells import place_of, read_cells
from shoal.data.geometry import lat_lng_of
from shoal.data.loading import Kept, Loaded, keep_batch, load, nothing_kept
from shoal.data.options import ReadOptions
from shoal.data.times import SECOND_US, to_epoch_us
from shoal.data.values import as_identifier, as_number, blank
from shoal.progress import Progress


@dataclass(frozen=True, slots=True)
class Sightings:
    """Positions that keep all rules, and what was found on the way to them.

    Attributes
    ----------
    frame
        ``uid, epoch_us, lat, lng``, a row per position, in the order of the input. With ``person``, uid is the person.
    rows, records
        Rows of the input, and those that keep all rules (a call gives two positions, its start and its end).
    dropped
        ``{rule: rows}`` for the rows that break one.
    """

    frame: pl.DataFrame
    kind: schemas.SightingKind
    rows: int
    records: int
    time_zone: str
    ignored_columns: tuple[str, ...]
    dropped: dict[str, int]


def read_sightings(source: Any, options: ReadOptions | None = None, progress: Progress | None = None) -> Sightings:
    """Read points, cell events or call records under all rules, and stop before projecting.

    >>> events = pl.DataFrame({"uid": ["b", "a"], "datetime": ["2020-01-01T00:00:01.5Z"] * 2, "lat": [6.1] * 2,
    ...     "lng": [-5.2] * 2})
    >>> read_sightings(events).frame.rows()
    [('b', 1577836801500000, 6.1, -5.2), ('a', 1577836801500000, 6.1, -5.2)]
    """
    options = options or ReadOptions()
    preset = schemas.find_preset(options.schema) if options.schema else None
    loaded = load(
        source, options, lambda names: schemas.resolve(names, options.columns, preset, options.person), progress
    )
    kind = schemas.kind_of_sightings(loaded.frame.columns)
    positions, kept, time_zone = positions_in(loaded, options)
    if not kept.frame.height:
        raise nothing_kept(kept.dropped, rules_for(kind, allow_zero=options.allow_zero))
    return Sightings(positions, kind, loaded.rows, kept.frame.height, time_zone, loaded.ignored_columns, kept.dropped)


def positions_in(loaded: Loaded, options: ReadOptions) -> tuple[pl.DataFrame, Kept, str]:
    """Find the positions among some rows, under all rules; of a batch of many nothing may be left.

    Returns ``uid, epoch_us, lat, lng``, the rows that they come from, and where the zone came from.
    """
    kind = schemas.kind_of_sightings(loaded.frame.columns)
    prepared, time_zone = _prepare(kind, loaded, options)
    kept = keep_batch(prepared, rules_for(kind, allow_zero=options.allow_zero), options, loaded)
    positions = _call_ends_as_points(kept.frame) if kind == "calls" else kept.frame[["uid", "epoch_us", "lat", "lng"]]
    return positions, kept, time_zone


def _prepare(kind: schemas.SightingKind, loaded: Loaded, options: ReadOptions) -> tuple[pl.DataFrame, str]:
    """Bring the columns to the types that the rules and the grid work on."""
    frame = loaded.frame
    epoch_us, time_zone = to_epoch_us(frame["datetime"], options.tz, loaded.zones.get("datetime"))
    uid = as_identifier(frame["uid"], "uid")
    columns = [uid.alias("uid"), blank(frame["uid"]).alias("uid_blank"), epoch_us.alias("epoch_us")]
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


def rules_for(kind: schemas.SightingKind, *, allow_zero: bool) -> list[rules.Rule]:
    """The rules that rows of a kind must keep."""
    common = [rules.UID, rules.TIME, rules.YEAR]
    if kind == "points":
        return [*common, rules.NUMBER, rules.LATITUDE, rules.LONGITUDE, *([] if allow_zero else [rules.ZERO])]
    return [*common, rules.CELL] if kind == "cells" else [*common, rules.CELL, rules.DURATION]


def _call_ends_as_points(calls: pl.DataFrame) -> pl.DataFrame:
    """Tell two positions of each call: where and when it started, where and when it ended."""
    start = calls.select("uid", "epoch_us", "lat", "lng")
    end = calls.select("uid", pl.col("epoch_us") + pl.col("duration_s") * SECOND_US, lat="lat_end", lng="lng_end")
    return pl.concat([start, end], rechunk=True)
