"""The attackers at work: for a release that promises k, nobody may be left with 1 … k-1 candidates.

Points and places are tried on people one by one (of large data on a random sample); what holds for everybody follows
from the groups: whatever is known, candidates come as whole groups of identical sequences.
"""

import re
from typing import Any
from weakref import WeakKeyDictionary

from shoal.attacks.crowd import Ints
from shoal.attacks.home_work import HomeWork, home_work
from shoal.attacks.outcome import Outcome
from shoal.attacks.times_only import times_only
from shoal.attacks.top_places import top_places
from shoal.attacks.unicity import unicity
from shoal.auditor.case import Case
from shoal.auditor.registry import Finding, check, failed, passed

POINTS, PLACES = 5, 3

_DONE: WeakKeyDictionary[Case, dict[str, Outcome]] = WeakKeyDictionary()


def outcomes(case: Case) -> dict[str, Outcome]:
    """Attack with points and with places, once per audit."""
    if case not in _DONE:
        published, weights = case.published.uids.len(), case.groups.size
        points = unicity(case.models, weights, case.samples, case.targets, points=POINTS, rng=case.rng)
        places = top_places(case.models, weights, case.samples, case.targets, places=PLACES)
        _DONE[case] = {
            **{f"points_{p + 1}": Outcome(points[:, p], published) for p in range(POINTS)},
            **{f"top_{n + 1}": Outcome(places[:, n], published) for n in range(PLACES)},
        }
    return _DONE[case]


@check("attack_points", "boxes", "map", "original")
def attack_points(case: Case) -> Finding:
    """Somebody knows p = 1 … 5 random places and times of a person."""
    found = {name: outcome for name, outcome in outcomes(case).items() if name.startswith("points_")}
    return _judged(case, found, f"{POINTS} random points", _scope(case))


@check("attack_top_places", "boxes", "map", "original")
def attack_top_places(case: Case) -> Finding:
    """Somebody knows where a person is most often; and home and work."""
    found = {name: outcome for name, outcome in outcomes(case).items() if name.startswith("top_")}
    figures = _scope(case)
    if not case.missing("secret"):
        attack = _home_work(case)
        found["home_work"] = Outcome(attack.candidates, case.published.uids.len())
        figures |= {"home_shown": attack.home_shown.to_dict(), "home_control": attack.control.to_dict()}
    return _judged(case, found, f"the {PLACES} most frequent places", figures)


@check("attack_whole_trace", "boxes")
def attack_whole_trace(case: Case) -> Finding:
    """Somebody knows everything about a person: only those who look exactly the same are left."""
    outcome = Outcome(case.groups.own_size, case.published.uids.len())
    return _judged(case, {"whole_trace": outcome}, "the whole trace", _everybody(outcome))


@check("attack_times", "boxes")
def attack_times(case: Case) -> Finding:
    """Somebody knows when a person was seen, and nothing of where."""
    candidates: Ints = times_only(case.published.crowd)
    outcome = Outcome(candidates, candidates.size)
    return _judged(case, {"times": outcome}, "times alone", _everybody(outcome))


def _home_work(case: Case) -> HomeWork:
    """Local time is taken from the map's longitude: good to the hour, which is all that night and day need."""
    assert case.map is not None
    longitude = re.search(r"\+lon_0=(-?\d+)", case.map[0])
    offset_s = round(int(longitude.group(1)) / 15) * 3600 if longitude else 0
    individual = case.individual_of.copy()
    individual[individual >= 0] = case.groups.of[individual[individual >= 0]]
    return home_work(
        case.models,
        case.groups.size,
        individual,
        case.samples,
        case.targets,
        utc_offset_s=offset_s,
        rng=case.rng,
    )


def _scope(case: Case) -> dict[str, Any]:
    return {"people": len(case.samples), "attacked": int(case.targets.size)}


def _everybody(outcome: Outcome) -> dict[str, Any]:
    return {"people": int(outcome.candidates.size), "attacked": int(outcome.candidates.size)}


def _judged(case: Case, found: dict[str, Outcome], words: str, figures: dict[str, Any]) -> Finding:
    """Fail where a promised k is missed; elsewhere report the rates."""
    figures |= {name: outcome.to_dict() for name, outcome in found.items()}
    if case.k is None:
        worst = max(found.values(), key=lambda outcome: outcome.unique)
        share = worst.unique / max(worst.candidates.size, 1)
        return passed(f"no k is promised; up to {share:.1%} are singled out by {words}", **figures)
    below = max(outcome.below(case.k) for outcome in found.values())
    if below:
        return failed(f"{words} leave {below:,} people with fewer than k = {case.k} candidates", **figures)
    smallest = int(case.groups.size.min())
    if smallest < case.k and figures["attacked"] < figures["people"]:
        return failed(f"{words} may leave somebody, not among those attacked, with {smallest} candidates", **figures)
    return passed(f"{words}: nobody fits, or at least {case.k} do", **figures)
