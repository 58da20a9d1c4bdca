"""Groups: how many look exactly the same, in names and in people."""

import polars as pl

from shoal.attacks.interval import wilson
from shoal.attacks.outcome import Outcome
from shoal.auditor.attackers import outcomes
from shoal.auditor.case import Case
from shoal.auditor.registry import Finding, check, failed, not_run, passed


@check("group_size", "boxes", "k")
def group_size(case: Case) -> Finding:
    """Each sequence of boxes is published at least k times, row by row the same."""
    assert case.k is not None
    sizes = case.groups.size
    small = sizes < case.k
    figures = {
        "k": case.k,
        "groups": int(sizes.size),
        "smallest": int(sizes.min()),
        "largest": int(sizes.max()),
        "groups_below_k": int(small.sum()),
        "names_below_k": int(sizes[small].sum()),
    }
    if small.any():
        return failed(f"{int(small.sum()):,} groups have fewer than k = {case.k} identical sequences", **figures)
    return passed(f"every sequence is published at least {case.k} times", **figures)


@check("people_per_group", "boxes", "k", "secret")
def people_per_group(case: Case) -> Finding:
    """Groups are counted in people: one person under two names hides nobody."""
    assert case.k is not None
    groups = case.published.uids.to_frame("uid").with_columns(group=case.groups.of)
    members = groups.join(case.mapping, on="uid", how="left")
    people = members.group_by("group").agg(pl.col("original_uid").drop_nulls().n_unique())["original_uid"].to_numpy()
    small = int((people < case.k).sum())
    figures = {"k": case.k, "smallest": int(people.min()), "groups_below_k": small}
    if small:
        return failed(f"{small:,} groups have fewer than k = {case.k} different people", **figures)
    return passed(f"every group has at least {case.k} different people", **figures)


@check("require_k", "boxes")
def require_k(case: Case) -> Finding:
    """A demand that the manifest may not make: no attacker is left with fewer than K candidates."""
    k = case.require_k
    if k is None:
        return not_run("no --require-k was given")
    everybody = Outcome(case.groups.own_size, case.published.uids.len())
    found: dict[str, Outcome] = {"whole_trace": everybody}
    attacked = not (case.missing("original") or case.missing("map"))
    if attacked:
        found |= outcomes(case)
    below = {name: outcome.below(k) for name, outcome in found.items()}
    figures = {
        "require_k": k,
        "unique": wilson(everybody.unique, everybody.candidates.size).to_dict(),
        "fewest_candidates": {name: outcome.fewest for name, outcome in found.items()},
        "share_below": {name: round(n / max(found[name].candidates.size, 1), 6) for name, n in below.items()},
        "attackers": sorted(found),
    }
    if any(below.values()):
        worst = max(below, key=lambda name: below[name] / max(found[name].candidates.size, 1))
        share = below[worst] / found[worst].candidates.size
        alone = everybody.unique / everybody.candidates.size
        reason = f"{share:.1%} have fewer than {k} candidates ({worst}); {alone:.1%} of the published people are unique"
        return failed(reason, **figures)
    without = "" if attacked else "; points and places need --original"
    return passed(f"at least {k} candidates for each attacker that ran{without}", **figures)
