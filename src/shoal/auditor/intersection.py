"""Two releases of the same people: whoever holds both keeps only the candidates that both leave."""

import numpy as np
import polars as pl

from shoal.attacks.intersection import companions, companions_by_chance
from shoal.auditor import published as opened
from shoal.auditor.case import Case, Earlier, read_secret
from shoal.auditor.registry import Finding, check, failed, not_run, passed
from shoal.errors import DataError


@check("intersection", "boxes", "secret")
def intersection(case: Case) -> Finding:
    """Count for everybody in both releases the people who share their group in each of them."""
    if not case.earlier:
        known = "" if case.ledger is None else f"; releases that the ledger knows: {case.ledger:,}"
        return not_run(f"needs --earlier and --earlier-secret{known}")
    now = _groups_of_people(case.groups, case.published.uids, case.mapping, "group")
    figures = []
    least_allowed = max(case.k or 0, case.require_k or 0)
    broken = 0
    for earlier in case.earlier:
        both = now.join(_earlier_groups(earlier), on="original_uid", how="inner")
        groups = both["group"].to_numpy(), both["before"].to_numpy()
        left, by_chance = companions(*groups), companions_by_chance(*groups, case.rng)
        below = int((left < least_allowed).sum())
        broken = max(broken, below)
        figures.append(
            {
                "people_in_both": both.height,
                "fewest": int(left.min()) if left.size else None,
                "share_alone": round(float((left == 1).mean()), 6) if left.size else None,
                "share_alone_control": round(float((by_chance == 1).mean()), 6) if left.size else None,
                "below_k": below,
            }
        )
    if broken:
        reason = f"{broken:,} people have fewer than {least_allowed} companions, themselves included, in both releases"
        return failed(reason, releases=figures)
    alone = max((f["share_alone"] or 0.0 for f in figures), default=0.0)
    words = f"groups of at least {least_allowed} remain" if least_allowed else f"up to {alone:.1%} stand alone in both"
    return passed(words, releases=figures)


def _groups_of_people(groups: opened.Groups, uids: pl.Series, mapping: pl.DataFrame, name: str) -> pl.DataFrame:
    members = uids.to_frame("uid").with_columns(pl.Series(name, groups.of.astype(np.int64)))
    return members.join(mapping, on="uid", how="inner").select("original_uid", name)


def _earlier_groups(earlier: Earlier) -> pl.DataFrame:
    table = opened.read_table(earlier.release)
    if table is None or opened.wrong_columns(table, "boxes") or not table.num_rows:
        raise DataError(
            "an earlier release without readable boxes",
            expected="a release of boxes",
            hint="give its directory with --earlier",
        )
    boxes = opened.read_boxes(table)
    mapping = read_secret(earlier.secret, "mapping").select(pl.col("original_uid", "uid").cast(pl.String))
    return _groups_of_people(boxes.groups(), boxes.uids, mapping, "before")
