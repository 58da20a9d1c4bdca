"""Broken in what is withheld, and why: samples that the parameters give no reason to leave out."""

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np
import polars as pl

from shoal.auditor.raw import project
from shoal.auditor.selftest.broken import Broken, Change, boxes, first_person, in_group, say_more
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_boxes import CELL_M, CRS, DT_S, outsider

_FAR_M = 10_000
_KM = 5.0
"""A threshold that no published box of a made-up release is beyond, and who goes away farther is."""

_MINUTE = timedelta(seconds=DT_S)


def together(*changes: Change) -> Change:
    """Make several changes, one after the other."""

    def change(draft: Draft) -> None:
        for one in changes:
            one(draft)

    return change


def with_thresholds(draft: Draft) -> None:
    """Let one member of each group be far away in the slot that is withheld: then a threshold withholds it."""
    away = draft.data.filter(pl.col("member") % 2 == 0)["uid"].unique()
    people = draft.mapping.filter(pl.col("uid").is_in(away.implode()))["original_uid"]
    far = pl.col("original_uid").is_in(people.implode()) & pl.col("t").is_not_null()
    x = pl.when(far).then(pl.col("x") + _FAR_M).otherwise(pl.col("x"))
    reason = pl.col("reason").replace("share", "threshold")
    listed = draft.suppressed.select("original_uid", "t").drop_nulls().unique()
    gone = listed.select("original_uid", moment="t", far=pl.col("original_uid").is_in(people.implode()))
    raw = draft.raw.with_columns(moment=pl.col("datetime").dt.truncate(f"{DT_S}s"))
    raw = raw.join(gone, left_on=["uid", "moment"], right_on=["original_uid", "moment"], how="left")
    moved = raw["far"].fill_null(False).to_numpy()
    metres = project(CRS, raw["lng"].to_numpy(), raw["lat"].to_numpy())
    lng, lat = project(CRS, metres[0] + moved * _FAR_M, metres[1], inverse=True)
    places = {name: np.where(moved, new, raw[name].to_numpy()) for name, new in (("lat", lat), ("lng", lng))}
    draft.raw = raw.with_columns(**{name: pl.Series(values) for name, values in places.items()}).drop("moment", "far")
    draft.suppressed = draft.suppressed.with_columns(x=x, reason=reason)
    draft.manifest["parameters"] |= {"suppress_share": 0.0, "suppress_share_reached": None, "suppress_km": _KM}


def _one_more_sample(when: Callable[[Draft], datetime], reason: str, whose: Callable[[Draft], str]) -> Change:
    """Let somebody be far away for a minute more, and list that minute."""

    def change(draft: Draft) -> None:
        t, name = when(draft), whose(draft)
        x, y = (np.array([metres + CELL_M / 2]) for metres in (20_000.0, 20_000.0))
        lng, lat = project(CRS, x, y, inverse=True)
        seen = pl.DataFrame({"uid": [name], "datetime": [t], "lat": lat, "lng": lng}).cast(dict(draft.raw.schema))  # type: ignore[arg-type]
        draft.raw = pl.concat([draft.raw, seen])
        row = {"original_uid": [name], "t": [t], "x": [20_000], "y": [20_000], "reason": [reason]}
        more = pl.DataFrame(row).cast(dict(draft.suppressed.schema))  # type: ignore[arg-type]
        draft.suppressed = pl.concat([draft.suppressed, more])

    return change


def _between_boxes(draft: Draft) -> datetime:
    """A minute after the first box of the first group, long before the next."""
    end = draft.data.filter(in_group())["t_end"][0]
    assert isinstance(end, datetime)
    return end + _MINUTE


def _within_a_box(draft: Draft) -> datetime:
    """A minute within the first box of the first group at which nobody of the group was seen."""
    box = draft.data.filter(in_group())
    people = draft.mapping.filter(pl.col("uid").is_in(box["uid"].implode()))["original_uid"]
    seen = set(draft.raw.filter(pl.col("uid").is_in(people.implode()))["datetime"].dt.truncate(f"{DT_S}s"))
    low, high = box["t_start"][0], box["t_end"][0]
    assert isinstance(low, datetime)
    minutes = (low + number * _MINUTE for number in range(int((high - low) / _MINUTE)))
    return next(minute for minute in minutes if minute not in seen)


def _outsider(draft: Draft) -> str:
    return str(draft.suppressed.filter(pl.col("t").is_null())["original_uid"][0])


def _a_box_below_the_thresholds(draft: Draft) -> None:
    """Withhold the box before the slot that is withheld, too, as if it were too large."""
    with_thresholds(draft)
    here = pl.col("group") == 0
    last = here & (pl.col("t_start") == pl.col("t_start").filter(here).max())
    box = draft.data.filter(last)
    people = draft.mapping.filter(pl.col("uid").is_in(box["uid"].implode()))["original_uid"]
    inside = pl.col("datetime").is_between(box["t_start"][0], box["t_end"][0], closed="left")
    seen = draft.raw.filter(pl.col("uid").is_in(people.implode()) & inside)
    x, y = (np.floor(v / CELL_M) * CELL_M for v in project(CRS, seen["lng"].to_numpy(), seen["lat"].to_numpy()))
    t = seen["datetime"].dt.truncate(f"{DT_S}s")
    rows = pl.DataFrame({"original_uid": seen["uid"], "t": t, "x": x, "y": y, "reason": ["threshold"] * seen.height})
    more = rows.cast(dict(draft.suppressed.schema)).unique()  # type: ignore[arg-type]
    draft.suppressed = pl.concat([draft.suppressed, more])
    draft.data = draft.data.filter(~last)


