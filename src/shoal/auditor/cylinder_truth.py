"""What is in a cylinder against what was recorded: the pivot as it was, the others moved no farther than needed.

A trace of a cylinder takes the times of its pivot. Where its own point lies within the radius it stays there; where
not, it is moved to the edge. So inside the edge there is nothing but records.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import is_in, keys
from shoal.auditor.case import Case
from shoal.auditor.cylinder_near import Near, moments
from shoal.auditor.points_geometry import RADIUS_M, ROUNDED_M, Floats, distances
from shoal.auditor.points_parts import Published

_MICRO = 1_000_000
_ROUND = 360 * _MICRO
_EDGE = 2e-3
"""By so much, as a share, the edge may be elsewhere than at the radius: twice what cylinders are forgiven."""

Mask = NDArray[np.bool_]
Crowds = Iterator[tuple[Ints, Near]]
"""Traces of the same times, and who of them is near whom."""


class Truth(NamedTuple):
    """What each uid comes to, and the points that may be records.

    Attributes
    ----------
    recorded
        Whether it is all that was recorded of its person, and nothing else.
    kept
        Whether it keeps to one that is, with enough people around that.
    own
        Whether it also is, inside the edge of such a cylinder, only where its person was.
    raw_share
        Of points of those who are no pivots, one trace in k: how many are records of their person, time and place, and
        not the pivot's too.
    """

    recorded: Mask
    kept: Mask
    own: Mask
    raw_share: float


def truth(case: Case, points: Published, crowds: Crowds, k: int, radius_m: float) -> Truth:
    """Compare cylinders with the original, which must be given as it was recorded."""
    person, owner = case.person_of_uid, points.owner
    of_row, raw = person[owner], case.positions
    said, told = _places(points.lat, points.lng), _places(raw.lat, raw.lng)
    is_record = _met((of_row, points.t_us, *said), (raw.owner, raw.epoch_us, *told))
    is_place = _met((of_row, *said), (raw.owner, *told))
    whole = _recorded(
        points, person, raw.owner, is_record, _met((raw.owner, raw.epoch_us, *told), (of_row, points.t_us, *said))
    )
    kept, own, pivot_of = np.zeros(person.size, np.bool_), np.zeros(person.size, np.bool_), np.full(person.size, -1)
    for members, near in crowds:
        known = np.where(person[members] >= 0, person[members], -1 - np.arange(members.size))
        for pivot in np.flatnonzero(whole[members]).tolist():
            if own[members].all():
                break
            around = near(pivot)
            if np.unique(known[around]).size < k:
                continue
            some = members[around]
            kept[some] = True
            some = some[~own[some]]
            fine = _only_records(points, int(members[pivot]), some, is_place, radius_m)
            own[some] = fine
            pivot_of[some[(pivot_of[some] < 0) | fine]] = members[pivot]
        # Pivots that are near each other are in one cylinder here: as many as there may be are granted.
        spare = members[whole[members] & (pivot_of[members] != members)]
        granted = members.size // k - int((pivot_of[members] == members).sum())
        pivot_of[spare[: max(granted, 0)]] = spare[: max(granted, 0)]
    others = np.flatnonzero((pivot_of != np.arange(person.size))[owner])
    if not others.size:
        return Truth(whole, kept, own, 0.0)
    theirs = pivot_of[owner[others]], points.t_us[others], *(column[others] for column in said)
    with_pivot = _met(theirs, (owner, points.t_us, *said))
    return Truth(whole, kept, own, float((is_record[others] & ~with_pivot).mean()))


def _recorded(points: Published, person: Ints, raw_owner: Ints, is_record: Mask, is_published: Mask) -> Mask:
    """Tell which uids are all records of their person and no others; equal records may have become one."""
    lengths = np.diff(points.offsets)
    people = int(max(raw_owner.max(initial=-1), person.max(initial=-1))) + 1
    records, missed = np.bincount(raw_owner, minlength=people), np.bincount(raw_owner[~is_published], minlength=people)
    foreign = np.add.reduceat(~is_record, points.offsets[:-1], dtype=np.int64)
    # Of somebody with several names others may have published what this one lacks.
    names = np.bincount(person[person >= 0], minlength=people)
    return np.asarray(
        (person >= 0) & (foreign == 0) & (missed[person] == 0) & (names[person] == 1) & (lengths <= records[person])
    )


def _only_records(points: Published, pivot: int, some: Ints, is_place: Mask, radius_m: float) -> Mask:
    """Tell of which of these traces all points inside the edge are records; not of times with several points."""
    begin, stop = points.offsets[pivot : pivot + 2].tolist()
    alone, _ = moments(points.t_us[begin:stop])
    here, rows = begin + alone, points.offsets[some][:, None] + alone
    apart = distances(points.lat[here], points.lng[here], points.lat[rows], points.lng[rows])
    # A degree of longitude is as long as it is far to the pole: which of two ends is taken matters by so much.
    to_pole = np.maximum(np.radians(90 - np.abs(points.lat[here])) * RADIUS_M, 1.0)
    edge = radius_m * (1 - _EDGE - radius_m / to_pole) - 2 * ROUNDED_M
    return np.asarray(((apart >= edge) | is_place[rows]).all(axis=1))


def _places(lat: Floats, lng: Floats) -> tuple[Ints, Ints]:
    """Places as whole millionths of degrees, as they are published."""
    up, along = (np.rint(degrees * _MICRO).astype(np.int64) for degrees in (lat, lng))
    return up, along % _ROUND


def _met(wanted: tuple[Ints, ...], among: tuple[Ints, ...]) -> Mask:
    """Tell which rows are among others; the last two columns are places, which rounding may have put beside."""
    *names, lat, lng = wanted
    table, *tries = keys(
        among, *((*names, lat + up, (lng + along) % _ROUND) for up in (0, -1, 1) for along in (0, -1, 1))
    )
    table = np.sort(table)
    found = is_in(tries[0], table)
    for one in tries[1:]:
        if found.all():
            break
        found |= is_in(one, table)
    return found
