"""What was added to each point: the published one set beside its record, by person and time."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import distinct, is_in, keys
from shoal.auditor.case import Case
from shoal.auditor.points_geometry import Floats, steps
from shoal.auditor.points_parts import Published, recorded

_SPHERE_M = 6_371_008.8
_EDGE = 1e-9
"""Degrees, a tenth of a millimetre."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Draws of noise, sorted by person and time.

    Attributes
    ----------
    person, t_us, lat, lng
        Of the record that each was added to.
    east, north
        What was added, in metres.
    """

    person: Ints
    t_us: Ints
    lat: Floats
    lng: Floats
    east: Floats
    north: Floats

    @property
    def radius(self) -> Floats:
        return np.asarray(np.hypot(self.east, self.north))

    def take(self, rows: Ints | NDArray[np.bool_]) -> "Draws":
        floats = (self.lat, self.lng, self.east, self.north)
        return Draws(self.person[rows], self.t_us[rows], *(column[rows] for column in floats))


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Records and what became of them.

    Attributes
    ----------
    unlike
        Points and records that have no counterpart.
    row
        The published row of each record in ``draws``.
    """

    unlike: int
    draws: Draws
    row: Ints


_MATCHED: WeakKeyDictionary[Case, Matched] = WeakKeyDictionary()


def matched(case: Case, points: Published) -> Matched:
    """Set every published point beside the record of its person at that time, once per audit.

    Where a person has several records at one time nobody can tell which point came from which: those are left out.
    """
    if case not in _MATCHED:
        _MATCHED[case] = _match(case, points)
    return _MATCHED[case]


def _match(case: Case, points: Published) -> Matched:
    raw = recorded(case)
    whose = np.where(case.person_of_uid >= 0, case.person_of_uid, -1)[points.owner]
    theirs, ours = keys((raw.person, raw.t_us), (whose, points.t_us))
    order = np.argsort(ours, kind="stable")
    ours = ours[order]
    present = np.zeros(case.people.ids.len() + 1, np.bool_)
    present[whose] = True
    present[-1] = False
    mine = np.flatnonzero(present[raw.person])
    theirs = theirs[mine]
    if theirs.size == ours.size and (theirs == ours).all():
        unlike, at, rows = 0, mine, order
        alone = _alone(ours)
        at, rows = at[alone], rows[alone]
    else:
        unlike = int((~is_in(ours, theirs)).sum()) + int((~is_in(theirs, ours)).sum())
        unlike = max(unlike, abs(theirs.size - ours.size), 1)
        _, one, other = np.intersect1d(theirs[_alone(theirs)], ours[_alone(ours)], True, return_indices=True)
        at, rows = mine[np.flatnonzero(_alone(theirs))[one]], order[np.flatnonzero(_alone(ours))[other]]
    lat, lng = raw.lat[at], raw.lng[at]
    east, north = steps(lat, lng, points.lat[rows], points.lng[rows])
    return Matched(unlike, Draws(raw.person[at], raw.t_us[at], lat, lng, east, north), rows)


def _alone(key: Ints) -> NDArray[np.bool_]:
    """Tell which of these, in order, occur once."""
    same = np.concatenate(([False], key[1:] == key[:-1], [False]))
    return np.asarray(~(same[1:] | same[:-1]))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Draws for people and cells of the lattice, from the middle of the cell.

    Attributes
    ----------
    draws
        One for each person and cell.
    several
        People and cells with more than one published place.
    shared
        Pairs of cells, of anybody's, with one published place.
    """

    draws: Draws
    several: int
    shared: int


def by_cell(found: Matched, points: Published, side_m: float) -> Cells:
    """Put together what was published of a person and cell: all of it has to be at one place."""
    draws = found.draws
    line, column, middle_lat, middle_lng, sure = lattice(draws.lat, draws.lng, side_m)
    rows = np.flatnonzero(sure)
    micro = [np.rint(degrees[found.row[rows]] * 1e6).astype(np.int64) for degrees in (points.lat, points.lng)]
    (cell,), (placed,) = keys((draws.person[rows], line[rows], column[rows])), keys((micro[0], micro[1]))
    order = np.lexsort((placed, cell))
    cell, placed = cell[order], placed[order]
    fresh = np.concatenate(([True], cell[1:] != cell[:-1])) if cell.size else np.empty(0, np.bool_)
    other = np.concatenate(([False], ~fresh[1:] & (placed[1:] != placed[:-1]))) if cell.size else fresh
    several = np.unique(cell[other]).size
    first = order[fresh]
    *_, often = distinct((placed[fresh],))
    model = rows[first]
    lat, lng = middle_lat[model], middle_lng[model]
    east, north = steps(lat, lng, points.lat[found.row[model]], points.lng[found.row[model]])
    one = Draws(draws.person[model], draws.t_us[model], lat, lng, east, north)
    return Cells(one, int(several), int((often * (often - 1) // 2).sum()))


def lattice(lat: Floats, lng: Floats, side_m: float) -> tuple[Ints, Ints, Floats, Floats, NDArray[np.bool_]]:
    """Return the cell of each place in the public lattice, its middle, and whether the place is clear of its edges.

    Rows go along the parallels, each so many metres high on a sphere of 6,371,008.8 m, row 0 from the equator to the
    north. A row is cut from longitude 0 to the east into as many equal cells as have room in it, at least one.

    >>> lattice(np.array([0.001]), np.array([0.001]), 200.0)[:2]
    (array([0]), array([0]))
    """
    high = np.degrees(side_m / _SPHERE_M)
    up = lat / high
    line = np.floor(up)
    middle = (line + 0.5) * high
    wide = 360 / np.maximum(np.floor(2 * np.pi * _SPHERE_M * np.cos(np.radians(middle)) / side_m), 1)
    along = (lng % 360) / wide
    column = np.floor(along)
    sure = np.ones(lat.size, np.bool_)
    for position, size in ((up, high), (along, wide)):
        # Right on an edge nobody can tell what rounding made of it.
        sure &= np.abs(position - np.rint(position)) * size > _EDGE
    middle_lng = (((column + 0.5) * wide) + 180) % 360 - 180
    return line.astype(np.int64), column.astype(np.int64), np.asarray(middle), np.asarray(middle_lng), sure
