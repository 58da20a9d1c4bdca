"""Broken in the boxes: grid, inside, middle, overlap; and boxes against samples."""

from datetime import timedelta

import polars as pl

from shoal.auditor.raw import project
from shoal.auditor.selftest.broken import (
    Broken,
    Change,
    boxes,
    first_person,
    in_group,
    rows,
    say,
    say_more,
)
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_boxes import CELL_M, CRS
from shoal.contract.kinds import BOXES, POINTS, PROFILES, Kind

_MINUTE, _HOURS = timedelta(minutes=1), timedelta(hours=3)


def _twice(draft: Draft) -> None:
    draft.data = pl.concat([draft.data, draft.data.filter(in_group())])


def _a_sample_outside(draft: Draft) -> None:
    row = draft.raw.filter(pl.col("uid") == first_person(draft))[:1].with_columns(pl.col("lat") + 0.5)
    draft.raw = pl.concat([draft.raw, row])


def _unlisted(draft: Draft) -> None:
    draft.suppressed = draft.suppressed.filter(pl.col("original_uid") != first_person(draft))


def _withheld_alone(draft: Draft) -> None:
    """List the moment of a box at which all members were seen, for one of them; the others' stay published."""
    box = draft.data.filter(in_group())
    people = draft.mapping.filter(pl.col("uid").is_in(box["uid"].implode()))["original_uid"]
    inside = pl.col("datetime").is_between(box["t_start"][0], box["t_end"][0], closed="left")
    raw = draft.raw.filter(inside & pl.col("uid").is_in(people.implode()))
    raw = raw.with_columns(t=pl.col("datetime").dt.truncate("1m"))
    seen = raw.filter(pl.col("uid").n_unique().over("t") == people.len())[:1]
    x, y = project(CRS, seen["lng"].to_numpy(), seen["lat"].to_numpy())
    row = {
        "original_uid": seen["uid"],
        "t": seen["t"],
        "x": [int(x[0] // CELL_M) * CELL_M],
        "y": [int(y[0] // CELL_M) * CELL_M],
    }
    schema = draft.suppressed.drop("reason").schema
    draft.suppressed = pl.concat([draft.suppressed, pl.DataFrame(row, schema).with_columns(reason=pl.lit("share"))])


def _listed_where_nobody_was(draft: Draft) -> None:
    row = draft.suppressed[:1].with_columns(pl.col("x") + 10 * CELL_M)
    draft.suppressed = pl.concat([draft.suppressed, row])


def _reason(reason: str, where: pl.Expr, kind: Kind = BOXES) -> Broken:
    changed = pl.when(where).then(pl.lit(reason)).otherwise(pl.col("reason"))
    return Broken(
        f"a list of the withheld that says {reason} ({kind.name})",
        "everyone.reasons",
        lambda draft: setattr(draft, "suppressed", draft.suppressed.with_columns(reason=changed)),
        kind=kind,
    )


def _beside(name: str) -> Change:
    """Move all middles to the next value of six decimals: of one that lies half-way, both values are as good."""
    return rows(pl.lit(value=True), **{name: (pl.col(name) + 1e-6).round(6)})


def _sample_of_points(draft: Draft) -> None:
    """List a single sample as withheld, of points."""
    first = draft.suppressed.head(1)
    place = [pl.lit(0).cast(first.schema[name]).alias(name) for name in ("t", "x", "y")]
    sample = first.with_columns(*place, reason=pl.lit("share"))
    draft.suppressed = pl.concat([draft.suppressed, sample])


def _box_where_nobody_was(draft: Draft) -> None:
    more = draft.data.filter(in_group()).with_columns(pl.col("t_start", "t_end") + timedelta(days=7))
    draft.data = pl.concat([draft.data, more])


GRID = (
    Broken("boxes without a map", "grid.map", say("crs", None)),
    Broken("a map with an exact centre", "grid.map", say("crs", CRS.replace("lat_0=6", "lat_0=6.0001"))),
    Broken("a base grid in fractions", "grid.map", say_more("base_grid", cell_m=100.5)),
    Broken("a grid that cuts through cells", "grid.multiple", say("base_grid", {"cell_m": 30, "dt_s": 60})),
    Broken("a box off the grid in space", "grid.space", boxes(in_group(), x_max=pl.col("x_max") + 10)),
    Broken("a box off the grid in time", "grid.time", boxes(in_group(), t_end=pl.col("t_end") + _MINUTE / 2)),
    Broken("boxes larger than the one cell", "grid.one_cell", say_more("parameters", cell_m=CELL_M, minutes=1)),
    Broken("a grid other than the parameters'", "grid.of_parameters", say_more("parameters", cell_m=200, minutes=1)),
)

SANE = (
    Broken("boxes of no time", "boxes_sane.inside_time", boxes(in_group(), t_end=pl.col("t_start"))),
    Broken("boxes of no width", "boxes_sane.inside_x", boxes(in_group(), x_max=pl.col("x_min"))),
    Broken("boxes of no height", "boxes_sane.inside_y", boxes(in_group(), y_min=pl.col("y_max"))),
    Broken(
        "a lat that is not the middle", "boxes_sane.lat_middle", rows(in_group(), lat=(pl.col("lat") + 1e-3).round(6))
    ),
    Broken(
        "a lng that is not the middle", "boxes_sane.lng_middle", rows(in_group(), lng=(pl.col("lng") + 1e-3).round(6))
    ),
    Broken("a lat beside the rounded middle", "boxes_sane.lat_middle", _beside("lat")),
    Broken("a lng beside the rounded middle", "boxes_sane.lng_middle", _beside("lng")),
    Broken("boxes published twice", "boxes_sane.once", _twice),
    Broken("boxes that overlap in time", "disjoint.apart", boxes(in_group(), t_end=pl.col("t_end") + _HOURS)),
)

SAMPLES = (
    Broken("a box that misses a sample", "coverage.nothing_lost", _a_sample_outside),
    Broken("a list of the withheld that is incomplete", "coverage.nothing_lost", _unlisted),
    Broken("a moment withheld of one member alone", "coverage.nobody_alone", _withheld_alone),
    Broken("a sample withheld that there never was", "coverage.listed_known", _listed_where_nobody_was),
    _reason("boredom", pl.col("t").is_not_null()),
    _reason("screened", pl.col("t").is_not_null()),
    _reason("share", pl.col("t").is_null()),
    _reason("boredom", pl.col("t").is_null(), POINTS),
    _reason("share", pl.col("t").is_null(), PROFILES),
    Broken("a single point listed as withheld", "everyone.reasons", _sample_of_points, kind=POINTS),
    Broken("a box where a member never was", "truthful.holds_a_sample", _box_where_nobody_was),
)
