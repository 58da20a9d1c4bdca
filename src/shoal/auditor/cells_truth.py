"""Profiles that agree are true: a group's value is the mean of its members', and nothing else was touched."""

import numpy as np

from shoal.attacks.interval import wilson
from shoal.auditor.case import Case
from shoal.auditor.cells import are_published, claimed, in_small
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.profile_rows import Floats, alike, cells_of, profiles_of, recorded, same_weeks
from shoal.auditor.registry import check
from shoal.contract.claims import KAnonymousCells
from shoal.contract.kinds import PROFILES

_ROUNDED = 1e-9
"""What the order of a sum may change of a mean."""

_NEEDS = ("opened", "secret", "original")


@check(
    "cells_truthful",
    kinds=(PROFILES,),
    claims=(KAnonymousCells,),
    examines=(),
    needs=_NEEDS,
    conditions=("weeks", "means", "outside", "kept"),
)
def cells_truthful(case: Case, hold: Hold) -> Finding:
    """Values in the cells of the claim are means of those who share them, and all others are those of the original."""
    if not hold("weeks", same_weeks(case), "the original has other weeks than the release"):
        return hold.stopped()
    if not are_published(case):
        return hold.not_run("cells of the claim are not published")
    profiles, found, cells = profiles_of(case), recorded(case), claimed(case).cells
    group = alike(profiles, list(cells)).of[found.row]
    small = in_small(case, profiles)[found.row]
    size = np.maximum(np.bincount(group), 1)
    off, changed, moved = (np.zeros(found.row.size, np.bool_) for _ in range(3))
    for number, name in enumerate(cells_of(profiles)):
        said, true = profiles.rows[name].to_numpy()[found.row], found.values[:, number]
        moved |= said != true
        if name in cells:
            off |= np.abs(said - (np.bincount(group, true) / size)[group]) > _ROUNDED
        else:
            changed |= said != true
    hold.none("means", int((off & ~small).sum()), "profiles have values that are not the mean of those who share them")
    hold.none("outside", int((changed & ~small).sum()), "profiles are changed in cells that the claim is not about")
    words = "profiles of municipalities that were to be kept as they were are changed"
    hold.none("kept", int((moved & small).sum()), words)
    words = "values in the cells of the claim are means of their groups, all others are those of the original"
    return hold.passed(words, profiles=int(found.row.size), changed=int(moved.sum()))


@check("cells_alike", kinds=(PROFILES,), claims=(KAnonymousCells,), examines=(), needs=_NEEDS)
def cells_alike(case: Case, hold: Hold) -> Finding:
    """Where all who agree had the same values before, what is published of them is exact: a note."""
    if not are_published(case) or not same_weeks(case):
        return hold.not_run("release and original have no cells of the claim in common")
    profiles, found, cells = profiles_of(case), recorded(case), claimed(case).cells
    groups = alike(profiles, list(cells))
    at = [number for number, name in enumerate(cells_of(profiles)) if name in cells]
    exact = _exact(profiles.rows.select(cells).to_numpy()[found.row], found.values[:, at])
    others = np.bincount(groups.of[found.row], ~exact.all(axis=1), groups.size.size) > 0
    same = wilson(int((~others).sum()), groups.size.size)
    values = wilson(int(exact.sum()), exact.size)
    words = (
        f"{same.value:.1%} of groups had the same values already, so what is published of their members is exact, "
        "without singling anybody out. Where that matters, take a larger k"
    )
    return hold.note(words, groups_of_one_value=same.to_dict(), values_as_recorded=values.to_dict())


def _exact(said: Floats, true: Floats) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    return np.asarray(np.abs(said - true) <= _ROUNDED)
