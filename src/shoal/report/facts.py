"""The facts of a release's page: exact for its publisher, and as far as strangers may be told them."""

from collections.abc import Mapping
from typing import Any

from shoal.contract.files import ABOUT_OTHERS
from shoal.contract.page import OUTCOMES, THIRDS, floor_of, told
from shoal.report.results import Results

Facts = dict[str, Any]

_NEAR = {"near_200_m": "200 m, 10 min", "near_500_m": "500 m, 30 min", "near_2_km": "2 km, 2 h"}
_DIVERGENCE = {"visits": "visits_per_tile", "flows": "flows", "hours": "time_of_day"}
_QUERIES = ("distortion_expected", "distortion")


def facts_of(results: Results) -> Facts:
    """Gather the facts, exact; what was not looked at is empty."""
    utility = results.utility or {"figures": {}, "pictures": {}}
    figures, pictures = utility["figures"], utility["pictures"]
    return {
        "people_by": dict(pictures.get("people_by", {})),
        "map": pictures.get("map"),
        "thirds": {name: _third(figures["thirds"][name]) for name in THIRDS if name in figures.get("thirds", {})},
        "likeness": _likeness(figures),
        "audit": None if results.audit is None else _outcomes(results.audit),
    }


def publishable(results: Results) -> Facts:
    """Leave out what is about few people, round the rest: counts down to tens, shares to whole per cents."""
    facts, floor = facts_of(results), floor_of(results.manifest["promise"]["claim"])
    places, people = facts["map"], results.manifest["counts"]["people_published"]
    thirds = (results.utility or {"figures": {}})["figures"].get("thirds", {})
    many = people >= len(THIRDS) * floor and all(third["people"] >= floor for third in thirds.values())
    return {
        "people_by": {name: [told(n, floor) for n in counts] for name, counts in facts["people_by"].items()},
        "map": None if places is None else {"side_m": places["side_m"], "tiles": _told_tiles(places["tiles"], floor)},
        "thirds": {name: _whole(third) for name, third in facts["thirds"].items() if many},
        "likeness": _whole(facts["likeness"]) if people >= floor else {},
        "audit": facts["audit"],
    }


def _told_tiles(tiles: list[list[int]], floor: int) -> list[list[int]]:
    """In the order of places: that of exact counts would tell more than the rounded ones."""
    return sorted([c, r, count, width] for c, r, n, width in tiles if (count := told(n, floor)) is not None)


def _whole(shares: Mapping[str, float]) -> dict[str, int]:
    return {name: round(value) for name, value in shares.items()}


def _third(figures: Mapping[str, Any]) -> dict[str, float]:
    return {
        "left_out": _percent(figures["samples_deleted_share"]),
        "near": _percent(figures["within_share"]),
    }


def _likeness(figures: Mapping[str, Any]) -> dict[str, float]:
    found = {name: figures.get("within", {}).get(need) for name, need in _NEAR.items()}
    found |= {name: figures.get(where, {}).get("jensen_shannon") for name, where in _DIVERGENCE.items()}
    queries = figures.get("range_queries", {})
    found["range_queries"] = next((queries[name] for name in _QUERIES if name in queries), None)
    found["left_out"] = figures.get("samples_deleted_share")
    found["stops"] = figures.get("poi_per_person", {}).get("f_score")
    return {name: min(_percent(value), 100.0) for name, value in found.items() if value is not None}


def _percent(share: float) -> float:
    return round(100 * share, 1)


def _outcomes(audit: Mapping[str, Any]) -> dict[str, list[str]]:
    mine = [check for check in audit["checks"] if not check["figures"].get(ABOUT_OTHERS)]
    return {outcome: [check["id"] for check in mine if check["status"] == outcome] for outcome in OUTCOMES}
