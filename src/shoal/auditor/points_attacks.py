"""What strangers could try on points: rates that no promise is about, each beside a control and a baseline."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.attacks.averaging import averaging
from shoal.attacks.crowd import Ints
from shoal.attacks.interval import wilson
from shoal.attacks.linkage import Linkage
from shoal.attacks.nearest import Tracks, nearest_trace
from shoal.attacks.packing import distinct, keys
from shoal.attacks.relinking import Parts, relinking
from shoal.attacks.ring import Rings, fixed_trim, ring_attack, zone_trim
from shoal.attacks.seen_times import seen_times
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.points_draws import matched
from shoal.auditor.points_geometry import Floats, degree_lengths
from shoal.auditor.points_parts import Published, Recorded, origins, published, recorded
from shoal.auditor.raw import project
from shoal.auditor.registry import check
from shoal.contract.claims import Cylinder, GeoIndistinguishability, SpeedSmoothing
from shoal.contract.kinds import POINTS

_NEEDS = ("opened", "secret", "original")
_TRACES = (1, 5, 20)
_VISITS = (1, 10, 100, 1_000)
_MOMENTS = (1, 3, 5)
_TARGETS = 200
_TARGETS_BY_WAY, _LOOKS_BY_WAY = 50, 10
"""Distances to whole ways take long."""

_HOMES = 1_000
_PLACE_M = 50
_OFF_M = 200.0
_EXACT_M = 1.0
_SECOND_US = 1_000_000


def _plane(case: Case, lat: Floats, lng: Floats) -> Floats:
    """Turn degrees into metres on a map of the original's middle: n × 2."""
    crs = f"+proj=laea +lat_0={case.centre[0]} +lon_0={case.centre[1]} +datum=WGS84 +units=m +no_defs"
    return np.stack(project(crs, lng, lat), axis=1) if lat.size else np.empty((0, 2))


def _some(case: Case, people: Ints, most: int) -> Ints:
    return people if people.size <= most else np.sort(case.rng.choice(people, most, replace=False))


def _published_people(case: Case) -> Ints:
    found = np.unique(case.person_of_uid)
    return found[found >= 0]


def _own(case: Case, people: Ints) -> Callable[[int], Ints]:
    """Return a function that tells the uids of a target."""
    order = np.argsort(case.person_of_uid, kind="stable")
    whose = case.person_of_uid[order]
    first, stop = np.searchsorted(whose, people), np.searchsorted(whose, people, side="right")
    return lambda target: order[first[target] : stop[target]]


@check("attack_ring", kinds=(POINTS,), claims=(SpeedSmoothing,), examines=(), needs=_NEEDS)
def attack_ring(case: Case, hold: Hold) -> Finding:
    """Somebody knows which traces begin or end at a person's home, and fits the ring on which they start."""
    assert isinstance(case.claim, SpeedSmoothing)
    alpha = case.claim.alpha_m
    ring = zone_trim(alpha) if case.parameters.get("endpoint_trim") == "zone" else fixed_trim(alpha)
    ends = _ends(case, published(case), alpha)
    found = [
        ring_attack(ends.homes, ends.offsets, ends.places, ends.heading, ring, traces=traces, rng=case.rng)
        for traces in _TRACES
    ]
    figures = {f"traces_{one.traces}": _rings(one) for one in found}
    tried = [one for one in found if one.guess.metres.size]
    if not tried:
        return hold.note("nobody has a trace that begins or ends at a place of theirs", homes=0)
    said = ", ".join(f"{one.guess.median()[0]:,.0f} m from {_traces(one.traces)}" for one in tried)
    words = (
        f"who knows which traces begin and end at a person's usual place finds it, half of the time, to within {said}"
    )
    return hold.note(words, homes=int(ends.offsets.size - 1), **figures)


def _traces(count: int) -> str:
    return "1 trace" if count == 1 else f"{count} traces"


