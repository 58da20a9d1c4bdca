"""Profiles that agree on some cells: how many in a municipality have the very same values there, and how many people.

The cells are those of the claim, what an attacker may know. What the parameters say of them has to be the same.
"""

import numpy as np
import polars as pl

from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Groups, Profiles
from shoal.auditor.profile_rows import alike, by_municipality, cells_of, profiles_of
from shoal.auditor.registry import check
from shoal.contract.claims import KAnonymousCells
from shoal.contract.kinds import PROFILES, cell_names

_KEPT = "keep"
"""What the parameter `small` says where small municipalities are published as they were."""


def claimed(case: Case) -> KAnonymousCells:
    """Return the claim, for checks of it."""
    assert isinstance(case.claim, KAnonymousCells)
    return case.claim


def are_published(case: Case) -> bool:
    """Tell whether the cells of the claim are there."""
    return set(claimed(case).cells) <= set(cells_of(profiles_of(case)))


def keeps_small(case: Case) -> bool:
    """Tell whether the manifest says that small municipalities are published: its words then say so, too."""
    return case.parameters.get("small") == _KEPT


def in_small(case: Case, profiles: Profiles) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which rows are of a municipality with fewer than k published profiles."""
    return np.asarray(by_municipality(profiles).own_size < claimed(case).k)


@check(
    "cells_agree",
    kinds=(PROFILES,),
    claims=(KAnonymousCells,),
    needs=("opened",),
    conditions=("published", "at_least_k", "small"),
)
def cells_agree(case: Case, hold: Hold) -> Finding:
    """In each municipality the values in the cells of the claim are published at least k times, bit for bit."""
    claim, profiles = claimed(case), profiles_of(case)
    if not hold("published", are_published(case), "cells of the claim that are not published"):
        return hold.stopped()
    groups, small = alike(profiles, list(claim.cells)), in_small(case, profiles)
    model_small = small[groups.model]
    below = (groups.size < claim.k) & ~model_small
    words = f"groups of profiles in a municipality, equal in the cells of the claim, have fewer than k = {claim.k}"
    hold.none("at_least_k", int(below.sum()), words)
    towns = int(profiles.municipality.filter(pl.Series(small)).n_unique())
    words = f"municipalities with fewer than k = {claim.k} profiles are published, and the parameters do not say so"
    hold.none("small", 0 if keeps_small(case) else towns, words)
    sizes = groups.size[~model_small]
    reason = f"in every municipality at least {claim.k} profiles agree in the cells of the claim"
    if towns:
        reason += f"; {towns:,} with fewer profiles are published on request, and nobody is hidden there"
    return hold.passed(
        reason,
        k=claim.k,
        cells=len(claim.cells),
        groups=int(sizes.size),
        smallest=int(sizes.min(initial=profiles.rows.height)),
        largest=int(sizes.max(initial=0)),
        groups_below_k=int(below.sum()),
        small_municipalities=towns,
        profiles_in_small_municipalities=int(small.sum()),
    )


@check(
    "people_agree",
    kinds=(PROFILES,),
    claims=(KAnonymousCells,),
    needs=("opened", "secret"),
    conditions=("at_least_k",),
)
def people_agree(case: Case, hold: Hold) -> Finding:
    """Profiles that agree are counted in people: one person with two of them hides nobody."""
    claim, profiles = claimed(case), profiles_of(case)
    if not are_published(case):
        return hold.not_run("cells of the claim are not published")
    groups = alike(profiles, list(claim.cells))
    people = _people(case, profiles, groups)[~in_small(case, profiles)[groups.model]]
    below = int((people < claim.k).sum())
    hold.none("at_least_k", below, f"groups of equal profiles are of fewer than k = {claim.k} different people")
    words = f"profiles that agree are of at least {claim.k} different people"
    return hold.passed(words, k=claim.k, smallest=int(people.min(initial=profiles.rows.height)), groups_below_k=below)


def _people(case: Case, profiles: Profiles, groups: Groups) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Count the people of each group; a name that leads to nobody counts as none."""
    whose = case.mapping.select("uid", "original_uid").unique("uid", keep="first")
    members = profiles.rows.select("uid").with_columns(group=groups.of).join(whose, on="uid", how="inner")
    found = members.drop_nulls().unique(["group", "original_uid"])["group"].to_numpy()
    return np.bincount(found, minlength=groups.size.size)


@check(
    "cells_named",
    kinds=(PROFILES,),
    claims=(KAnonymousCells,),
    examines=(),
    needs=("opened",),
    conditions=("weeks", "known"),
)
def cells_named(case: Case, hold: Hold) -> Finding:
    """The cells of the claim are those that the parameters say an attacker may know."""
    cells, weeks, known = list(claimed(case).cells), case.parameters.get("weeks"), case.parameters.get("known")
    hold("known", known is None or known == cells, "the claim is about other cells than `known` among the parameters")
    if known is None and weeks is not None:
        wanted = cells_of(profiles_of(case)) if weeks == "all" else _first(weeks)
        hold("weeks", cells == wanted, "the claim is about other cells than `weeks` among the parameters")
    return hold.passed("the cells of the claim are those of the parameters", cells=len(cells))


def _first(weeks: object) -> list[str] | None:
    return list(cell_names(weeks)) if type(weeks) is int else None
