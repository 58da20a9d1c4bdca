"""Geo-indistinguishability: is what was added to places the noise that is claimed, and new for each draw?"""

import math

import numpy as np
import polars as pl

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import distinct
from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, ks, poisson_tail
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.points_draws import Draws, Matched, by_cell, matched
from shoal.auditor.points_geometry import RADIUS_M, ROUNDED_M, Floats
from shoal.auditor.points_parts import Published, published
from shoal.auditor.registry import check
from shoal.contract.claims import GeoIndistinguishability
from shoal.contract.kinds import POINTS

_BAND = 10
"""Degrees of latitude that are looked at together: noise in degrees is another one in each."""

_SAME_M = 0.25
"""Draws that differ by less than places are rounded by are the same."""

_STRETCHES = (10, 50)
"""So many points of a person that follow each other are looked at together."""

_LAGS = 5
"""A draw is compared with so many that follow it."""

_LEAST_OF_A_PERSON = 10
_MOST_PAIRED = 3_000_000
"""So many draws are compared with each other; of more those of some people, at random."""


@check(
    "noise_law",
    kinds=(POINTS,),
    claims=(GeoIndistinguishability,),
    needs=("opened", "secret", "original"),
    conditions=(
        *("times", "from_record", "radius", "angle", "all_moved", "not_cut", "no_hole", "scale", "people_alike"),
        *("stretches_alike", "new_draws", "people_apart", "independent", "lengths_apart", "one_per_cell", "own_places"),
        "nobody_withheld",
    ),
)
def noise_law(case: Case, hold: Hold) -> Finding:
    """The way from a record to its point is planar Laplace noise in metres, everywhere, and new for each draw."""
    assert isinstance(case.claim, GeoIndistinguishability)
    epsilon, points = case.claim.epsilon_per_m, published(case)
    found = matched(case, points)
    hold.none("times", found.unlike, "points without a record of their person at that time, or records without a point")
    others = case.suppressed.filter(pl.col("reason") != "screened").height
    hold.none("nobody_withheld", others, "people withheld, where noise leaves out nobody")
    memo, draws, when = case.parameters.get("memo_cell_m"), found.draws, "anew each time"
    if isinstance(memo, int | float) and memo > 0:
        draws, when = _cells(hold, found, points, float(memo), epsilon), "once for each person and cell"
    figures: dict[str, object] = {"draws": int(draws.person.size), "mean_m": 0.0, "expected_mean_m": 2 / epsilon}
    if draws.person.size:
        figures["mean_m"] = round(float(draws.radius.mean()), 2)
        _law(hold, draws, epsilon, figures)
        _each(hold, draws, epsilon)
        _independence(hold, draws, epsilon, figures, case.rng)
    return hold.passed(f"points are their records plus the noise that is claimed, drawn {when}", **figures)


def _cells(hold: Hold, found: Matched, points: Published, memo_m: float, epsilon: float) -> Draws:
    """One published place for each person and cell of the lattice, and no place for several."""
    seen = by_cell(found, points, memo_m)
    hold.none("one_per_cell", seen.several, "cells of a person with several draws of noise")
    # No place is more likely than the very middle, and a place is 0.11 m wide and high at most.
    pairs = seen.draws.person.size * (seen.draws.person.size - 1) / 2
    by_chance = pairs * epsilon**2 / (2 * math.pi) * 0.11**2
    hold("own_places", poisson_tail(seen.shared, by_chance) >= SURE, "places that stand for several cells or people")
    return seen.draws


def _law(hold: Hold, draws: Draws, epsilon: float, figures: dict[str, object]) -> None:
    """Compare radius and angle with the law, in each band of latitudes (Kolmogorov and Smirnov)."""
    band = np.floor(draws.lat / _BAND).astype(np.int64)
    worst = {"radius": 1.0, "angle": 1.0}
    bands = np.unique(band)
    for one in bands:
        mine = draws if bands.size == 1 else draws.take(band == one)
        radius = mine.radius
        # Rounding moves a point by a little, and far away a metre to the east is another one.
        loose = ROUNDED_M / 2 + radius**2 / RADIUS_M
        low, high = np.maximum(radius - loose, 0), radius + loose
        far = radius > 4 * loose
        worst["radius"] = min(worst["radius"], ks(_gamma(np.sort(epsilon * low)), _gamma(np.sort(epsilon * high))))
        turn = np.arctan2(mine.north[far], mine.east[far]) / (2 * math.pi) + 0.5
        off = np.arcsin(loose[far] / radius[far]) / (2 * math.pi)
        worst["angle"] = min(worst["angle"], ks(np.sort(turn - off), np.sort(turn + off)))
    words = {
        "radius": "distances between records and points are not those of the noise that is claimed",
        "angle": "points are not moved equally in all directions, as noise in degrees would not be",
    }
    for name, p in worst.items():
        hold(name, min(1.0, p * 2 * bands.size) >= SURE, words[name])
        figures[f"p_{name}"] = float(f"{p:.2g}")
    figures["latitude_bands"] = int(bands.size)