def _two_boxes_as_one(draft: Draft) -> None:
    """Publish the hull of the first two boxes of a group."""
    here = pl.col("group") == 0
    first, second = draft.data.filter(here)["t_start"].unique().sort()[:2]
    two = here & pl.col("t_start").is_in([first, second])
    edges = draft.data.filter(two).select(
        *(pl.col(name).min() for name in ("t_start", "x_min", "y_min")),
        *(pl.col(name).max() for name in ("t_end", "x_max", "y_max")),
    )
    draft.data = draft.data.filter(~(here & (pl.col("t_start") == second)))
    boxes(two, **{name: pl.lit(edges[name][0], edges.schema[name]) for name in edges.columns})(draft)


def _emptied_without_need(draft: Draft) -> None:
    """Withhold a whole group, as if all of its boxes were too large."""
    with_thresholds(draft)
    gone = draft.data.filter(pl.col("group") == 0)["uid"].unique()
    people = draft.mapping.filter(pl.col("uid").is_in(gone.implode()))["original_uid"]
    draft.data = draft.data.filter(pl.col("group") != 0)
    draft.mapping = draft.mapping.filter(~pl.col("uid").is_in(gone.implode()))
    rest = draft.suppressed.filter(~pl.col("original_uid").is_in(people.implode()))
    whole = [outsider(name).with_columns(reason=pl.lit("emptied")) for name in people]
    draft.suppressed = pl.concat([rest, *whole])


def _two_reasons_at_a_time(draft: Draft) -> None:
    """Give one member another reason at the moment at which both are left out."""
    draft.manifest["parameters"]["suppress_km"] = _KM
    mine = (pl.col("original_uid") == first_person(draft)) & pl.col("t").is_not_null()
    together = mine & (pl.col("t") == pl.col("t").filter(mine).max())
    reason = pl.when(together).then(pl.lit("threshold")).otherwise(pl.col("reason"))
    draft.suppressed = draft.suppressed.with_columns(reason=reason)


def _as_too_large(draft: Draft) -> None:
    """Call what the share left out too large; the share that the manifest tells stays."""
    draft.manifest["parameters"]["suppress_km"] = _KM
    draft.suppressed = draft.suppressed.with_columns(pl.col("reason").replace("share", "threshold"))


def _under_two_reasons(draft: Draft) -> None:
    row = draft.suppressed.filter(pl.col("t").is_not_null())[:1].with_columns(reason=pl.lit("threshold"))
    draft.suppressed = pl.concat([draft.suppressed, row])


def _a_thousandth_less(draft: Draft) -> None:
    reached = draft.manifest["parameters"]["suppress_share_reached"]
    draft.manifest["parameters"]["suppress_share_reached"] = round(reached - 0.001, 3)


WITHHELD = (
    Broken("a sample under two reasons", "coverage.listed_once", _under_two_reasons),
    Broken("members left out for different reasons", "coverage.one_reason", _two_reasons_at_a_time),
    Broken(
        "a sample of somebody who is not published",
        "coverage.listed_published",
        _one_more_sample(_between_boxes, "share", _outsider),
    ),
    Broken(
        "a minute left out of the middle of a box",
        "coverage.not_both",
        _one_more_sample(_within_a_box, "share", first_person),
    ),
    Broken("a share of the paper's own boxes", "parameters.together", say_more("parameters", publish="merge")),
    Broken(
        "other groups for the paper's own boxes",
        "parameters.together",
        together(with_thresholds, say_more("parameters", publish="merge", grouping="published")),
    ),
    Broken(
        "minutes traded for kilometres in the paper's own boxes",
        "parameters.together",
        together(with_thresholds, say_more("parameters", publish="merge", minutes_per_km=60)),
    ),
    Broken("an effort where nothing was searched", "parameters.together", say_more("parameters", effort=2)),
    Broken("neighbourhoods too small for k", "parameters.together", say_more("parameters", partition=7)),
    Broken("a share that is a thousandth off", "parameters.share_reached", _a_thousandth_less),
    Broken(
        "a sample of one member withheld as too large",
        "parameters.threshold_members",
        together(with_thresholds, _one_more_sample(_between_boxes, "threshold", first_person)),
    ),
    Broken(
        "a threshold that was raised afterwards",
        "parameters.threshold_large",
        together(with_thresholds, say_more("parameters", suppress_km=50.0)),
    ),
    Broken(
        "a share withheld as too large",
        "parameters.threshold_large",
        _as_too_large,
    ),
    Broken("a box below the thresholds withheld", "parameters.threshold_parts", _a_box_below_the_thresholds),
    Broken("two boxes published as one", "parameters.cut_fully", _two_boxes_as_one),
    Broken("a group emptied without need", "parameters.emptied_large", _emptied_without_need),
    Broken(
        "a long box among the paper's own",
        "parameters.hulls",
        together(with_thresholds, say_more("parameters", publish="merge", suppress_hours=0.1)),
    ),
)
