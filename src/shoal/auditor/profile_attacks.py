"""Attacks on profiles: what the values tell of whoever is known by all of them. Notes; the promises are about less."""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.interval import wilson
from shoal.auditor.case import MAX_TARGETS, Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.opened import Profiles
from shoal.auditor.profile_rows import Floats, alike, by_municipality, cells_of, profiles_of, recorded, same_weeks
from shoal.auditor.registry import check
from shoal.contract.claims import KAnonymousCells
from shoal.contract.kinds import PROFILES

_TIED = 1e-9
"""Squared distances that differ by less are equal."""

_AT_ONCE = 64
_UNIQUE = 1.0
_DECILES = np.linspace(0, 1, 11)


@check("attack_profile", kinds=(PROFILES,), needs=("opened",))
def attack_profile(case: Case, hold: Hold) -> Finding:
    """Whoever knows all cells of a profile: how many look the same, and does the nearest one give the person away?"""
    profiles = profiles_of(case)
    k = case.claim.k if isinstance(case.claim, KAnonymousCells) else 2
    cells, known = cells_of(profiles), set(case.claim.cells) if isinstance(case.claim, KAnonymousCells) else set()
    whole, outside = alike(profiles, cells).own_size, [name for name in cells if name not in known]
    figures: dict[str, object] = {"k": k, "cells": len(cells), "whole_profile": _risk(whole, k)}
    share = float((whole < k).mean())
    words = f"by all published cells {share:.1%} of the profiles look like fewer than {k} in their municipality"
    if known and outside:
        apart = alike(profiles, outside).own_size
        figures |= {"cells_outside_the_claim": len(outside), "outside_the_claim": _risk(apart, k)}
        words += (
            f", and {float((apart < k).mean()):.1%} by those that the claim is not about. Where somebody may know "
            "those, claim all weeks"
        )
    readable = all(profiles.rows[name].is_finite().all() for name in cells)
    if readable and not case.missing("original") and not case.missing("secret") and same_weeks(case):
        right, targets, blind = _nearest(case, profiles)
        rate = wilson(round(right), targets)
        figures |= {"nearest_is_right": rate.to_dict(), "nearest_baseline": round(blind, 6)}
        words += f"; the profile nearest to the recorded one is the person's in {rate.value:.1%} of cases"
    return hold.note(words, **figures)


def _risk(candidates: Ints, k: int) -> dict[str, object]:
    """Tell the risk of re-identification, 1 / candidates: deciles, the share at 1 and above 1/k."""
    risk = 1 / candidates
    return {
        "share_unique": round(float((risk == _UNIQUE).mean()), 6),
        "share_above_one_in_k": round(float((candidates < k).mean()), 6),
        "fewest": int(candidates.min()),
        "risk_deciles": [round(float(value), 6) for value in np.quantile(risk, _DECILES)],
    }


def _nearest(case: Case, profiles: Profiles) -> tuple[float, int, float]:
    """Take for some people the published profile of the municipality that is nearest to theirs; ties are shared.

    Returns how often that is right, of how many, and how often a blind guess is.
    """
    found, published = recorded(case), profiles.rows.select(cells_of(profiles)).to_numpy()
    targets = np.arange(found.row.size)
    if targets.size > MAX_TARGETS:
        targets = np.sort(case.rng.choice(targets, MAX_TARGETS, replace=False))
    town = by_municipality(profiles).of
    right = blind = 0.0
    place = town[found.row[targets]]
    for one in np.unique(place):
        there, mine = np.flatnonzero(town == one), targets[place == one]
        others = published[there]
        blind += mine.size / there.size
        for start in range(0, mine.size, _AT_ONCE):
            some = mine[start : start + _AT_ONCE]
            own = np.searchsorted(there, found.row[some])
            right += _hits(found.values[some], others, own)
    return right, int(targets.size), blind / max(targets.size, 1)


def _hits(known: Floats, published: Floats, own: Ints) -> float:
    """Add up the chance to hit the own profile among the nearest ones."""
    squares = (published**2).sum(axis=1) - 2 * known @ published.T + (known**2).sum(axis=1)[:, None]
    nearest = squares <= squares.min(axis=1, keepdims=True) + _TIED
    return float((nearest[np.arange(own.size), own] / nearest.sum(axis=1)).sum())