def _gamma(scaled: Floats) -> Floats:
    """The share of draws nearer than this: the radius follows a gamma law of shape 2."""
    return np.asarray(-np.expm1(-scaled) - scaled * np.exp(-scaled))


def _each(hold: Hold, draws: Draws, epsilon: float) -> None:
    """Nobody's points are left where they were, moved by less than others', or by more than noise ever does."""
    from scipy.special import gammainc, gammaincc

    n, radius = draws.person.size, draws.radius
    still = int((radius <= ROUNDED_M).sum())
    expected = n * float(_gamma(np.array(epsilon * 2 * ROUNDED_M)))
    hold("all_moved", poisson_tail(still, expected) >= SURE, f"{still:,} points are where they were recorded")
    farthest = float(radius.max(initial=0.0))
    hold("from_record", n * float(gammaincc(2, epsilon * farthest)) >= SURE, "points too far from their record")
    # Few draws of many are very large or very small. That none is shows where noise was cut off, however little.
    beyond = float(gammaincc(2, epsilon * (farthest + ROUNDED_M + farthest**2 / RADIUS_M)))
    hold("not_cut", n * math.log1p(-min(beyond, 0.5)) >= math.log(SURE), "noise is cut off: no draw is large")
    within = float(_gamma(np.array(epsilon * max(float(radius.min()) - ROUNDED_M, 0.0))))
    hold("no_hole", n * math.log1p(-min(within, 0.5)) >= math.log(SURE), "noise has a hole: no draw is small")
    count, slack = np.bincount(draws.person), ROUNDED_M / 2
    together = [epsilon * float(np.maximum(radius + off, 0).sum()) for off in (-slack, slack)]
    likely = 2 * min(float(gammaincc(2 * n, together[0])), float(gammainc(2 * n, together[1])))
    hold("scale", likely >= SURE, "points are moved by less or by more, on the mean, than is claimed")
    hold("stretches_alike", _stretches(draws, epsilon) >= SURE, "stretches of somebody's points are hardly moved")
    many = np.flatnonzero(count >= _LEAST_OF_A_PERSON)
    if many.size:
        low, high = (
            np.bincount(draws.person, epsilon * np.maximum(r, 0))[many] for r in (radius - slack, radius + slack)
        )
        shape = 2 * count[many]
        likely = float(np.minimum(gammaincc(shape, low), gammainc(shape, high)).min()) * 2 * many.size
        hold("people_alike", likely >= SURE, "some people's points are moved by less or by more than is claimed")


def _stretches(draws: Draws, epsilon: float) -> float:
    """The chance of the stretch of a person's points that is moved least, among all stretches of some lengths."""
    from scipy.special import gammainc

    order = np.lexsort((draws.t_us, draws.person))
    person, so_far = draws.person[order], np.concatenate(([0], np.cumsum(draws.radius[order] + ROUNDED_M / 2)))
    worst = 1.0
    for long in _STRETCHES:
        # Of fewer points there is no such stretch, and an end below zero would count from the other side.
        first = np.flatnonzero(person[: max(person.size - long + 1, 0)] == person[long - 1 :])
        if first.size:
            least = epsilon * float((so_far[first + long] - so_far[first]).min())
            worst = min(worst, len(_STRETCHES) * first.size * float(gammainc(2 * long, least)))
    return worst


def _few(draws: Draws, rng: np.random.Generator) -> Draws:
    """Return everything of some people, where there is much: sorting it by time and by place takes long."""
    if draws.person.size <= _MOST_PAIRED:
        return draws
    count = np.bincount(draws.person)
    order = rng.permutation(count.size)
    chosen = np.zeros(count.size, np.bool_)
    chosen[order[: max(2, int(np.searchsorted(np.cumsum(count[order]), _MOST_PAIRED)))]] = True
    return draws.take(chosen[draws.person])


