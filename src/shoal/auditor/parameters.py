"""What the parameters say against the data: alignment, thresholds, shares, and who is withheld for which reason."""

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.limits import limits
from shoal.auditor.registry import check
from shoal.auditor.withheld import cut, emptied, hulls, published_as_paper, uncut
from shoal.contract.claims import KAnonymity, WindowHiding
from shoal.contract.kinds import BOXES
from shoal.contract.parameters import MINUTES_PER_KM

_DAY_S = 86_400
_LEAST_PARTITION = 4
"""Times k: neighbourhoods of fewer people could not be relied on to have k."""
_ROUNDING = 0.0005
"""Shares are published with three decimals."""
_PRINTED = 1 + 1e-5
"""Parameters are published with six digits, what was asked for may have had more."""


@check(
    "parameters",
    kinds=(BOXES,),
    needs=("opened", "map"),
    conditions=(
        *("together", "align_m", "align_minutes", "suppress_km", "suppress_hours", "share_named", "share_within"),
        *("share_reached", "reasons_asked_for", "screened", "leftover", "emptied", "emptied_large"),
        *("threshold_members", "threshold_large", "threshold_parts", "hulls", "cut_fully"),
    ),
)
def parameters(case: Case, hold: Hold) -> Finding:
    """What the manifest says was done to the data was done to them."""
    _together(case, hold)
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
    crowd, allowed = case.models, limits(given)
    # Boxes that overlapped became one afterwards, where the paper's own are published: those may be larger.
    if not published_as_paper(case):
        parts = [part for _, part in crowd.parts()] if allowed else []
        wide = sum(int(allowed.wide(part.x1 - part.x0, part.y1 - part.y0).sum()) for part in parts)
        hold.none("suppress_km", wide, "boxes are wider than suppress_km allows")
        long = sum(int(allowed.long(part.t1 - part.t0).sum()) for part in parts)
        hold.none("suppress_hours", long, "boxes are longer than suppress_hours allows")


def _together(case: Case, hold: Hold) -> None:
    """No two parameters contradict each other."""
    given = case.parameters
    share, partition = given.get("suppress_share"), given.get("partition")
    chosen, exchange = given.get("grouping") == "published", given.get("minutes_per_km", MINUTES_PER_KM)
    anew = share or chosen or exchange != MINUTES_PER_KM
    fine = not (published_as_paper(case) and anew) and (chosen or given.get("effort") is None)
    if isinstance(partition, int) and isinstance(case.claim, KAnonymity | WindowHiding):
        fine &= partition >= _LEAST_PARTITION * case.claim.k
    hold("together", fine, "parameters that do not go together")


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
    beyond, share = bool(limits(given)), bool(given.get("suppress_share"))
    windows = isinstance(case.claim, WindowHiding)
    asked = {
        "screened": bool(given.get("min_per_day")),
        "share": share,
        "threshold": beyond,
        "emptied": beyond or share,
        "leftover": case.k is not None or windows,
        "unhidden": windows,
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
        if beyond:
            _thresholds(case, hold, share=share)
        if given.get("publish") == "kmerge":
            hold.none("cut_fully", uncut(case), "boxes could have been cut in two that hold all members")
    reached = given.get("suppress_share_reached")
    if share and isinstance(reached, int | float):
        low, high = _shares_left_out(case, lengths, of_reason.get("share", 0), beyond=beyond)
        words = "the share that was left out is not the one that the manifest tells, or more than suppress_share"
        within = low <= given["suppress_share"] * _PRINTED
        hold("share_reached", within and round(low, 3) <= reached <= round(high, 3), words)


def _thresholds(case: Case, hold: Hold, *, share: bool) -> None:
    """What is withheld as too large is too large, and of all members; what is published is not."""
    found = cut(case)
    words = "stretches of time were withheld as too large without a sample of every member"
    hold.none("threshold_members", found.lacking, words)
    hold.none("threshold_large", found.small, "stretches of time were withheld as too large that are not")
    words = "stretches of time were withheld as too large that no cut makes so throughout"
    hold.none("threshold_parts", found.impossible, words)
    people = np.flatnonzero(_mask(case, "emptied"))
    if people.size and not share:
        fine = emptied(case, people)
        hold("emptied_large", fine, "people were emptied whose boxes the thresholds would not have withheld")
    if published_as_paper(case):
        hold.none("hulls", hulls(case), "boxes are beyond the thresholds, and not made of several that are not")


def _shares_left_out(case: Case, lengths: Ints, listed: int, *, beyond: bool) -> tuple[float, float]:
    """Bound the share of samples that was left out: where thresholds cut too, who emptied a group cannot be told."""
    outside = _mask(case, "screened") | _mask(case, "leftover")
    whole = max(int(lengths[~outside].sum()), 1)
    high = (listed + int(lengths[_mask(case, "emptied")].sum())) / whole
    return (listed / whole if beyond else high), high


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
