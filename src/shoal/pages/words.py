"""Plain words for claims, checks and figures: one place, for whoever reads a page and has read nothing else."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from shoal.contract.durations import lasting

IN_SHORT: Mapping[str, str] = {
    "k-anonymity": "each person in it looks exactly like at least {others}",
    "window-hiding": "whatever somebody did within {tau}, at least {k} people in it fit",
    "speed-smoothing": "how long somebody stayed anywhere does not show; the way they took does",
    "geo-indistinguishability": "each place alone is blurred; a whole life is not hidden, nor are times",
    "cylinder": "at least {k} traces run side by side; that is not k-anonymity",
    "k-anonymous-cells": "each profile agrees with at least {others} on what an attacker may know",
    "cell-noise": "each value is blurred by noise; a person has many values",
    "nothing": "nothing is promised",
}
"""What is promised, so that it can follow “this release promises that”."""

CHECKS: Mapping[str, str] = {
    "schema": "Only the columns and notes that are allowed",
    "metadata": "Nothing hidden in the bytes of the data",
    "files": "No other files",
    "digests": "The files are those that the manifest names",
    "tokens": "Names are random, and made from nobody's identifier",
    "number_format": "Numbers are spelled alike",
    "grid": "Boxes lie on the grid, the map is centred on no one",
    "boxes_sane": "Boxes have a size and a middle that fit",
    "disjoint": "Nobody is in two boxes at once",
    "group_size": "Everybody looks like k - 1 others",
    "promise": "The words say what is claimed, and no more",
    "page": "This page tells nothing of few people",
    "raw_data": "What promises nothing is not the raw data",
    "raw_ids": "No identifier anywhere, plain or hashed",
    "mapping": "The list of who is who is complete",
    "manifest_digest": "Nobody has changed the manifest since",
    "row_order": "The order of rows tells nothing",
    "people_per_group": "Groups are of people, not of several traces of one",
    "coverage": "Every sample is in a box or listed as left out",
    "truthful": "Every box holds a true sample of its person",
    "everyone": "Everybody is published or listed as left out",
    "parameters": "What was asked for was done",
    "window_parameters": "What was asked for was done, interval by interval",
    "window_withheld": "What was left out had to be",
    "window_coverage": "k people fit, in every interval",
    "window_absence": "Nobody's absence singles them out",
    "far_leak": "Nothing follows for other times",
    "tightest_fit": "Taking the tightest fit is right once in k times at most",
    "attack_points": "Attack: knowing a few moments of a life",
    "attack_top_places": "Attack: knowing home and work",
    "profiles_listed": "Every profile is published or listed as left out",
    "cells_agree": "Profiles agree with k - 1 others",
    "people_agree": "Those are other people",
    "cells_named": "The values that an attacker may know are all covered",
    "cells_truthful": "Profiles are means of true ones",
    "noise_grid": "Noisy values lie on the grid of the noise",
    "cells_noise": "The noise is as strong as promised",
    "smoothing": "Everybody moves at one speed, far from their ends",
    "noise_law": "The noise is as strong as promised, in all directions",
    "budgets": "What adds up for one person is told",
    "cylinder": "k traces run side by side",
    "attack_ring": "Attack: finding homes from where traces end",
    "attack_averaging": "Attack: averaging the noise away",
    "attack_nearest": "Attack: knowing the whole raw trace, taking the nearest",
    "attack_relinking": "Attack: joining the parts of one person",
    "attack_seen_times": "Attack: knowing when somebody was seen",
    "attack_profile": "Attack: knowing an older profile",
    "cells_alike": "What a group has in common",
    "attack_whole_trace": "Attack: knowing the whole raw trace",
    "attack_times": "Attack: knowing times alone",
    "insider": "What a member of a group sees of the others",
    "homogeneity": "What a group has in common",
    "intersection": "Attack: holding an earlier release of the same people",
    "require_k": "The crowd that you demanded",
    "claim": "Something has examined the claim",
}
"""What each check looks at."""

KNOWING: Mapping[str, str] = {
    "window": "everything of one hour",
    "home work": "home and work",
    "home shown": "nothing more: the place of most nights in the release holds the home",
    "past data": "places of another time",
    "whole trace": "the whole trace",
    "linked": "the whole trace, known roughly",
    "times": "all times, no place",
    "counts": "how often on each day",
    "exact cell read": "the own trace: a corner of the box is the other's cell",
    "boxes with one cell": "nothing more: all people of a box were in one cell",
    "groups with one top place": "nothing more: a group has its most frequent place in common",
    "exact": "the whole trace",
    "places alone": "the whole way, no times",
    "published as recorded": "nothing more: a trace is published as it was recorded",
    "whole profile": "the whole profile, as published",
    "nearest is right": "the whole profile, as recorded, taking the nearest",
    "groups of one value": "nothing more: a group had the same values already",
    "values as recorded": "nothing more: a value is published as it was recorded",
    "right": "where a part ends: the next one begins nearest",
}
"""What an attacker knows, or what shows without knowing more, by the figure that the audit tells."""

_COUNTED: Mapping[str, tuple[str, str]] = {
    "attack_points points": ("a moment", "moments"),
    "attack_points within": ("a moment within the interval", "moments within the interval"),
    "attack_top_places top": ("the most frequent place", "most frequent places"),
    "attack_ring traces": ("a trace that ends there", "traces that end there"),
    "attack_averaging points": ("a point while there", "points while there"),
    "attack_seen_times moments": ("a time, no place", "times, no place"),
}
"""The same for attackers who know so many of something."""

_OFF_BY = re.compile(r"off by ([0-9.]+) m")


def knowing(check: str, attacker: str) -> str:
    """Say what an attacker knows; as the audit calls it where there are no words for it.

    >>> knowing("attack_points", "points 1"), knowing("attack_points", "points 5"), knowing("other", "some thing")
    ('a moment', '5 moments', 'some thing')
    >>> knowing("attack_nearest", "off by 200 m")
    'the whole trace, each place off by up to 200 m'
    """
    what, _, number = attacker.rpartition(" ")
    one, several = _COUNTED.get(f"{check} {what}", ("", ""))
    if one and number.isdigit():
        return one if number == "1" else f"{int(number):,} {several}"
    rough = _OFF_BY.fullmatch(attacker)
    return f"the whole trace, each place off by up to {rough[1]} m" if rough else KNOWING.get(attacker, attacker)


KIND: Mapping[str, str] = {
    "boxes": "boxes of place and time",
    "points": "moved points",
    "profiles": "call profiles",
}

PEOPLE_BY: Mapping[str, tuple[str, str]] = {
    "width_m": ("How large the boxes are.", "a person's typical box, larger side"),
    "duration_s": ("How long the boxes last.", "a person's typical box"),
    "position_error_m": ("How far off places are.", "a person's typical distance"),
    "time_error_s": ("How far off times are.", "a person's typical difference"),
    "similarity": ("How alike profiles are.", "similarity to the truth, 1 is equal"),
}
"""What people are counted by: a heading, and what the axis is called."""

_NIGHTS = "Where the curves rise, few others were seen at that hour, and it took more to hide those who were."
DAY: Mapping[str, tuple[str, str]] = {
    "width_m": ("how large boxes are", _NIGHTS),
    "duration_s": ("how long boxes last", _NIGHTS),
    "position_error_m": ("how far off places are", "Distance of published points from the way that was taken."),
}
QUARTILES: Mapping[str, str] = {"q25": "25 % below", "median": "50 % below", "q75": "75 % below"}
"""What the hours of the day differ in and what to see in it, and which part of the values is meant."""

MORE, LESS, NEITHER = "more is better", "less is better", "less hides more"
LIKENESS: Mapping[str, tuple[str, str, str]] = {
    "near_200_m": ("within 200 m, 10 min", "Samples within 200 m and 10 min of the truth", MORE),
    "near_500_m": ("within 500 m, 30 min", "Samples within 500 m and 30 min of the truth", MORE),
    "near_2_km": ("within 2 km, 2 h", "Samples within 2 km and 2 h of the truth", MORE),
    "left_out": ("left out", "Samples left out", LESS),
    "visits": (
        "visits off by",
        "Where people are: divergence of visits per tile, 100 is nothing in common",
        LESS,
    ),
    "flows": ("flows off by", "Where people go: divergence of moves between tiles", LESS),
    "hours": ("hours off by", "When people are seen: divergence of the hours of the day", LESS),
    "range_queries": (
        "counts off by",
        "Counting people in a square and a window: mean error, 100 at most",
        LESS,
    ),
    "stops": ("stops found", "Places where people stop that can be found again, F-score", NEITHER),
}
"""Of each figure a short name, what it is, and how to read it."""

THIRD: Mapping[str, str] = {"sparse": "seen rarely", "middle": "in between", "dense": "seen often"}


LEFT_OUT: Mapping[str, str] = {
    "boxes": "samples left out",
    "points": "records fewer than before",
    "profiles": "samples left out",
}
"""What is lost, by kind: points are not left out one by one, but there are fewer of them."""


def likeness_words(kind: str) -> Mapping[str, tuple[str, str, str]]:
    """Tell of each figure a short name, what it is, and how to read it, for a kind of release."""
    lost = LEFT_OUT[kind]
    return {name: (lost, lost.capitalize(), LESS) if name == "left_out" else words for name, words in LIKENESS.items()}


def in_short(claim: Mapping[str, Any]) -> str:
    """Say in a clause what is promised.

    >>> in_short({"name": "k-anonymity", "k": 2})
    'each person in it looks exactly like at least 1 other'
    """
    k = claim.get("k", 2)
    tau = lasting(claim["tau_s"]) if "tau_s" in claim else ""
    others = "1 other" if k == 2 else f"{k - 1} others"
    words = IN_SHORT.get(str(claim.get("name")), "what its manifest says holds")
    return words.format(k=k, others=others, tau=tau)


def bin_names(edges: tuple[float, ...], unit: str) -> list[str]:
    """Name the bins that public edges make; the last one is open.

    >>> bin_names((500, 2000), "m"), bin_names((1800, 86400), "s"), bin_names((0.5,), "")
    (['≤ 500 m', '≤ 2 km', '> 2 km'], ['≤ 30 min', '≤ 1 d', '> 1 d'], ['≤ 0.5', '> 0.5'])
    """
    spelled = [_spelled(edge, unit) for edge in edges]
    return [*(f"≤ {edge}" for edge in spelled), f"> {spelled[-1]}"]


def range_names(edges: tuple[float, ...], unit: str) -> list[str]:
    """Name the same bins by both of their ends, for bars that stand for what lies between.

    >>> range_names((500, 1000, 2000), "m"), range_names((0.1, 0.5), "")
    (['≤ 500 m', '500 m–1 km', '1–2 km', '> 2 km'], ['≤ 0.1', '0.1–0.5', '> 0.5'])
    """
    first, *_, last = bin_names(edges, unit)
    spelled = [_spelled(edge, unit) for edge in edges]
    between = [_between(low, high) for low, high in pairwise(spelled)]
    return [first, *between, last]


def _between(low: str, high: str) -> str:
    number, _, unit = low.partition(" ")
    return f"{number}–{high}" if unit == high.partition(" ")[2] else f"{low}–{high}"


def unit_of(name: str) -> str:
    return next((ending for ending in ("m", "s") if name.endswith(f"_{ending}")), "")


_UNITS = {"m": ((1_000, "km"), (1, "m")), "s": ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")), "": ((0, ""),)}


def _spelled(value: float, unit: str) -> str:
    size, name = next((size, name) for size, name in _UNITS[unit] if value >= size)
    return f"{value / size:g} {name}" if size else f"{value:g}"
