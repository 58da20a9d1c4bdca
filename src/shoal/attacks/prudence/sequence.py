"""The attacker who knows places in the order of the visits.

Instances that name the same places in the same order match the same people, so the search walks over sequences of
places, not over records. For each candidate it keeps the earliest record at which the sequence so far is complete.
"""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.prudence.records import Records
from shoal.attacks.prudence.search import DEEPEST, Bounds


class Visits:
    """Where in the records each place occurs."""

    __slots__ = ("_ends", "_rows", "_starts", "records")

    def __init__(self, records: Records) -> None:
        self.records = records
        self._rows = np.argsort(records.place, kind="stable")
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(records.place, minlength=1)))).astype(np.int64)
        self._ends = np.repeat(records.offsets[1:], np.diff(records.offsets))

    def at(self, place: int) -> Ints:
        """Return the records at a place, ascending."""
        return self._rows[self._starts[place] : self._starts[place + 1]]

    def first(self, place: int) -> Ints:
        """Return the first record of each visitor of a place."""
        rows = self.at(place)
        ends = self._ends[rows]
        return rows[np.concatenate(([True], ends[1:] != ends[:-1]))]

    def after(self, place: int, rows: Ints) -> Ints:
        """Go from each record to its owner's next one at a place; owners without one drop out."""
        here = self.at(place)
        at = np.searchsorted(here, rows, side="right")
        inside = at < here.size
        onward = here[at[inside]]
        return onward[onward < self._ends[rows[inside]]]


def fewest_in_order(visits: Visits, person: int, size: int | None, effort: int) -> Bounds:
    """Search all sequences of ``size`` records of one person; None, or more than there are: all of them."""
    offsets = visits.records.offsets
    own = visits.records.place[offsets[person] : offsets[person + 1]]
    always = _match_all(visits, own)
    if size is None or size >= own.size:
        return Bounds(always, always)
    walk = _Walk(visits, own, always, effort)
    walk.branch(None, -1, size)
    return Bounds(walk.best, walk.best if walk.complete else always)


def _match_all(visits: Visits, own: Ints) -> int:
    rows = visits.first(int(own[0]))
    for place in own[1:].tolist():
        if rows.size == 1:
            break
        rows = visits.after(place, rows)
    return int(rows.size)


@dataclass(slots=True, eq=False)
class _Walk:
    """Depth first over sequences of places, scarcest continuation first."""

    visits: Visits
    own: Ints
    always: int
    effort: int
    best: int = np.iinfo(np.int64).max

    @property
    def complete(self) -> bool:
        return self.effort >= 0 or self.best == self.always

    @property
    def over(self) -> bool:
        return self.effort < 0 or self.best == self.always

    def branch(self, rows: Ints | None, at: int, records: int, depth: int = 0) -> None:
        """Try each next place after the own record ``at``, as long as enough records remain for a whole instance."""
        last = self.own.size - records
        places, first = np.unique(self.own[at + 1 : last + 1], return_index=True)
        self.effort -= places.size
        ways = []
        for place, position in zip(places.tolist(), (first + at + 1).tolist(), strict=True):
            onward = self.visits.first(place) if rows is None else self.visits.after(place, rows)
            ways.append((onward.size, position, onward))
        ways.sort(key=lambda way: way[:2])
        self.best = min(self.best, ways[0][0])
        if records == 1:
            return
        if depth == DEEPEST:
            self.effort = -1
        for _, position, onward in ways:
            if self.over:
                return
            self.branch(onward, position, records - 1, depth + 1)
