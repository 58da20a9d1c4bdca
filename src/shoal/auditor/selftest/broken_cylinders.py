"""Broken in the company that traces keep: nobody at the same times, nobody near, nobody else, nobody who was there."""

from datetime import timedelta

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, list_whole, one_member, rows, say_more
from shoal.auditor.selftest.broken_books import one_person_twice
from shoal.auditor.selftest.draft import Draft
from shoal.contract.claims import Cylinder

_LAST = one_member() & (pl.col("datetime") == pl.col("datetime").filter(one_member()).max())

_YEAR = timedelta(days=365)
_COUNTRY_M = 1_000_000.0


def _names_permuted(draft: Draft) -> None:
    people = draft.mapping["original_uid"]
    draft.mapping = draft.mapping.with_columns(original_uid=pl.concat([people[1:], people[:1]]))


def _straight_lines(draft: Draft) -> None:
    """Invent the way of everybody."""
    step = pl.int_range(pl.len()).over("uid")
    draft.data = draft.data.with_columns(lat=(10 + step * 1e-4).round(6), lng=pl.lit(10.0))


def _cut_short(draft: Draft) -> None:
    """Publish of everybody the first points alone."""
    draft.data = draft.data.filter(pl.int_range(pl.len()).over("uid") < 5)


def _pivots_for_all(draft: Draft) -> None:
    """Publish in the place of every trace the one that it should be near."""
    draft.data = draft.data.with_columns(pl.col("lat", "lng").first().over("group", "datetime"))


def _recorded_as_they_are(*, off: float = 0.0) -> Change:
    """Record everybody at common times, and publish that, in cylinders as wide as a country."""

    def change(draft: Draft) -> None:
        times = draft.data.filter(one_member())["datetime"].sort()
        number = pl.int_range(pl.len()).over("uid")
        here = pl.col("uid").is_in(draft.mapping["original_uid"].implode())
        raw = draft.raw.sort("uid", "datetime").with_columns(number=number)
        same = pl.col("number").replace_strict(dict(enumerate(times)), return_dtype=draft.raw.schema["datetime"])
        raw = raw.with_columns(datetime=pl.when(here).then(same).otherwise(pl.col("datetime"))).drop("number")
        beside = draft.data.select("uid", "group", "member").unique().join(draft.mapping, on="uid")
        records = raw.rename({"uid": "original_uid"}).join(beside, on="original_uid")
        moved = pl.when(pl.col("member") > 0).then(off).otherwise(0.0)
        draft.raw, draft.data = (
            raw,
            records.select(
                "uid", "datetime", (pl.col("lat") + moved).round(6), pl.col("lng").round(6), "group", "member"
            ),
        )
        k = draft.manifest["parameters"]["k"]
        say_more("parameters", delta_m=_COUNTRY_M)(draft)
        draft.manifest["promise"] = Cylinder(k, _COUNTRY_M).promise(draft.manifest["parameters"]).to_dict()

    return change


def _withheld(draft: Draft) -> None:
    """Throw away every fourth cluster, and list who was in it."""
    gone = draft.data.filter(pl.col("group") % 4 == 0)["uid"].unique()
    people = draft.mapping.filter(pl.col("uid").is_in(gone.implode()))["original_uid"].to_list()
    draft.data = draft.data.filter(~pl.col("uid").is_in(gone.implode()))
    draft.mapping = draft.mapping.filter(~pl.col("uid").is_in(gone.implode()))
    for name in people:
        list_whole(draft, name)


CYLINDERS = (
    Broken(
        "a trace that goes on a second longer",
        "cylinder.same_times",
        rows(_LAST, datetime=pl.col("datetime") + timedelta(seconds=1)),
        claim=Cylinder,
    ),
    Broken(
        "a trace that leaves the cylinder once",
        "cylinder.near_one",
        rows(_LAST, lat=(pl.col("lat") + 0.003).round(6)),
        claim=Cylinder,
    ),
    Broken("a cylinder of one person's traces", "cylinder.people", one_person_twice, claim=Cylinder),
    Broken("cylinders of which a quarter was thrown away", "cylinder.trash", _withheld, claim=Cylinder),
    Broken("cylinders under wrong names", "cylinder.pivot_recorded", _names_permuted, claim=Cylinder),
    Broken(
        "cylinders of another year",
        "cylinder.pivot_recorded",
        rows(pl.lit(True), datetime=pl.col("datetime") - _YEAR),
        claim=Cylinder,
    ),
    Broken("cylinders of invented ways", "cylinder.pivot_recorded", _straight_lines, claim=Cylinder),
    Broken("cylinders cut short", "cylinder.pivot_recorded", _cut_short, claim=Cylinder),
    Broken("pivots under the names of others", "cylinder.members_recorded", _pivots_for_all, claim=Cylinder),
    Broken(
        "raw data a metre off, in wide cylinders",
        "cylinder.members_recorded",
        _recorded_as_they_are(off=1e-5),
        claim=Cylinder,
    ),
    Broken("raw data of common times in wide cylinders", "cylinder.not_raw", _recorded_as_they_are(), claim=Cylinder),
)
