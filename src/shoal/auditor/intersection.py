"""Two releases of the same people: whoever holds both keeps only the candidates that both leave."""

from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.intersection import companions, companions_by_chance
from shoal.auditor.case import Case, Earlier, read_secret
from shoal.auditor.conditions import TRIED, Finding, Hold
from shoal.auditor.opened import Boxes, Groups, read_release
from shoal.auditor.registry import check
from shoal.contract.files import MAPPING
from shoal.contract.kinds import BOXES


@check(
    "intersection",
    kinds=(BOXES,),
    needs=("opened", "secret"),
    conditions=("at_least_k",),
    demanded=lambda case: bool(case.earlier),
)
def intersection(case: Case, hold: Hold) -> Finding:
    """Count for everybody in both releases the people who share their group in each of them."""
    if not case.earlier:
        known = "" if case.ledger is None else f"; other releases of these people in the ledger: {case.ledger:,}"
        return hold.not_run(f"needs `earlier` and `earlier_secret`{known}")
    opened = [found and found.opened for found in (read_release(earlier.release) for earlier in case.earlier)]
    boxes = [release for release in opened if isinstance(release, Boxes)]
    words = "the demand could not be tried: an earlier release holds no readable boxes"
    if not hold(TRIED, len(boxes) == len(opened), words):
        return hold.stopped()
    least = max(case.k or 0, case.require_k or 0)
    now = _groups_of_people(case.names, case.groups, case.mapping, "group")
    figures = [_both(case, now, *pair, least) for pair in zip(boxes, case.earlier, strict=True)]
    below = max(release["below_k"] for release in figures)
    words = (
        f"demand not met: {below:,} people have fewer than {least} companions, themselves included, in both releases"
    )
    hold("at_least_k", not below, words)
    if least:
        return hold.passed(f"groups of at least {least} remain", releases=figures)
    alone = max(release["share_alone"] or 0.0 for release in figures)
    return hold.note(f"no k is promised; up to {alone:.1%} stand alone in both", releases=figures)


def _both(case: Case, now: pl.DataFrame, before: Boxes, earlier: Earlier, least: int) -> dict[str, Any]:
    then = _groups_of_people(before.uids, before.groups(case.engine), read_secret(earlier.secret, MAPPING), "before")
    both = now.join(then, on="original_uid", how="inner")
    groups = both["group"].to_numpy(), both["before"].to_numpy()
    left, by_chance = companions(*groups), companions_by_chance(*groups, case.rng)
    return {
        "people_in_both": both.height,
        "fewest": int(left.min()) if left.size else None,
        "share_alone": round(float((left == 1).mean()), 6) if left.size else None,
        "share_alone_control": round(float((by_chance == 1).mean()), 6) if left.size else None,
        "below_k": int((left < least).sum()),
    }


def _groups_of_people(uids: pl.Series, groups: Groups, mapping: pl.DataFrame, name: str) -> pl.DataFrame:
    members = uids.to_frame("uid").with_columns(pl.Series(name, groups.of.astype(np.int64)))
    return members.join(mapping, on="uid", how="inner").select("original_uid", name)
