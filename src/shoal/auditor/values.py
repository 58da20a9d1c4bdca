"""Single values: names that say nothing, and numbers in one format."""

import re

import numpy as np

from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, coin_tail
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Boxes
from shoal.auditor.registry import ALL_KINDS, check

_TOKEN = re.compile(r"[0-9a-f]{32}")
_LIMITS = {"lat": 90, "lng": 180}


@check("tokens", kinds=ALL_KINDS, needs=("opened",), conditions=("format", "random", "one_per_row"))
def tokens(case: Case, hold: Hold) -> Finding:
    """Published names are 128 random bits in lower-case hexadecimal; where a row has a name, it has its own."""
    assert case.opened is not None
    names = case.names.to_list()
    odd = sum(not _TOKEN.fullmatch(name) for name in names)
    if hold.none("format", odd, "names are not 32 lower-case hexadecimal digits"):
        bits = np.unpackbits(np.frombuffer(bytes.fromhex("".join(names)), np.uint8).reshape(-1, 16), axis=1)
        heads = bits.sum(axis=0, dtype=np.int64)
        likely = min((coin_tail(int(count), len(names)) for count in heads), default=1.0) * heads.size
        hold("random", likely >= SURE, "the names are not random: some of their bits are nearly constant")
    if case.opened.kind.uid_of == "row":
        shared = int((np.diff(case.opened.offsets) > 1).sum())
        hold.none("one_per_row", shared, "names stand in several rows, which links them")
    return hold.passed("names are random-looking tokens", names=len(names), odd=odd)


@check(
    "number_format",
    kinds=ALL_KINDS,
    needs=("table",),
    conditions=(
        *("no_nulls", "finite", "no_minus_zero", "lat_decimals", "lng_decimals", "lat_on_globe", "lng_on_globe"),
        "whole_seconds",
    ),
)
def number_format(case: Case, hold: Hold) -> Finding:
    """Numbers have one format: more digits in some rows would mark them."""
    assert case.table is not None
    assert case.kind is not None
    table, nulls, strange, minus = case.table, 0, 0, 0
    for column in case.kind.columns_for(table.column_names):
        nulls += table[column.name].null_count
        if column.type != "float64":
            continue
        values = table[column.name].to_numpy()
        finite = np.isfinite(values)
        strange += int((~finite).sum())
        minus += int((np.signbit(values) & (values == 0)).sum())
        if column.name in _LIMITS:
            more = int((finite & (np.round(values, 6) != values)).sum())
            hold.none(f"{column.name}_decimals", more, f"rows with more than 6 decimals of {column.name}")
            beyond = int((np.abs(values[finite]) > _LIMITS[column.name]).sum())
            hold.none(f"{column.name}_on_globe", beyond, f"rows with a {column.name} that no place has")
    hold.none("no_nulls", nulls, "empty values")
    hold.none("finite", strange, "values that are no numbers")
    hold.none("no_minus_zero", minus, "zeros with a minus, which shows a sign that was rounded away")
    if isinstance(case.opened, Boxes):
        hold("whole_seconds", case.opened.whole_seconds, "times with fractions of a second")
    return hold.passed("one format of numbers in all rows")
