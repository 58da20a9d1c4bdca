"""Figures of the audit as rows: which risk, which attacker, how often they are right, how often without attacking."""

from collections.abc import Iterator, Mapping
from typing import Any

SINGLING_OUT, LINKABILITY, INFERENCE = "singling out", "linkability", "inference"
"""The three risks of the Article 29 Working Party's opinion 05/2014."""

_RISK_OF = {
    "attack_relinking": LINKABILITY,
    "attack_nearest": LINKABILITY,
    "intersection": LINKABILITY,
    "attack_ring": INFERENCE,
    "attack_averaging": INFERENCE,
    "insider": INFERENCE,
    "homogeneity": INFERENCE,
    "cells_alike": INFERENCE,
    "far_leak": INFERENCE,
    "tightest_fit": INFERENCE,
}
"""By check; whatever else is tried singles people out."""

_RISK_OF_FIGURE = {"past_data": LINKABILITY, "linked": LINKABILITY, "home_shown": INFERENCE}
_NOT_ATTACKS = ("none", "unique", "found")

FIGURES = ("maximum", "mean", "share", "low", "high", "control")
_DIGITS = 3


def is_attack(check: Mapping[str, Any]) -> bool:
    """Tell whether a check tries what an intruder could."""
    return check["id"].startswith("attack_") or check["id"] in _RISK_OF


def risk_of(check: str, figure: str = "") -> str:
    return _RISK_OF_FIGURE.get(figure) or _RISK_OF.get(check, SINGLING_OUT)


def rows_of(check: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Make a row of every attacker of a check.

    >>> unique = {"share": 0.5, "low": 0.1, "high": 0.9, "trials": 4}
    >>> tried = {"unique": unique, "expected_success": 0.625, "fewest_candidates": 1, "baseline": 0.1}
    >>> [row] = rows_of({"id": "attack_points", "status": "note", "figures": {"points_1": tried}})
    >>> row["risk"], row["attacker"], row["maximum"], row["mean"], row["control"]
    ('singling out', 'points 1', 1.0, 0.625, 0.1)
    """
    figures = check["figures"]
    for name, value in figures.items():
        found = _read(name, value, figures) if isinstance(value, Mapping) and name not in _NOT_ATTACKS else None
        if found is not None:
            measure, numbers = found
            yield {
                "risk": risk_of(check["id"], name),
                "check": check["id"],
                "attacker": name.replace("_", " "),
                "status": check["status"],
                "measure": measure,
                **{figure: _rounded(numbers.get(figure)) for figure in FIGURES},
            }


def _read(name: str, value: Mapping[str, Any], beside: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """What a figure measures, and its numbers; None where it is no rate, or nothing was tried."""
    if "expected_success" in value:
        return _identified(value)
    if "guess" in value:
        return _place_found(value)
    if "fewest" in value:
        return "identified", {"maximum": 1 / value["fewest"], "share": value["share_unique"]}
    if value.keys() >= {"share", "low", "high"} and not name.endswith("control"):
        control = beside.get(name.rpartition("_")[0] + "_control", {})
        return (
            ("shown", {**value, "mean": value["share"], "control": control.get("share")}) if value["trials"] else None
        )
    return None


def _identified(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Who is left with one candidate, and how often a guess among those left is right."""
    rate, fewest = value.get("found") or value["unique"], value["fewest_candidates"]
    if not rate["trials"]:
        return None
    mean, control = value.get("success", value["expected_success"]), value.get("control", value["baseline"])
    return "identified", {**rate, "maximum": 1 / fewest if fewest else 0.0, "mean": mean, "control": control}


def _place_found(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """How often a guess comes within 100 m of a person's usual place, and how often of somebody else's."""
    rate = value["guess"]["within_100_m"]
    control = next((figure["within_100_m"]["share"] for name, figure in value.items() if "control" in name), None)
    return ("place within 100 m", {**rate, "mean": rate["share"], "control": control}) if rate["trials"] else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), _DIGITS)
