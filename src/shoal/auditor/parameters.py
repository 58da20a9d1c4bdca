"""What the parameters say against the data: alignment, thresholds, shares, and who is withheld for which reason."""

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.registry import check
from shoal.contract.kinds import BOXES

_DAY_S = 86_400
_ROUNDING = 0.0005
"""Shares are published with three decimals."""


@check(
    "parameters",
    kinds=(BOXES,),
    needs=("opened", "map"),
    conditions=(
        *("align_m", "align_minutes", "suppress_km", "suppress_hours", "share_named", "share_within"),
        *("share_reached", "reasons_asked_for", "screened", "leftover", "emptied"),
    ),
)
def parameters(case: Case, hold: Hold) -> Finding:
    """What the manifest says was done to the data was done to them."""
    _shapes(case, hold)
    _share(case, hold)
    if case.missing("secret") or case.missing("original"):
        return hold.passed("boxes are as the parameters say; who is withheld needs `original` and `secret`")
    _withheld(case, hold)
    return hold.passed("boxes, shares and the list of the withheld are as the parameters say")


def _shapes(case: Case, hold: Hold) -> None:
    """Boxes lie on the grid that was asked for, and none is larger than the thresholds."""
    given, grid, base = case.parameters, case.on_map.grid, case.on_map.base
    if "align_m" in given:
        wanted = given["align_m"] or base["cell_m"]
        fine = grid["cell_m"] == wanted and given["align_m"] != base["cell_m"]
        hold("align_m", fine, "the grid is not what align_m says, or coarser by nothing")
    if "align_minutes" in given:
        wanted = given["align_minutes"] * 60 if given["align_minutes"] else base["dt_s"]
        fine = grid["dt_s"] == wanted and (not given["align_minutes"] or wanted != base["dt_s"])
        hold("align_minutes", fine, "the grid is not what align_minutes says, or coarser by nothing")
    crowd = case.models
    side = np.maximum(crowd.x1 - crowd.x0, crowd.y1 - crowd.y0)
    # Boxes that overlapped became one afterwards, where the paper's own are published: those may be larger.
    if given.get("publish") != "merge":
        wide = _beyond(side, given.get("suppress_km"), 1000)
        hold.none("suppress_km", wide, "boxes are wider than suppress_km allows")
        long = _beyond(crowd.t1 - crowd.t0, given.get("suppress_hours"), 3600)
        hold.none("suppress_hours", long, "boxes are longer than suppress_hours allows")


def _beyond(spans: Ints, threshold: Any, unit: int) -> int:
    """Count what exceeds a threshold; a float means the decimal number that it prints as."""
    if not isinstance(threshold, int | float):
        return 0
    return int((spans > int(Fraction(str(threshold)) * unit)).sum())


def _share(case: Case, hold: Hold) -> None:
    share, reached = (case.parameters.get(name) for name in ("suppress_share", "suppress_share_reached"))
    if share is None and reached is None:
        return
    named = isinstance(reached, int | float) == bool(share)
    if hold("share_named", named, "the share that was reached is missing, or nothing was to be left out") and share:
        within = 0 <= reached <= share + _ROUNDING  # type: ignore[operator]
        hold("share_within", within, "more was left out than suppress_share allows")


def _withheld(case: Case, hold: Hold) -> None:
    """Whoever and whatever is withheld is withheld for a reason that the parameters give."""
    given, listed = case.parameters, case.suppressed
    of_reason = {row["reason"]: row["len"] for row in listed.group_by("reason").len().to_dicts()}
    cut = any(given.get(name) is not None for name in ("suppress_km", "suppress_hours"))
    asked = {
        "screened": bool(given.get("min_per_day")),
        "share": bool(given.get("suppress_share")),
        "threshold": cut,
        "emptied": cut or bool(given.get("suppress_share")),
        "leftover": case.k is not None,
    }
    never = [reason for reason, wanted in asked.items() if not wanted and of_reason.get(reason)]
    hold("reasons_asked_for", not never, f"withheld as {', '.join(never)}, which no parameter asks for")
    lengths = np.diff(case.samples.offsets)
    if "min_per_day" in given:
        too_few = lengths < Fraction(str(given["min_per_day"])) * _days(case)
        screened = _mask(case, "screened")
        hold.none("screened", int((too_few != screened).sum()), "people screened without need, or not who should be")
    if case.k is not None:
        limit, left = given.get("leftover_limit"), of_reason.get("leftover", 0)
        few = left == 0 if limit == 1 else left < case.k or given.get("partition") is not None
        hold("leftover", few, "more people are left over than a group below k has")
        hold("emptied", not 0 < of_reason.get("emptied", 0) < case.k, "a group of fewer than k was emptied")
    reached = given.get("suppress_share_reached")
    if isinstance(reached, int | float):
        low, high = _shares_left_out(case, lengths, of_reason.get("share", 0), cut=cut)
        words = "the share that was left out is not the one that the manifest tells"
        hold("share_reached", low - _ROUNDING <= reached <= high + _ROUNDING, words)


def _shares_left_out(case: Case, lengths: Ints, listed: int, *, cut: bool) -> tuple[float, float]:
    """Bound the share of samples that was left out: where thresholds cut too, who emptied a group cannot be told."""
    outside = _mask(case, "screened") | _mask(case, "leftover")
    whole = int(lengths[~outside].sum())
    emptied = int(lengths[_mask(case, "emptied")].sum())
    high = (listed + emptied) / max(whole, 1)
    return (listed / max(whole, 1) if cut else high), high


def _mask(case: Case, reason: str) -> Any:
    """Tell who of the original is withheld for a reason."""
    listed = case.suppressed.filter((pl.col("reason") == reason) & pl.col("t").is_null())["original_uid"]
    return case.people.ids.is_in(listed.implode()).to_numpy()


def _days(case: Case) -> int:
    """Days that the samples span, rounded up."""
    if not case.samples.t.size:
        return 0
    span = int(case.samples.t.max()) + case.samples.dt_s - int(case.samples.t.min())
    return -(-span // _DAY_S)
