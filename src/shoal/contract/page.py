"""What a page that strangers may read can hold: names, public edges of bins, and how small a count may be.

Edges are constants, so they tell nothing of the data. A count is of people, rounded down to tens, and is left out where
that makes fewer than :func:`floor_of` allows.
"""

from collections.abc import Mapping
from typing import Any

SPACE_M = (100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
TIME_S = (60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 259_200)
ALIKE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Upper ends of the bins, all of them included; one more bin is for what is beyond."""

EDGES: Mapping[str, tuple[float, ...]] = {
    "width_m": SPACE_M,
    "duration_s": TIME_S,
    "position_error_m": SPACE_M,
    "time_error_s": TIME_S,
    "similarity": ALIKE,
}

PEOPLE_BY: Mapping[str, tuple[str, ...]] = {
    "boxes": ("width_m", "duration_s", "position_error_m", "time_error_s"),
    "points": ("position_error_m",),
    "profiles": ("similarity",),
}
"""What the people of each kind of release are counted by: the median of each person's rows."""

TILES_M = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000)
"""Sides that tiles of the map may have."""

MOST_TILES = 4_000

THIRDS = ("sparse", "middle", "dense")
OF_A_THIRD = ("left_out", "near")
"""Whole per cents: samples that were left out, and samples that lie near what is published."""

LIKENESS = ("near_200_m", "near_500_m", "near_2_km", "left_out", "visits", "flows", "hours", "range_queries", "stops")
"""Whole per cents about everybody; none of them need be there."""

TENS = 10

FACTS = ("people_by", "map", "thirds", "likeness", "audit")
"""All that a page may tell beyond the manifest."""

OUTCOMES = ("fail", "pass", "note", "not_run")
"""What checks came to: of each the ids, in the order in which checks run."""

LARGEST = 5_000_000
"""Bytes of a page."""

SCRIPTS = {"3425bd951a44d478d0505c6b5d1e8d57656b6e9a4da7bfe88a718ce61d76e572": "vl-convert-python 1.9.0.post1"}
"""SHA-256 of what draws the charts, and whose it is. A new version is a new line here and in ``pyproject.toml``."""


def floor_of(claim: Mapping[str, Any] | None) -> int:
    """Return the least count of people that may be told: the promised k, and never fewer than ten.

    >>> floor_of({"name": "k-anonymity", "k": 25}), floor_of({"name": "nothing"}), floor_of(None)
    (25, 10, 10)
    """
    k = (claim or {}).get("k")
    return max(TENS, k) if isinstance(k, int) and not isinstance(k, bool) else TENS


def told(people: int, floor: int) -> int | None:
    """Return a count as it may be told, or None.

    >>> told(1234, 10), told(9, 10), told(29, 25)
    (1230, None, None)
    """
    down = people // TENS * TENS
    return down if down >= floor else None