def _rings(found: Rings) -> dict[str, object]:
    misses = {"guess": found.guess, "baseline_end_itself": found.end, "control_other_home": found.control}
    return {name: one.to_dict() for name, one in misses.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Usual places of people, and the published ends of the traces that begin or end there."""

    homes: Floats
    offsets: Ints
    places: Floats
    heading: Floats


def _ends(case: Case, points: Published, alpha: float) -> _Ends:
    raw, whence = recorded(case), origins(case, points)
    uid = np.flatnonzero(whence.known & (np.diff(points.offsets) > 1))
    part, first, last = whence.part[uid], points.offsets[uid], points.offsets[uid + 1] - 1
    at, inward = np.concatenate((first, last)), np.concatenate((first + 1, last - 1))
    record = np.concatenate((raw.starts[part], raw.starts[part + 1] - 1))
    person = np.tile(raw.person_of[part], 2)
    true = _plane(case, raw.lat[record], raw.lng[record])
    place, next_ = _plane(case, points.lat[at], points.lng[at]), _plane(case, points.lat[inward], points.lng[inward])
    step = next_ - place
    heading = step / np.maximum(np.hypot(*step.T), 1e-9)[:, None]
    homes, rows, counts = [], [np.empty(0, np.int64)], []
    order = np.argsort(person, kind="stable")
    people = _some(case, np.unique(person), _HOMES)
    starts, stops = (np.searchsorted(person[order], people, side=side) for side in ("left", "right"))
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        mine = order[start:stop]
        apart = np.hypot(*(true[mine, None] - true[None, mine]).T)
        near = apart <= alpha / 2
        usual = mine[near[near.sum(axis=1).argmax()]]
        homes.append(np.median(true[usual], axis=0))
        rows.append(usual)
        counts.append(usual.size)
    chosen = np.concatenate(rows)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return _Ends(np.array(homes).reshape(-1, 2), offsets, place[chosen], heading[chosen])


@check("attack_averaging", kinds=(POINTS,), claims=(GeoIndistinguishability,), examines=(), needs=_NEEDS)
def attack_averaging(case: Case, hold: Hold) -> Finding:
    """Somebody knows when a person is at their usual place, and averages what is published then."""
    points = published(case)
    found = matched(case, points)
    draws = found.draws
    per_lng, per_lat = degree_lengths(np.rint(draws.lat))
    cell = [np.floor(draws.lng * per_lng / _PLACE_M), np.floor(draws.lat * per_lat / _PLACE_M)]
    (key,) = keys((draws.person, *(column.astype(np.int64) for column in cell)))
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.concatenate(([True], np.diff(key[order]) > 0))) if key.size else np.empty(0, np.int64)
    count = np.diff(np.append(first, key.size))
    # The fullest cell of each person: the last of theirs, by size.
    by_size = np.lexsort((count, draws.person[order[first]]))
    whose = draws.person[order[first]][by_size]
    top = by_size[np.append(whose[1:] != whose[:-1], True)] if whose.size else by_size
    top = _some(case, top, _HOMES)
    rows = [order[first[one] : first[one] + count[one]] for one in top.tolist()]
    places = np.array([_plane(case, draws.lat[some], draws.lng[some]).mean(axis=0) for some in rows]).reshape(-1, 2)
    shown = np.concatenate([found.row[some] for some in rows]) if rows else np.empty(0, np.int64)
    seen = _plane(case, points.lat[shown], points.lng[shown])
    offsets = np.concatenate(([0], np.cumsum(count[top]))).astype(np.int64)
    figures: dict[str, Any] = {"places": int(top.size)}
    said = []
    for visits in _VISITS:
        off, other = averaging(places, offsets, seen, visits=visits, rng=case.rng)
        if off.metres.size:
            figures[f"points_{visits}"] = {"guess": off.to_dict(), "control_other_place": other.to_dict()}
            said.append(f"{off.median()[0]:,.0f} m from {visits:,} point{'s' * (visits > 1)}")
    if not said:
        return hold.note("nobody is published", **figures)
    return hold.note(
        f"who averages what is published while somebody is at their usual place finds it, half of the time, to within "
        f"{', '.join(said)}",
        **figures,
    )


@check("attack_nearest", kinds=(POINTS,), needs=_NEEDS)
def attack_nearest(case: Case, hold: Hold) -> Finding:
    """Somebody knows a whole trace of a person, and takes the published one that comes nearest."""
    points, raw = published(case), recorded(case)
    uids = _some(case, np.flatnonzero(case.person_of_uid >= 0), _TARGETS)
    if not uids.size:
        return hold.note("nobody is published")
    traces = _tracks(case, points.offsets, points.t_us, points.lat, points.lng)
    known = _known(case, raw, *_rows(case, points, raw, uids))
    own = _same(uids)
    off_m = case.claim.delta_m if isinstance(case.claim, Cylinder) else _OFF_M
    exact, gaps = nearest_trace(traces, known, own, rng=case.rng)
    rough, _ = nearest_trace(traces, known, own, off_m=off_m, rng=case.rng)
    # Where times were changed, who knows that compares places.
    few = np.arange(min(uids.size, _TARGETS_BY_WAY))
    way, _ = nearest_trace(traces, known.take(few), own, by_way=True, looks=_LOOKS_BY_WAY, rng=case.rng)
    as_they_were = wilson(int((gaps <= _EXACT_M).sum()), uids.size)
    figures = {
        "attacked": int(uids.size),
        "exact": exact.to_dict(),
        f"off_by_{off_m:g}_m": rough.to_dict(),
        "places_alone": way.to_dict(),
        "published_as_recorded": as_they_were.to_dict(),
    }
    best = max(exact.success, way.success)
    return hold.note(
        f"who knows the whole trace of a person finds it in {best:.1%} of cases by taking the nearest "
        f"(by chance {_chance(exact)}), and in {rough.success:.1%} if each known place is off by up to {off_m:g} m; "
        f"{as_they_were.value:.1%} are published within {_EXACT_M:g} m of what was recorded",
        **figures,
    )


def _same(uids: Ints) -> Callable[[int], Ints]:
    return lambda target: uids[target : target + 1]


def _rows(case: Case, points: Published, raw: Recorded, uids: Ints) -> tuple[Ints, Ints]:
    """Return where the records of each uid start and end: the part it comes from, or where a person has one uid all."""
    whence, person = origins(case, points), case.person_of_uid
    several = np.bincount(person[person >= 0], minlength=1)[person[uids]] > 1
    part = np.where(whence.known, whence.part, 0)[uids]
    split = several & whence.known[uids]
    first, stop = (np.searchsorted(raw.person, person[uids], side=side) for side in ("left", "right"))
    return np.where(split, raw.starts[part], first), np.where(split, raw.starts[part + 1], stop)


def _chance(found: Linkage) -> str:
    return f"{1 / max(found.published, 1):.1%}"


def _tracks(case: Case, offsets: Ints, t_us: Ints, lat: Floats, lng: Floats) -> Tracks:
    """Look at a few points of each trace, and project those alone."""
    few = Tracks(offsets, t_us / _SECOND_US, lat, lng).looks()
    place = _plane(case, few.x, few.y)
    return Tracks(few.offsets, few.t, *place.T)


def _known(case: Case, raw: Recorded, first: Ints, stop: Ints) -> Tracks:
    lengths = stop - first
    rows = np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    place = _plane(case, raw.lat[rows], raw.lng[rows])
    return Tracks(np.concatenate(([0], np.cumsum(lengths))), raw.t_us[rows] / _SECOND_US, *place.T)


@check("attack_relinking", kinds=(POINTS,), needs=_NEEDS)
def attack_relinking(case: Case, hold: Hold) -> Finding:
    """Somebody puts the traces of a person together again: where one ends, the next begins."""
    points, person = published(case), case.person_of_uid
    several = np.bincount(person[person >= 0], minlength=1).max(initial=0) > 1
    if not several:
        return hold.note("everybody has one uid: there is nothing to put together")
    first, last = points.offsets[:-1], points.offsets[1:] - 1
    start, end = (_plane(case, points.lat[at], points.lng[at]) for at in (first, last))
    parts = Parts(points.t_us[first] / _SECOND_US, points.t_us[last] / _SECOND_US, start, end)
    found = relinking(parts, person, case.rng)
    return hold.note(
        f"of traces with a next one within a day, {found.right.value:.1%} lead to it by the nearest start "
        f"(from a random end {found.control.value:.1%}, by chance {found.baseline:.1%}): uids do not keep the traces "
        "of a person apart where they end and begin in the same place",
        **found.to_dict(),
    )


@check("attack_seen_times", kinds=(POINTS,), needs=_NEEDS)
def attack_seen_times(case: Case, hold: Hold) -> Finding:
    """Somebody knows some moments at which a person was recorded, to the second, and nothing of where."""
    points, raw = published(case), recorded(case)
    people = _some(case, _published_people(case), _TARGETS)
    if not people.size:
        return hold.note("nobody is published")
    first, stop = np.searchsorted(raw.person, people), np.searchsorted(raw.person, people, side="right")
    known = [np.unique(raw.t_us[a:b] // _SECOND_US) for a, b in zip(first, stop, strict=True)]
    owner, seconds, _ = distinct((points.owner, points.t_us // _SECOND_US))
    uids, own = points.offsets.size - 1, _own(case, people)
    found = {
        moments: seen_times(owner, seconds, uids, known, own, moments=moments, rng=case.rng) for moments in _MOMENTS
    }
    said = ", ".join(f"{one.success:.1%} from {moments}" for moments, one in found.items())
    return hold.note(
        f"who knows moments at which a person was recorded, and nothing of where, finds them in {said} "
        f"(by chance {_chance(found[1])})",
        attacked=int(people.size),
        **{f"moments_{moments}": one.to_dict() for moments, one in found.items()},
    )
