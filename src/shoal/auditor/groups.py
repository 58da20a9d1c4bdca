"""Groups: how many look exactly the same, in names and in people."""

import polars as pl

from shoal.attacks.interval import wilson
from shoal.attacks.outcome import Outcome
from shoal.auditor.attackers import outcomes
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.registry import check
from shoal.contract.claims import KAnonymity
from shoal.contract.kinds import BOXES


@check("group_size", kinds=(BOXES,), claims=(KAnonymity,), needs=("opened",), conditions=("at_least_k",))
def group_size(case: Case, hold: Hold) -> Finding:
    """Each sequence of boxes is published at least k times, row by row the same."""
    assert case.k is not None
    sizes = case.groups.size
    small = sizes < case.k
    below = int(small.sum())
    hold.none("at_least_k", below, f"groups have fewer than k = {case.k} identical sequences")
    return hold.passed(
        f"every sequence is published at least {case.k} times",
        k=case.k,
        groups=int(sizes.size),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        groups_below_k=below,
        names_below_k=int(sizes[small].sum()),
    )


@check("people_per_group", kinds=(BOXES,), claims=(KAnonymity,), needs=("opened", "secret"), conditions=("at_least_k",))
def people_per_group(case: Case, hold: Hold) -> Finding:
    """Groups are counted in people: one person under two names hides nobody."""
    assert case.k is not None
    groups = case.names.to_frame("uid").with_columns(group=case.groups.of)
    members = groups.join(case.mapping, on="uid", how="left")
    people = members.group_by("group").agg(pl.col("original_uid").drop_nulls().n_unique())["original_uid"].to_numpy()
    small = int((people < case.k).sum())
    hold.none("at_least_k", small, f"groups have fewer than k = {case.k} different people")
    words = f"every group has at least {case.k} different people"
    return hold.passed(words, k=case.k, smallest=int(people.min()), groups_below_k=small)


@check(
    "require_k",
    kinds=(BOXES,),
    needs=("opened",),
    conditions=("whole_trace", "attacked"),
    demanded=lambda case: case.require_k is not None,
)
def require_k(case: Case, hold: Hold) -> Finding:
    """A demand that the manifest may not make: no attacker is left with fewer than K candidates."""
    k = case.require_k
    if k is None:
        return hold.not_run("no `require_k` was given")
    everybody = Outcome(case.groups.own_size, case.names.len())
    tried = not (case.missing("original") or case.missing("map"))
    attacks = outcomes(case) if tried else {}
    found = {"whole_trace": everybody, **attacks}
    below = {name: outcome.below(k) / max(outcome.candidates.size, 1) for name, outcome in found.items()}
    hold(
        "whole_trace",
        not below["whole_trace"],
        f"demand not met: {below['whole_trace']:.1%} of the published people look like fewer than {k}, and "
        f"{everybody.unique / everybody.candidates.size:.1%} are unique",
    )
    worst = max(attacks, key=lambda name: below[name], default="whole_trace")
    words = f"demand not met: with {worst} {below[worst]:.1%} have fewer than {k} candidates"
    hold("attacked", not attacks or not below[worst], words)
    without = "" if tried else "; points and places need `original`"
    return hold.passed(
        f"at least {k} candidates for each attacker that ran{without}",
        require_k=k,
        unique=wilson(everybody.unique, everybody.candidates.size).to_dict(),
        fewest_candidates={name: outcome.fewest for name, outcome in found.items()},
        share_below={name: round(share, 6) for name, share in below.items()},
        attackers=sorted(found),
    )
