"""The attackers at work: for a release that promises k, nobody may be left with 1 … k-1 candidates.

Points and places are tried on people one by one (of large data on a random sample); what holds for everybody follows
from the groups: whatever is known, candidates come as whole groups of identical sequences.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from shoal.attacks.counts_only import counts_only
from shoal.attacks.crowd import Ints
from shoal.attacks.home_work import HomeWork, home_work
from shoal.attacks.linkage import Linkage
from shoal.attacks.outcome import Outcome
from shoal.attacks.past_data import past_data, split_in_time
from shoal.attacks.points_within import points_within
from shoal.attacks.times_only import times_only
from shoal.attacks.top_places import top_places
from shoal.attacks.unicity import unicity
from shoal.attacks.whole_trace import linked_trace
from shoal.attacks.window import window
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.members import group_of_people
from shoal.auditor.registry import check
from shoal.contract.claims import WindowHiding
from shoal.contract.durations import lasting
from shoal.contract.kinds import BOXES

POINTS, PLACES = 5, 3

_WINDOW_S = 3600
"""Everything of one hour, at random, is known."""

_TOLERANCE_M, _TOLERANCE_S = 200, 300
"""A trace that somebody else recorded is off by so much."""

_LINKED = 50
"""People who are linked by every sample of theirs: there are hundreds of each."""

Found = dict[str, Outcome | Linkage]

_DONE: WeakKeyDictionary[Case, dict[str, Outcome]] = WeakKeyDictionary()


def outcomes(case: Case) -> dict[str, Outcome]:
    """Attack with points and with places, once per audit."""
    if case not in _DONE:
        published, weights = case.names.len(), case.groups.size
        points = unicity(case.models, weights, case.samples, case.targets, points=POINTS, rng=case.rng)
        places = top_places(case.models, weights, case.samples, case.targets, places=PLACES)
        _DONE[case] = {
            **{f"points_{p + 1}": Outcome(points[:, p], published) for p in range(POINTS)},
            **{f"top_{n + 1}": Outcome(places[:, n], published) for n in range(PLACES)},
        }
    return _DONE[case]


@check(
    "attack_points",
    kinds=(BOXES,),
    needs=("opened", "map", "original"),
    conditions=("points", "window", "everybody", "within"),
)
def attack_points(case: Case, hold: Hold) -> Finding:
    """Somebody knows p = 1 … 5 random places and times of a person, or everything of one hour."""
    found: Found = {name: outcome for name, outcome in outcomes(case).items() if name.startswith("points_")}
    if isinstance(case.claim, WindowHiding):
        figures = {} if case.missing("secret") else _points_within(case, case.claim, hold)
        return _judged(case, hold, found, f"{POINTS} random points", _scope(case) | figures)
    if not case.missing("secret"):
        found["window"] = window(
            case.models,
            case.groups.size,
            case.samples,
            case.targets,
            group_of_people(case)[case.targets],
            tau_s=_WINDOW_S,
            windows=1,
            rng=case.rng,
        )
    return _judged(case, hold, found, f"{POINTS} random points", _scope(case))


@check(
    "attack_top_places",
    kinds=(BOXES,),
    needs=("opened", "map", "original"),
    conditions=("top", "home_work", "past_data", "everybody"),
)
def attack_top_places(case: Case, hold: Hold) -> Finding:
    """Somebody knows where a person is most often; home and work; or where they were before."""
    found: Found = {name: outcome for name, outcome in outcomes(case).items() if name.startswith("top_")}
    figures = _scope(case)
    if not case.missing("secret"):
        attack = _home_work(case)
        found["home_work"] = Outcome(attack.candidates, case.names.len())
        figures |= {"home_shown": attack.home_shown.to_dict(), "home_control": attack.control.to_dict()}
        found["past_data"] = _past_data(case)
    return _judged(case, hold, found, f"the {PLACES} most frequent places", figures)


@check("attack_whole_trace", kinds=(BOXES,), needs=("opened",), conditions=("whole_trace", "linked"))
def attack_whole_trace(case: Case, hold: Hold) -> Finding:
    """Somebody knows everything about a person: only those who look exactly the same are left."""
    outcome = Outcome(case.groups.own_size, case.names.len())
    found: Found = {"whole_trace": outcome}
    if not any(case.missing(need) for need in ("original", "secret", "map")):
        found["linked"] = _linked(case)
    return _judged(case, hold, found, "the whole trace", _everybody(outcome))


@check("attack_times", kinds=(BOXES,), needs=("opened",), conditions=("times", "counts"))
def attack_times(case: Case, hold: Hold) -> Finding:
    """Somebody knows when a person was seen, or how often each day, and nothing of where."""
    candidates: Ints = times_only(case.boxes.crowd)
    outcome = Outcome(candidates, candidates.size)
    counts = Outcome(counts_only(case.boxes.crowd), candidates.size)
    return _judged(case, hold, {"times": outcome, "counts": counts}, "times alone", _everybody(outcome))


def _points_within(case: Case, claim: WindowHiding, hold: Hold) -> dict[str, Any]:
    """Hold to k the attacker who knows published points of one interval of τ: more than that is not promised."""
    weights, published = case.groups.size, case.samples.only(case.cover.box_of >= 0)
    people = case.targets[published.lengths[case.targets] > 0]
    left = points_within(case.models, weights, published, people, tau_s=claim.tau_s, points=POINTS, rng=case.rng)
    found = {f"within_{p + 1}": Outcome(left[:, p], case.names.len()) for p in range(POINTS)}
    below = max(outcome.below(claim.k) for outcome in found.values())
    words = f"people are left with fewer than k = {claim.k} candidates by points within {lasting(claim.tau_s)}"
    hold.none("within", below, words)
    return {name: outcome.to_dict() for name, outcome in found.items()}


def _linked(case: Case) -> Linkage:
    some = case.targets[:: -(-case.targets.size // _LINKED)] if case.targets.size else case.targets
    return linked_trace(
        case.models,
        case.groups.size,
        case.samples,
        some,
        group_of_people(case)[some],
        tolerance_m=_TOLERANCE_M,
        tolerance_s=_TOLERANCE_S,
        rng=case.rng,
    )


def _past_data(case: Case) -> Linkage:
    """Train on the first half of the original, and link with what is published of the second."""
    samples = case.samples
    half = (int(samples.t.min()) + int(samples.t.max())) // 2 if samples.t.size else 0
    past, later = split_in_time(samples.take(case.targets), case.models, half)
    everybody = np.arange(case.targets.size)
    return past_data(later, case.groups.size, past, everybody, group_of_people(case)[case.targets], rng=case.rng)


def _home_work(case: Case) -> HomeWork:
    """Local time is taken from the map's longitude: good to the hour, which is all that night and day need."""
    return home_work(
        case.models,
        case.groups.size,
        group_of_people(case),
        case.samples,
        case.targets,
        utc_offset_s=round(case.on_map.centre[1] / 15) * 3600,
        rng=case.rng,
    )


