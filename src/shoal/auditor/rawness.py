"""Raw data under other names are no release, whatever they claim: not even nothing."""

import numpy as np

from shoal.attacks.packing import is_in, keys
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.registry import check
from shoal.contract.claims import Nothing
from shoal.contract.kinds import BOXES, POINTS

_NEARLY_ALL = 0.99
_DEGREES = 1_000_000
"""Positions are published with 6 decimals."""


@check(
    "raw_data",
    kinds=(BOXES, POINTS),
    claims=(Nothing,),
    examines=(),
    needs=("opened",),
    conditions=("boxes", "points"),
)
def raw_data(case: Case, hold: Hold) -> Finding:
    """Where nothing is promised, what is published is at least not what was recorded, with the names replaced.

    Where something is, that is examined instead: people who are alike to the cell may well be published as they are.
    """
    if case.kind is BOXES:
        if case.map is None:
            return hold.not_run("the manifest names no usable crs, grid and base_grid")
        base, crowd = case.map.base, case.models
        raw = (crowd.x1 - crowd.x0 <= base["cell_m"]) & (crowd.y1 - crowd.y0 <= base["cell_m"])
        raw &= crowd.t1 - crowd.t0 <= base["dt_s"]
        hold("boxes", not raw.all(), "every box is one cell of the original's grid: these are the raw data")
        return hold.passed("boxes are more than the cells that samples were recorded in")
    if case.missing("original"):
        return hold.not_run("needs `original`, what the release was made from")
    share = _recorded(case)
    hold("points", share < _NEARLY_ALL, f"{share:.0%} of the points are records: these are the raw data")
    return hold.passed("points are not those that were recorded", recorded_share=round(share, 4))


def _recorded(case: Case) -> float:
    """The share of published points that are a position and a time of the original."""
    assert case.table is not None
    published = [case.table["datetime"].cast("int64").to_numpy(), *(case.table[n].to_numpy() for n in ("lat", "lng"))]
    raw = case.positions
    recorded = [raw.epoch_us, raw.lat, raw.lng]
    both = []
    for t, lat, lng in (published, recorded):
        both.append((t, *(np.rint(np.nan_to_num(degrees) * _DEGREES).astype(np.int64) for degrees in (lat, lng))))
    ours, theirs = keys(*both)
    return float(is_in(ours, theirs).mean())
