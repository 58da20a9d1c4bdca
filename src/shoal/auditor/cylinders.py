"""Cylinders: every trace has others beside it at all times, near one of them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.same import same_sequences
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.points_geometry import ROUNDED_M, Floats, distances
from shoal.auditor.points_parts import Published, published
from shoal.auditor.registry import check
from shoal.contract.claims import Cylinder
from shoal.contract.kinds import POINTS

_RELATIVE = 1e-3
"""What distances may be off beyond the rounding of places, as a share: on a map they are, away from its centre."""

_PROBES = 8
"""Moments at which traces are compared first: most that are apart are apart there."""

_LEAST_M = 110_000
"""A degree of latitude is longer."""

Mask = NDArray[np.bool_]
Near = Callable[[int], Ints]


@check(
    "cylinder",
    kinds=(POINTS,),
    claims=(Cylinder,),
    needs=("opened",),
    conditions=("same_times", "near_one", "people"),
)
def cylinder(case: Case, hold: Hold) -> Finding:
    """Every trace is one of k or more with the same times, all near one of them; with the secret: of k people."""
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
    figures = {"traces": int(group.size), "groups_of_equal_times": int(size.size), "cylinders": pivots}
    if not secret:
        words = "every trace is in a cylinder; whether they are different people needs `original` and `secret`"
        return hold.passed(words, **figures)
    one = int((held & ~held_by_people).sum())
    hold.none("people", one, f"traces whose cylinder holds fewer than {k} people")
    return hold.passed(f"every trace is in a cylinder of {k} people or more", **figures)


def _examine(points: Published, group: Ints, person: Ints, k: int, radius_m: float) -> tuple[Mask, Mask, int]:
    """Look for a cylinder around each trace: one with k traces, and one with k people; and count the pivots met."""
    order = np.argsort(group, kind="stable")
    bounds = np.append(np.flatnonzero(np.concatenate(([True], np.diff(group[order]) > 0))), order.size)
    held, by_people, pivots = np.zeros(group.size, np.bool_), np.zeros(group.size, np.bool_), 0
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        members = order[start:stop]
        if members.size < k:
            continue
        near = _nearness(points, members, radius_m)
        traces = _covered(near, np.arange(members.size), k)
        of_people = person[members]
        known = np.where(of_people >= 0, of_people, -1 - np.arange(members.size))
        people = traces if np.unique(known).size == known.size else _covered(near, known, k)
        held[members], by_people[members] = traces[0], people[0]
        pivots += people[1]
    return held, by_people, pivots


def _nearness(points: Published, members: Ints, radius_m: float) -> Near:
    """Return a function that tells who is near one of these traces, of equal times, at all of them."""
    lengths = int(points.offsets[members[0] + 1] - points.offsets[members[0]])
    limit = radius_m * (1 + _RELATIVE) + ROUNDED_M
    probes = np.unique(np.linspace(0, lengths - 1, _PROBES).astype(np.int64))
    first = points.offsets[members]
    quick = [(points.lat[first + at], points.lng[first + at]) for at in probes]
    known = dict[int, Ints]()
    # From south to north at the first moment: who is far to either side is not asked.
    from_south = np.argsort(quick[0][0], kind="stable")
    latitudes = quick[0][0][from_south]

    def near(one: int) -> Ints:
        if one not in known:
            here = float(quick[0][0][one])
            a, b = np.searchsorted(latitudes, (here - limit / _LEAST_M, here + limit / _LEAST_M))
            left = from_south[a:b]
            for lat, lng in quick:
                left = left[distances(lat[one], lng[one], lat[left], lng[left]) <= limit]
            rows = first[left][:, None] + np.arange(lengths)
            own = slice(int(first[one]), int(first[one]) + lengths)
            apart = _apart(points.lat, points.lng, own, rows)
            known[one] = left[(apart <= limit).all(axis=1)]
        return known[one]

    return near


def _apart(lat: Floats, lng: Floats, own: slice, rows: Ints) -> Floats:
    return distances(lat[own], lng[own], lat[rows], lng[rows])


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
