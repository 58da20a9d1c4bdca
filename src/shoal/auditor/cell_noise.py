"""Noise in the values of profiles: is it the noise that is claimed, for everybody, and new for each value?"""

import math

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import distinct
from shoal.auditor.case import Case
from shoal.auditor.cell_draws import Draws, Law, draws
from shoal.auditor.chance import SURE, ks, poisson_tail
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.noise_seeds import LENGTH, drawn_again
from shoal.auditor.profile_rows import Floats, Recorded, cells_of, profiles_of, recorded, same_weeks
from shoal.auditor.registry import check
from shoal.contract.claims import CellNoise
from shoal.contract.claims.profiles import NOISE_STEPS
from shoal.contract.kinds import PROFILES

_LEVELS = 20
"""Recorded values are looked at together in so many steps from 0 to 1."""

_MOST_KEYS = 1_000_000
"""So many stretches of noise are compared with each other."""

_STRETCH = 3
_LEAST_PAIRS = 100


@check("noise_grid", kinds=(PROFILES,), claims=(CellNoise,), examines=(), needs=("opened",), conditions=("on_grid",))
def noise_grid(case: Case, hold: Hold) -> Finding:
    """Values with noise lie on the public grid: digits beyond it would tell of the recorded value, or of anything."""
    profiles = profiles_of(case)
    off = 0
    for name in cells_of(profiles):
        values = profiles.rows[name].to_numpy()
        off += int((np.rint(values * NOISE_STEPS) / NOISE_STEPS != values).sum())
    hold.none("on_grid", off, f"values are not whole steps of 1/{NOISE_STEPS}")
    return hold.passed(f"all values are whole steps of 1/{NOISE_STEPS}")


@check(
    "cells_noise",
    kinds=(PROFILES,),
    claims=(CellNoise,),
    needs=("opened", "secret", "original"),
    conditions=(*("weeks", "law", "everywhere", "all_moved", "people_alike", "new_draws", "independent", "seeded"),),
)
def cells_noise(case: Case, hold: Hold) -> Finding:
    """What was added to each value is the noise of the claim, cut to 0…1, everywhere and new each time."""
    assert isinstance(case.claim, CellNoise)
    if not hold("weeks", same_weeks(case), "the original has other weeks than the release"):
        return hold.stopped()
    profiles, found, epsilon = profiles_of(case), recorded(case), case.claim.epsilon
    if not found.row.size:
        return hold.not_run("nobody is known")
    said = profiles.rows.select(cells_of(profiles)).to_numpy()[found.row]
    law = Law.of(epsilon)
    drawn = draws(said, found.values, law, case.rng)
    figures: dict[str, object] = {"draws": int(said.size), "cut_share": round(1 - float(drawn.inside.mean()), 4)}
    _law(hold, drawn, found, figures)
    _people(hold, drawn, found, law)
    _again(hold, drawn, found, law, figures, case.rng)
    again = any(drawn_again(*sequence, epsilon) for sequence in _sequences(said, found))
    hold("seeded", not again, "the noise is what a common generator draws from a seed that anybody would try")
    words = "values are the recorded ones plus the noise that is claimed, drawn anew each time"
    return hold.passed(words, **figures)


def _law(hold: Hold, drawn: Draws, found: Recorded, figures: dict[str, object]) -> None:
    """Compare where draws lie within their law with evenness, on the whole, by cell and by recorded value."""
    whole = _even(drawn.place, drawn.loose)
    hold("law", whole >= SURE, "what was added to values is not the noise that is claimed")
    level = np.rint(found.values * _LEVELS).astype(np.int64)
    parts = [_even(drawn.place[:, cell], drawn.loose[:, cell]) for cell in range(level.shape[1])]
    parts += [_even(drawn.place[mine], drawn.loose[mine]) for mine in (level == one for one in np.unique(level))]
    worst = min(1.0, min(parts) * len(parts))
    hold("everywhere", worst >= SURE, "some cells, or values that were recorded alike, have another noise than claimed")
    figures |= {"p_law": float(f"{whole:.2g}"), "p_everywhere": float(f"{worst:.2g}")}


def _even(place: Floats, loose: Floats) -> float:
    place, loose = place.ravel(), loose.ravel()
    if not loose.any():
        ordered = np.sort(place)
        return ks(ordered, ordered)
    return ks(np.sort(place - loose), np.sort(place + loose))


def _people(hold: Hold, drawn: Draws, found: Recorded, law: Law) -> None:
    """Nobody's values are left as they were, or moved by less or by more than others'."""
    from scipy.special import gammainc, gammaincc

    inside = drawn.same_chance < 2 * law.none + 1e-12
    still = int((drawn.same & inside).sum())
    expected = float(drawn.same_chance[inside].sum())
    hold("all_moved", poisson_tail(still, expected) >= SURE, f"{still:,} values are as they were recorded")
    people = found.person
    there = np.unique(people)
    told = np.bincount(people, drawn.inside.sum(axis=1))[there]
    # A share of what is not cut may be off by more than one of everything.
    loose = 2 * drawn.loose / np.maximum(1 - drawn.cut_chance, 1e-9)
    # Of an even number between 0 and 1 the negative logarithm is exponential, and a sum of n of them gamma of shape n.
    low, high = (
        np.bincount(people, (drawn.inside * -np.log1p(-shifted.clip(0, 1 - 1e-15))).sum(axis=1))[there]
        for shifted in (drawn.extent - loose, drawn.extent + loose)
    )
    likely = np.where(told > 0, np.minimum(gammaincc(told.clip(1), low), gammainc(told.clip(1), high)), 1.0)
    shape = np.bincount(people)[there] * drawn.place.shape[1]
    for seen, chances in ((drawn.same, drawn.same_chance), (~drawn.inside, drawn.cut_chance)):
        share, chance = (np.bincount(people, table.sum(axis=1))[there] / shape for table in (seen, chances))
        likely = np.minimum(likely, np.exp(-shape * _divergence(share, chance)))
    fine = float(likely.min()) * 4 * there.size >= SURE
    hold("people_alike", fine, "some people's values have less noise than is claimed, or more")