def _scope(case: Case) -> dict[str, Any]:
    return {"people": len(case.samples), "attacked": int(case.targets.size)}


def _everybody(outcome: Outcome) -> dict[str, Any]:
    return {"people": int(outcome.candidates.size), "attacked": int(outcome.candidates.size)}


def _judged(case: Case, hold: Hold, attacks: Found, words: str, figures: dict[str, Any]) -> Finding:
    """Hold each attacker to the promised k; where none is promised, note the rates."""
    figures |= {name: attack.to_dict() for name, attack in attacks.items()}
    found = {name: attack.outcome if isinstance(attack, Linkage) else attack for name, attack in attacks.items()}
    if case.k is None:
        worst = max(found.values(), key=lambda outcome: outcome.unique)
        share = worst.unique / max(worst.candidates.size, 1)
        promised = "no k is promised"
        if isinstance(case.claim, WindowHiding):
            promised = f"k is promised within {lasting(case.claim.tau_s)} only"
        return hold.note(f"{promised}; up to {share:.1%} are singled out by {words}", **figures)
    below: dict[str, int] = {}
    for name, outcome in found.items():
        family = name.rstrip("0123456789").rstrip("_")
        below[family] = max(below.get(family, 0), outcome.below(case.k))
    for family, people in below.items():
        known = family.replace("_", " ")
        hold.none(family, people, f"people are left with fewer than k = {case.k} candidates by {known}")
    if figures["attacked"] < figures["people"]:
        smallest = int(case.groups.size.min())
        hold("everybody", smallest >= case.k, f"somebody who was not attacked may be left with {smallest} candidates")
    return hold.passed(f"{words}: nobody fits, or at least {case.k} do", **figures)
