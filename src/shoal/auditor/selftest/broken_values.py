"""Broken in single values: names that say something, numbers in several formats."""

from datetime import timedelta

import polars as pl

from shoal.auditor.selftest.broken import Broken, first_row, in_group, renamed, rows
from shoal.contract.kinds import POINTS, PROFILES


def _counting(draft_names: int) -> pl.Series:
    return pl.Series([f"{number:032x}" for number in range(draft_names)])


_CELL = "w1_weekday_night"
_MORE = 3e-8

TOKENS = (
    Broken("names in upper case", "tokens.format", renamed(lambda d: d.mapping["uid"].str.to_uppercase())),
    Broken("names that count", "tokens.random", renamed(lambda d: _counting(d.mapping.height))),
    Broken("names of parts that count", "tokens.random", renamed(lambda d: _counting(d.mapping.height)), kind=POINTS),
    Broken(
        "one name for two rows",
        "tokens.one_per_row",
        rows(first_row(), uid=pl.col("uid").last()),
        kind=PROFILES,
    ),
)

NUMBERS = (
    Broken("boxes with empty values", "number_format.no_nulls", rows(in_group(), lat=pl.lit(None))),
    Broken("a name that is missing", "number_format.no_nulls", rows(first_row(), uid=pl.lit(None)), kind=POINTS),
    Broken(
        "cells with empty values", "number_format.no_nulls", rows(first_row(), **{_CELL: pl.lit(None)}), kind=PROFILES
    ),
    Broken("a middle nowhere", "number_format.finite", rows(in_group(), lat=pl.lit(float("inf")))),
    Broken("a point nowhere", "number_format.finite", rows(first_row(), lng=pl.lit(float("nan"))), kind=POINTS),
    Broken(
        "a cell without a number",
        "number_format.finite",
        rows(first_row(), **{_CELL: pl.lit(float("nan"))}),
        kind=PROFILES,
    ),
    Broken("a middle with minus zero", "number_format.no_minus_zero", rows(in_group(), lng=pl.lit(-0.0))),
    Broken("a point with minus zero", "number_format.no_minus_zero", rows(first_row(), lat=pl.lit(-0.0)), kind=POINTS),
    Broken(
        "a cell with minus zero",
        "number_format.no_minus_zero",
        rows(first_row(), **{_CELL: pl.lit(-0.0)}),
        kind=PROFILES,
    ),
    Broken(
        "more decimals of lat in some rows", "number_format.lat_decimals", rows(in_group(), lat=pl.col("lat") + _MORE)
    ),
    Broken(
        "more decimals of lng in some rows", "number_format.lng_decimals", rows(in_group(), lng=pl.col("lng") + _MORE)
    ),
    Broken(
        "a point with more decimals",
        "number_format.lat_decimals",
        rows(first_row(), lat=pl.col("lat") + _MORE),
        kind=POINTS,
    ),
    Broken("a lat beyond the pole", "number_format.lat_on_globe", rows(first_row(), lat=pl.lit(91.0)), kind=POINTS),
    Broken("a lng beyond the turn", "number_format.lng_on_globe", rows(first_row(), lng=pl.lit(181.0)), kind=POINTS),
    Broken(
        "boxes with fractions of a second",
        "number_format.whole_seconds",
        rows(in_group(), t_end=pl.col("t_end") + timedelta(microseconds=1)),
    ),
)