def _divergence(share: Floats, chance: Floats) -> Floats:
    """How much larger a share of successes is than its chance: of n tries one in exp(n times this) is so (Chernoff)."""
    share, chance = np.maximum(share, chance).clip(0, 1), chance.clip(1e-300, 1 - 1e-16)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.where(share > 0, share * np.log(share / chance), 0.0)
        second = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - chance)), 0.0)
    return np.asarray(first + second)


def _again(
    hold: Hold, drawn: Draws, found: Recorded, law: Law, figures: dict[str, object], rng: np.random.Generator
) -> None:
    """Noise that comes back, or follows from another, is no noise for whoever knows one of the two."""
    fine, worst, tests = _stretches_apart(drawn, law, rng), 0.0, 0
    for one, other in _neighbours(drawn, found, rng):
        both = drawn.inside.ravel()[one] & drawn.inside.ravel()[other]
        same = both & (drawn.steps.ravel()[one] == drawn.steps.ravel()[other])
        fine &= poisson_tail(int(same.sum()), one.size * law.meeting) >= SURE
        if one.size >= _LEAST_PAIRS:
            product = (drawn.place.ravel()[one] - 0.5) @ (drawn.place.ravel()[other] - 0.5)
            worst, tests = max(worst, abs(float(product)) * 12 / math.sqrt(one.size)), tests + 1
    hold("new_draws", fine, "noise that was used before, in another cell or for somebody else")
    fine = not tests or math.erfc(worst / math.sqrt(2)) * tests >= SURE
    hold("independent", fine, "draws of noise follow from each other")
    figures["largest_correlation_z"] = round(worst, 2)


def _neighbours(drawn: Draws, found: Recorded, rng: np.random.Generator) -> list[tuple[Ints, Ints]]:
    """Pair each draw with the next: in its profile, and in its cell by person, name, municipality and rank in it."""
    rows, cells = drawn.steps.shape
    at = np.arange(rows * cells).reshape(rows, cells)
    by_town = np.lexsort((found.person, found.municipality))
    start = np.searchsorted(found.municipality[by_town], found.municipality[by_town])
    rank = np.empty(rows, np.int64)
    rank[by_town] = np.arange(rows) - start
    orders = [np.arange(rows), np.argsort(found.row), by_town, np.lexsort((found.municipality, rank))]
    # Of many rows a stretch of neighbours from anywhere is enough.
    most = max(_MOST_KEYS // cells, 2)
    starts = rng.integers(0, max(rows - most, 0) + 1, len(orders))
    orders = [order[start : start + most] for order, start in zip(orders, starts.tolist(), strict=True)]
    pairs = [(at[order[:-1]].ravel(), at[order[1:]].ravel()) for order in orders]
    return [(at[orders[0], :-1].ravel(), at[orders[0], 1:].ravel()), *pairs]


def _stretches_apart(drawn: Draws, law: Law, rng: np.random.Generator) -> bool:
    """Tell whether no three draws in a row come back more often than chance has it, anywhere."""
    rows, cells = drawn.steps.shape
    each = cells - _STRETCH + 1
    if each < 1:
        return True
    some = np.arange(rows) if rows * each <= _MOST_KEYS else rng.permutation(rows)[: _MOST_KEYS // each]
    parts = [slice(start, start + each) for start in range(_STRETCH)]
    inside = np.logical_and.reduce([drawn.inside[some, part] for part in parts])
    *_, often = distinct(tuple(drawn.steps[some, part][inside] for part in parts))
    together, tried = float((often * (often - 1) / 2).sum()), some.size * each
    expected = tried * (tried - 1) / 2 * law.meeting**_STRETCH
    # Pairs of one stretch are not independent of each other: twice what is expected is no chance, a little more may be.
    return bool(together <= 2 * expected + 50 or poisson_tail(int(together), 2 * expected) >= SURE)


def _sequences(said: Floats, found: Recorded) -> list[tuple[Ints, Ints]]:
    """Values in the orders in which noise may have been drawn: by person, municipality or name; by row or by cell."""
    rows = len(said)
    orders = [np.arange(rows), np.lexsort((found.person, found.municipality)), np.argsort(found.row)]
    sequences = []
    for order in orders:
        some = order[:LENGTH]
        tables = [np.rint(values[some] * NOISE_STEPS).astype(np.int64) for values in (said, found.values)]
        sequences += [(tables[0].ravel(), tables[1].ravel()), (tables[0].T.ravel(), tables[1].T.ravel())]
    return sequences
