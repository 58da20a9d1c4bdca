"""The boxes on their own: names, number formats, grid, order of edges, disjoint times."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, coin_tail
from shoal.auditor.raw import project
from shoal.auditor.registry import Finding, check, failed, not_run, passed

_TOKEN = re.compile(r"[0-9a-f]{32}")
_DEGREES_OFF = 1.01e-6
"""Rounding to 6 decimals, on both sides."""

_DISJOINT = ("glove", "kte")


@check("tokens", "table")
def tokens(case: Case) -> Finding:
    """Published names are 128 random bits in lower-case hexadecimal."""
    assert case.table is not None
    if "uid" not in case.table.column_names:
        return failed("no column uid")
    names = case.boxes.uids.to_list() if case.boxes else case.table["uid"].unique().to_pylist()
    odd = sum(not (isinstance(name, str) and _TOKEN.fullmatch(name)) for name in names)
    if odd:
        return failed(f"{odd:,} names are not 32 lower-case hexadecimal digits", names=len(names), odd=odd)
    raw = np.frombuffer(bytes.fromhex("".join(names)), np.uint8).reshape(-1, 16)
    heads = np.unpackbits(raw, axis=1).sum(axis=0, dtype=np.int64)
    worst = min((coin_tail(int(count), len(names)) for count in heads), default=1.0) * heads.size
    if worst < SURE:
        return failed("the names are not random: some of their bits are nearly constant", names=len(names))
    return passed("names are random-looking tokens", names=len(names))


@check("number_format", "table")
def number_format(case: Case) -> Finding:
    """Numbers have one format: more digits in some rows would mark them."""
    assert case.table is not None
    wrong, table = [], case.table
    nulls = sum(column.null_count for column in table.columns)
    if nulls:
        wrong.append(f"{nulls:,} empty values")
    for name in ("lat", "lng"):
        if name not in table.column_names:
            wrong.append(f"no column {name}")
            continue
        values = table[name].to_numpy()
        if values.dtype != np.float64:
            wrong.append(f"{name} is not a number in double precision")
            continue
        odd = ~np.isfinite(values) | (np.round(values, 6) != values) | (np.signbit(values) & (values == 0))
        if odd.any():
            wrong.append(f"{name} without exactly 6 decimals in {int(odd.sum()):,} rows")
    if case.boxes is not None and not case.boxes.whole_seconds:
        wrong.append("times with fractions of a second")
    return failed("; ".join(wrong)) if wrong else passed("one format of numbers in all rows")


@check("grid", "boxes", "map")
def grid(case: Case) -> Finding:
    """All edges lie on the published grid, which consists of whole cells of the base grid."""
    assert case.map is not None
    _, published, base = case.map
    if any(published[name] % base[name] for name in published):
        return failed("the published grid is no multiple of the base grid")
    crowd, wrong = case.published.crowd, []
    cell, step = published["cell_m"], published["dt_s"]
    off_space = _any(column % cell for column in (crowd.x0, crowd.x1, crowd.y0, crowd.y1))
    off_time = _any(column % step for column in (crowd.t0, crowd.t1))
    for words, count in (("in space", off_space), ("in time", off_time)):
        if count:
            wrong.append(f"{count:,} boxes off the grid {words}")
    if case.mechanism == "uniform":
        same = (crowd.x1 - crowd.x0 == cell) & (crowd.y1 - crowd.y0 == cell) & (crowd.t1 - crowd.t0 == step)
        if not same.all():
            wrong.append(f"{int((~same).sum()):,} boxes that are not one cell")
        if (case.parameters.get("cell_m"), case.parameters.get("minutes")) != (cell, step / 60):
            wrong.append("the grid is not that of the parameters")
    return failed("; ".join(wrong)) if wrong else passed("all edges lie on the grid", boxes=crowd.t0.size)


def _any(columns: Any) -> int:
    off: NDArray[np.bool_] | None = None
    for column in columns:
        off = column != 0 if off is None else off | (column != 0)
    return int(off.sum()) if off is not None else 0


@check("boxes_sane", "boxes", "map")
def boxes_sane(case: Case) -> Finding:
    """Boxes have an inside, no row stands twice, and lat, lng is the middle: nothing else may hide in it."""
    assert case.map is not None
    crowd, wrong = case.models, []
    empty = int(((crowd.t0 >= crowd.t1) | (crowd.x0 >= crowd.x1) | (crowd.y0 >= crowd.y1)).sum())
    if empty:
        wrong.append(f"{empty:,} boxes without an inside")
    lng, lat = project(case.map[0], (crowd.x0 + crowd.x1) / 2, (crowd.y0 + crowd.y1) / 2, inverse=True)
    _, rows = case.published.crowd.rows_of(case.groups.model)
    turn = np.abs(case.published.lng[rows] - lng)
    off = ~(np.abs(case.published.lat[rows] - lat) <= _DEGREES_OFF)
    off |= ~(np.minimum(turn, 360 - turn) <= _DEGREES_OFF)
    if off.any():
        wrong.append(f"{int(off.sum()):,} boxes whose lat, lng is not the middle")
    owner = crowd.owner
    same = owner[1:] == owner[:-1]
    for column in crowd.columns:
        same &= column[1:] == column[:-1]
    if same.any():
        wrong.append(f"{int(same.sum()):,} boxes published twice")
    return failed("; ".join(wrong)) if wrong else passed("boxes have an inside, and lat, lng is the middle")


@check("disjoint", "boxes")
def disjoint(case: Case) -> Finding:
    """Boxes of one uid do not overlap in time, so that each sample has one place in them."""
    if case.mechanism not in _DISJOINT:
        return not_run("not promised: several boxes of a person may share a time")
    crowd = case.models
    owner = crowd.owner
    overlaps = int(((owner[1:] == owner[:-1]) & (crowd.t0[1:] < crowd.t1[:-1])).sum())
    if overlaps:
        return failed(f"{overlaps:,} boxes start before the one before them ends", overlaps=overlaps)
    return passed("boxes of a uid are disjoint in time")