def _independence(
    hold: Hold, draws: Draws, epsilon: float, figures: dict[str, object], rng: np.random.Generator
) -> None:
    """Noise that comes back, for the same person or another's, is no noise for whoever knows one of the two."""
    draws = _few(draws, rng)
    within, again = _in_time(draws), _again_within(draws, epsilon)
    hold("new_draws", _by_chance(draws, within, epsilon) and again, "noise that was used again for the same person")
    others = _pairs(draws)
    fine = all(_by_chance(draws, pairs, epsilon) for pairs in others.values())
    hold("people_apart", fine, "people who have the same noise")
    z = max(_correlation(draws, pairs) for pairs in (within, others["rank"]))
    hold("independent", math.erfc(z / math.sqrt(2)) * 4 >= SURE, "draws of noise follow from each other")
    figures["largest_correlation_z"] = round(z, 2)
    hold("lengths_apart", _lengths_by_chance(draws, epsilon), "draws of one length follow each other, turned around")


def _lengths_by_chance(draws: Draws, epsilon: float) -> bool:
    """Tell whether draws of a person that follow each other closely are equally long no more often than by chance."""
    order = np.lexsort((draws.t_us, draws.person))
    length, person = draws.radius[order], draws.person[order]
    # The square of the density of the length, summed up, is a quarter of epsilon.
    chance = min(1.0, 2 * _SAME_M * epsilon / 4)
    for lag in range(1, _LAGS + 1):
        mine = person[lag:] == person[:-lag]
        same = int((np.abs(length[lag:] - length[:-lag])[mine] <= _SAME_M).sum())
        if poisson_tail(same, int(mine.sum()) * chance) * _LAGS < SURE:
            return False
    return True


Pairs = tuple[Ints, Ints]


def _in_time(draws: Draws) -> Pairs:
    """Pair each draw of a person with the next one."""
    return _neighbours(np.lexsort((draws.t_us, draws.person)), draws.person)


def _neighbours(order: Ints, *same: Ints) -> Pairs:
    """Return neighbours in an order that agree in these columns."""
    a, b = order[:-1], order[1:]
    fine = np.ones(a.size, np.bool_)
    for column in same:
        fine &= column[a] == column[b]
    return a[fine], b[fine]


def _pairs(draws: Draws) -> dict[str, Pairs]:
    """Pair draws of different people: equal place in their order, equal time, equal place on the map."""
    start = np.searchsorted(draws.person, draws.person)
    rank = np.arange(draws.person.size) - start
    micro = [np.rint(column * 1e6).astype(np.int64) for column in (draws.lat, draws.lng)]
    pairs = {
        "rank": _neighbours(np.lexsort((draws.person, rank)), rank),
        "time": _neighbours(np.lexsort((draws.person, draws.t_us)), draws.t_us),
        "place": _neighbours(np.lexsort((draws.person, *micro)), *micro),
    }
    return {name: _of_two(draws, *found) for name, found in pairs.items()}


def _of_two(draws: Draws, a: Ints, b: Ints) -> Pairs:
    apart = draws.person[a] != draws.person[b]
    return a[apart], b[apart]


def _by_chance(draws: Draws, pairs: Pairs, epsilon: float) -> bool:
    """Tell whether so many pairs of draws are the same by chance."""
    a, b = pairs
    same = (np.abs(draws.east[a] - draws.east[b]) <= _SAME_M) & (np.abs(draws.north[a] - draws.north[b]) <= _SAME_M)
    return poisson_tail(int(same.sum()), a.size * _meeting(epsilon)) >= SURE


def _meeting(epsilon: float) -> float:
    """The chance that two independent draws are the same, up to rounding: the square of the density, summed up."""
    return min(1.0, epsilon**2 / (8 * math.pi) * (2 * _SAME_M) ** 2)


def _again_within(draws: Draws, epsilon: float) -> bool:
    """Tell whether no person has the same draw at another time more often than chance has it."""
    cell = [np.rint(column / _SAME_M).astype(np.int64) for column in (draws.east, draws.north)]
    *_, often = distinct((draws.person, *cell))
    count = np.bincount(draws.person)
    together = float((often * (often - 1) / 2).sum())
    expected = float((count * (count - 1) / 2).sum()) * epsilon**2 / (8 * math.pi) * _SAME_M**2
    # Pairs of one draw are not independent of each other: twice what is expected is no chance, a little more may be.
    return bool(together <= 2 * expected + 50 or poisson_tail(int(together), 2 * expected) >= SURE)


def _correlation(draws: Draws, pairs: Pairs) -> float:
    """Return how many standard deviations the correlation of paired draws is from none."""
    a, b = pairs
    if a.size < _LEAST_OF_A_PERSON:
        return 0.0
    worst = 0.0
    for column in (draws.east, draws.north):
        # Long tails make a product of two draws large now and then: signs do not care.
        agree = float(np.sign(column[a]) @ np.sign(column[b]))
        worst = max(worst, abs(agree) / math.sqrt(a.size))
    return worst
