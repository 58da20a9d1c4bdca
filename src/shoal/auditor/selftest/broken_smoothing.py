"""Broken in how speeds are smoothed: uneven steps, ways that nobody took, ends that were left in, traces lost."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, one_member, rows, say_more
from shoal.auditor.selftest.draft import Draft, replaced
from shoal.auditor.selftest.sound_smoothing import ALPHA_M, LENGTH_M, sound_smoothing
from shoal.contract.claims import SpeedSmoothing

_METRE = 1 / 111_400
"""Degrees of latitude."""


def _nth(number: int) -> pl.Expr:
    """A point of one trace, counted from 0."""
    return one_member() & (pl.int_range(pl.len()).over("member") == number)


def _later(number: int) -> pl.Expr:
    return one_member() & (pl.int_range(pl.len()).over("member") >= number)


_DEGREES = ("lat", "lng")


def _shrunk(name: str) -> pl.Expr:
    """A trace at nine tenths of its size."""
    first = pl.col(name).first().over("member")
    return (first + (pl.col(name) - first) * 0.9).round(6)


def _drop(where: pl.Expr) -> Change:
    return lambda draft: setattr(draft, "data", draft.data.filter(~where))


def _to_the_north(metres: float) -> Change:
    """Move all traces: one that goes north would stay on its way."""
    return rows(pl.lit(True), lat=(pl.col("lat") + metres * _METRE).round(6))


def _made(**otherwise: Any) -> Change:
    """Make it otherwise from the beginning."""
    return lambda draft: replaced(draft, sound_smoothing(**otherwise))


def _both(*changes: Change) -> Change:
    def change(draft: Draft) -> None:
        for one in changes:
            one(draft)

    return change


def _two_names(draft: Draft) -> None:
    """Publish the second half of a trace under another name of the same person."""
    old, new = draft.mapping["uid"][0], "0123456789abcdef" * 2
    rows(_later(10), uid=pl.lit(new))(draft)
    draft.mapping = pl.concat([draft.mapping, draft.mapping.filter(pl.col("uid") == old).with_columns(uid=pl.lit(new))])


def _listing(change: Callable[[pl.DataFrame], pl.DataFrame]) -> Change:
    return lambda draft: setattr(draft, "tables", {"parts": change(draft.tables["parts"])})


def _lost(draft: Draft) -> None:
    """Leave a trace out that went far, and list it as if it had not."""
    name = draft.mapping["uid"][0]
    draft.data = draft.data.filter(pl.col("uid") != name)
    draft.mapping = draft.mapping.filter(pl.col("uid") != name)
    first = pl.int_range(pl.len()) == 0
    _listing(lambda parts: parts.with_columns(reason=pl.when(first).then(pl.lit("short")).otherwise(pl.col("reason"))))(
        draft
    )


def _smoothing(words: str, condition: str, change: Change) -> Broken:
    return Broken(words, f"smoothing.{condition}", change, claim=SpeedSmoothing)


_CHORD = say_more("parameters", interpolation="chord")

SMOOTHING = (
    _smoothing("a trace of two points", "points", _drop(_later(2))),
    _smoothing(
        "points between two seconds",
        "whole_seconds",
        rows(one_member(), datetime=pl.col("datetime") + timedelta(milliseconds=250)),
    ),
    _smoothing("a point ten metres aside", "spacing", rows(_nth(5), lat=(pl.col("lat") + 10 * _METRE).round(6))),
    _smoothing("steps that are shorter", "spacing", rows(one_member(), **{name: _shrunk(name) for name in _DEGREES})),
    _smoothing("a point left out of a trace", "spacing", _drop(_nth(7))),
    _smoothing("a stop of a minute", "intervals", rows(_later(12), datetime=pl.col("datetime") + timedelta(minutes=1))),
    _smoothing(
        "a trace of twelve hours later",
        "own_times",
        rows(one_member(), datetime=pl.col("datetime") + timedelta(hours=12)),
    ),
    _smoothing("one trace under two names", "part_once", _two_names),
    _smoothing("traces beside their way", "on_path", _to_the_north(5)),
    _smoothing(
        "a short cut across the town",
        "near_path",
        _both(_CHORD, _to_the_north(400)),
    ),
    _smoothing("the recorded start left in", "start_cut", _made(starts_m=(0.0, 0.0))),
    _smoothing("a start half a step away", "start_cut", _made(starts_m=(ALPHA_M / 2, ALPHA_M / 2), trim="fixed")),
    _smoothing(
        "the recorded end left in", "end_cut", _made(starts_m=(LENGTH_M % ALPHA_M + ALPHA_M,) * 2, ends_m=(-1, -1))
    ),
    _smoothing(
        "the recorded end left in, less than a step away",
        "end_cut",
        _made(starts_m=(ALPHA_M, ALPHA_M), ends_m=(0.0, 0.0), trim="fixed"),
    ),
    _smoothing("ends cut by one step, called zones", "zone_drawn", _made(starts_m=(ALPHA_M, ALPHA_M))),
    _smoothing(
        "traces that nobody lists", "parts_listed", _listing(lambda parts: parts.filter(pl.col("reason").is_null()))
    ),
    _smoothing("no list of traces", "parts_listed", lambda draft: setattr(draft, "tables", {})),
    _smoothing("a long trace called short", "nothing_lost", _lost),
)
