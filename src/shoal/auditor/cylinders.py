"""Cylinders: every trace has others beside it at all times, near one of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.same import same_sequences
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.cylinder_near import Near, nearness
from shoal.auditor.cylinder_truth import truth
from shoal.auditor.points_parts import Published, published
from shoal.auditor.registry import check
from shoal.contract.claims import Cylinder
from shoal.contract.kinds import POINTS

Mask = NDArray[np.bool_]

_MOST_RAW = 0.5
"""Of points of those who are no pivot: the share that may be their own records, time and place."""

_PRINTED = 1 + 1e-5
"""Parameters are published with six digits, what was asked for may have had more."""


@check(
    "cylinder",
    kinds=(POINTS,),
    claims=(Cylinder,),
    needs=("opened",),
    conditions=("same_times", "near_one", "people", "trash", "pivot_recorded", "members_recorded", "not_raw"),
)
def cylinder(case: Case, hold: Hold) -> Finding:
    """Every trace is one of k or more with the same times, all near one of them.

    With the original and the secret: of k people; the one is its person's records, all of them and no others; the
    others are, wherever they are inside the edge, where their person was recorded; no more people are withheld than
    `trash` says. And not more than half of what the others have are records with their own times, which the pivot does
    not share: traces of common times in a cylinder as wide as a country keep all of that, and are the raw data.
    """
    assert isinstance(case.claim, Cylinder)
    k, delta, points = case.claim.k, case.claim.delta_m, published(case)
    alike = same_sequences(points.offsets, (points.t_us,))
    group, size = np.unique(alike, return_inverse=True, return_counts=True)[1:]
    hold.none("same_times", int((size[group] < k).sum()), f"traces with fewer than {k} of the same times")
    secret = not (case.missing("secret") or case.missing("original"))
    # Without the secret every uid counts as a person.
    person = case.person_of_uid if secret else np.arange(group.size)
    held, held_by_people, pivots = _examine(points, group, person, k, delta / 2)
    alone = int((~held & (size[group] >= k)).sum())
    hold.none("near_one", alone, f"traces without {k - 1} others within {delta / 2:g} m of one of them at all times")
    figures: dict[str, Any] = {"traces": int(group.size), "groups_of_equal_times": int(size.size), "cylinders": pivots}
    if not secret:
        words = "every trace is in a cylinder; whether they are different people needs `original` and `secret`"
        return hold.passed(words, **figures)
    one = int((held & ~held_by_people).sum())
    hold.none("people", one, f"traces whose cylinder holds fewer than {k} people")
    _trash(case, hold)
    words = f"every trace is in a cylinder of {k} people or more"
    if case.positions.grid is not None:
        return hold.passed(f"{words}; cells, as the original was given, cannot be compared with points", **figures)
    found = truth(case, points, _crowds(points, group, k, delta / 2), k, delta / 2)
    strange = int((held_by_people & ~found.kept).sum())
    hold.none("pivot_recorded", strange, "traces that keep to none that is all its person's records and no others")
    words_moved = "traces are at places within their cylinder where their person was not recorded"
    hold.none("members_recorded", int((found.kept & ~found.own).sum()), words_moved)
    raw = f"{found.raw_share:.0%} of the points of those who are no pivot are their records: these are the raw data"
    hold("not_raw", found.raw_share <= _MOST_RAW, raw)
    figures |= {"as_recorded": int(found.recorded.sum()), "recorded_share_of_others": round(found.raw_share, 4)}
    return hold.passed(f"{words}, around one as it was recorded", **figures)


def _trash(case: Case, hold: Hold) -> None:
    """No more people are withheld than the share that was asked for, those with too few points aside."""
    share = case.parameters.get("trash")
    if isinstance(share, bool) or not isinstance(share, int | float):
        return
    people, listed = case.people.ids, case.suppressed
    screened = people.is_in(listed.filter(pl.col("reason") == "screened")["original_uid"].implode())
    left = int((~screened & ~people.is_in(case.mapping["original_uid"].implode())).sum())
    most = share * _PRINTED * int((~screened).sum())
    hold("trash", left <= most, f"{left:,} people are withheld, and trash allows {most:,.0f}")


def _crowds(points: Published, group: Ints, k: int, radius_m: float) -> Iterator[tuple[Ints, Near]]:
    """Go through traces of the same times, where there are k or more."""
    order = np.argsort(group, kind="stable")
    bounds = np.append(np.flatnonzero(np.concatenate(([True], np.diff(group[order]) > 0))), order.size)
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        members = order[start:stop]
        if members.size >= k:
            yield members, nearness(points, members, radius_m)


def _examine(points: Published, group: Ints, person: Ints, k: int, radius_m: float) -> tuple[Mask, Mask, int]:
    """Look for a cylinder around each trace: one with k traces, and one with k people; and count the pivots met."""
    held, by_people, pivots = np.zeros(group.size, np.bool_), np.zeros(group.size, np.bool_), 0
    for members, near in _crowds(points, group, k, radius_m):
        traces = _covered(near, np.arange(members.size), k)
        of_people = person[members]
        known = np.where(of_people >= 0, of_people, -1 - np.arange(members.size))
        people = traces if np.unique(known).size == known.size else _covered(near, known, k)
        held[members], by_people[members] = traces[0], people[0]
        pivots += people[1]
    return held, by_people, pivots


def _covered(near: Near, person: Ints, k: int) -> tuple[Mask, int]:
    """Tell who is near a pivot that has k people near it, itself included; and how many pivots that took."""
    covered, pivots = np.zeros(person.size, np.bool_), 0
    for one in range(person.size):
        if covered[one]:
            continue
        mine = near(one)
        for pivot in (one, *mine[mine != one].tolist()):
            around = near(pivot)
            if np.unique(person[around]).size >= k:
                covered[around] = True
                pivots += 1
                break
    return covered, pivots
