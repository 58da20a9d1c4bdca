"""Broken in what the parameters say of the data."""

import polars as pl

from shoal.auditor.raw import project
from shoal.auditor.selftest.broken import Broken, Change, boxes, first_person, in_group, say, say_more
from shoal.auditor.selftest.broken_withheld import together
from shoal.auditor.selftest.draft import Draft
from shoal.contract.claims import Nothing
from shoal.contract.kinds import POINTS
from shoal.contract.parameters import PARAMETERS


def _reason(old: str, new: str) -> Change:
    """Give another reason for what is withheld."""
    return lambda draft: setattr(draft, "suppressed", draft.suppressed.with_columns(pl.col("reason").replace(old, new)))


def _one_emptied(draft: Draft) -> None:
    """Withhold one member of a group as if the whole group had been emptied."""
    name = first_person(draft)
    uid = draft.mapping["uid"][0]
    draft.data = draft.data.filter(pl.col("uid") != uid)
    draft.mapping = draft.mapping[1:]
    mine = pl.col("original_uid") == name
    row = draft.suppressed.filter(pl.col("t").is_null())[:1]
    row = row.with_columns(original_uid=pl.lit(name), reason=pl.lit("emptied"))
    draft.suppressed = pl.concat([draft.suppressed.filter(~mine), row])


def _centre_elsewhere(draft: Draft) -> None:
    """Name a map that is centred one degree off; the metres stay as they are."""
    draft.manifest["crs"] = draft.manifest["crs"].replace("+lat_0=6", "+lat_0=7")


_MINUTE = pl.duration(minutes=1)
_WIDER = boxes(in_group(), x_max=pl.col("x_max") + 30_000)
_LONGER = boxes(in_group(), t_end=pl.col("t_end") + pl.duration(hours=1))

VALUES = (
    Broken("a mechanism that tells a story", "schema.mechanism", say("mechanism", "By Ann, ext. 4711")),
    Broken("a parameter with a message", "schema.parameters_listed", say_more("parameters", note="call 555 1234")),
    Broken("a parameter of many digits", "schema.parameters_listed", say_more("parameters", leftover_limit=0.12345678)),
    Broken(
        "a parameter that its mechanism lacks",
        "schema.parameters_listed",
        together(say("mechanism", next(iter(PARAMETERS))), say_more("parameters", extra=1)),
    ),
    Broken("a budget of nothing", "schema.budgets", say("budgets", {"epsilon": 1.0})),
    Broken("a day that there is not", "schema.date", say("date", "2024-02-31")),
    Broken("a day to come", "schema.date", say("date", "2199-01-01")),
    Broken("another number of rows", "schema.counts_rows", say_more("counts", rows=10)),
    Broken("more people than names", "schema.counts_names", say_more("counts", people_published=4710)),
    Broken("another number of people", "everyone.counts_people", say_more("counts", people_published=20)),
    Broken("another number of the withheld", "everyone.counts_withheld", say_more("counts", people_suppressed=50)),
    Broken("another number of samples", "everyone.counts_samples", say_more("counts", samples_suppressed=0)),
    Broken("a map that is centred elsewhere", "grid.centre", _centre_elsewhere),
)


def _raw_cells(draft: Draft) -> None:
    """Publish cells of the original's grid."""
    cell, step = draft.manifest["base_grid"]["cell_m"], draft.manifest["base_grid"]["dt_s"]
    t_end = pl.col("t_start") + pl.duration(seconds=step)
    boxes(pl.lit(True), x_max=pl.col("x_min") + cell, y_max=pl.col("y_min") + cell, t_end=t_end)(draft)
    draft.manifest["promise"] = Nothing().promise(draft.manifest["parameters"]).to_dict()


def _raw_points(draft: Draft) -> None:
    """Publish the points of the original as they are."""
    whose = draft.mapping.rename({"original_uid": "whose"})
    raw = draft.raw.rename({"uid": "whose", "lat": "raw_lat", "lng": "raw_lng"}).unique(["whose", "datetime"])
    joined = draft.data.join(whose, on="uid").join(raw, on=["whose", "datetime"])
    draft.data = joined.with_columns(lat=pl.col("raw_lat").round(6), lng=pl.col("raw_lng").round(6)).select(
        draft.data.columns
    )


def _on_a_finer_grid(draft: Draft) -> None:
    draft.manifest["grid"] = draft.manifest["base_grid"] = {"cell_m": 50, "dt_s": 60}


def _one_member_listed(draft: Draft) -> None:
    """List a published sample of somebody as left out, too."""
    published = draft.raw.join(draft.mapping, left_on="uid", right_on="original_uid").sort("datetime")[0]
    x, y = project(draft.manifest["crs"], published["lng"].to_numpy(), published["lat"].to_numpy())
    row = {
        "original_uid": published["uid"],
        "t": published["datetime"].dt.truncate("1m"),
        "x": [int(x[0] // 100) * 100],
        "y": [int(y[0] // 100) * 100],
        "reason": ["share"],
    }
    more = pl.DataFrame(row).cast(dict(draft.suppressed.schema))  # type: ignore[arg-type]
    draft.suppressed = pl.concat([draft.suppressed, more])


RAW = (
    Broken("raw cells under other names", "raw_data.boxes", _raw_cells),
    Broken("raw points under other names", "raw_data.points", _raw_points, kind=POINTS),
    Broken("a finer grid than there is", "grid.coarsest", _on_a_finer_grid),
    Broken("a group's box that is too wide", "truthful.tight", boxes(in_group(), x_max=pl.col("x_max") + 100)),
    Broken("a group's box that lasts too long", "truthful.tight", boxes(in_group(), t_end=pl.col("t_end") + _MINUTE)),
    Broken("a sample left out and published", "coverage.not_both", _one_member_listed),
    Broken(
        "a row of the list that stands twice",
        "coverage.listed_once",
        lambda d: setattr(d, "suppressed", pl.concat([d.suppressed, d.suppressed[:1]])),
    ),
)

DATA = (
    Broken("an alignment that was not made", "parameters.align_m", say_more("parameters", align_m=500)),
    Broken("steps that were not aligned", "parameters.align_minutes", say_more("parameters", align_minutes=30)),
    Broken(
        "a box beyond the threshold",
        "parameters.suppress_km",
        together(_WIDER, say_more("parameters", suppress_km=5.0)),
    ),
    Broken(
        "a box that lasts too long",
        "parameters.suppress_hours",
        together(_LONGER, say_more("parameters", suppress_hours=1.0)),
    ),
    Broken("a share that is kept quiet", "parameters.share_named", say_more("parameters", suppress_share_reached=None)),
    Broken("a share where none was asked for", "parameters.share_named", say_more("parameters", suppress_share=0.0)),
    Broken("a share above what was asked for", "parameters.share_within", say_more("parameters", suppress_share=0.01)),
    Broken("an embellished share", "parameters.share_reached", say_more("parameters", suppress_share_reached=0.01)),
    Broken("a threshold that nobody asked for", "parameters.reasons_asked_for", _reason("share", "threshold")),
    Broken("somebody screened who need not be", "parameters.screened", say_more("parameters", min_per_day=0.5)),
    Broken("people who should have been screened", "parameters.screened", say_more("parameters", min_per_day=1000.0)),
    Broken("somebody left over without need", "parameters.leftover", _reason("screened", "leftover")),
    Broken("half a group emptied", "parameters.emptied", _one_emptied),
)
