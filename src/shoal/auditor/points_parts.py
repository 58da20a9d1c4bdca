"""The original as points in order of time, cut where nothing was recorded for hours; and which part a uid is from."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.packing import keys
from shoal.auditor.case import Case
from shoal.auditor.opened import Points
from shoal.auditor.points_geometry import Floats

GAP_US = 4 * 3600 * 1_000_000
"""A trace ends where nothing is recorded for so long (Promesse §V-A)."""

_ROUNDED_US = 500_000
"""Times are published in whole seconds."""

_RECORDED: WeakKeyDictionary[Case, "Recorded"] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """The published points, sorted by uid and time; the rows of uid ``j`` are ``offsets[j]`` to ``offsets[j + 1]``."""

    offsets: Ints
    t_us: Ints
    lat: Floats
    lng: Floats

    @property
    def owner(self) -> Ints:
        """The uid of each row."""
        return np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))

    @property
    def inner(self) -> NDArray[np.bool_]:
        """Of each step from a row to the next: whether both are of one uid."""
        within = np.ones(self.t_us.size, np.bool_)
        within[self.offsets[1:] - 1] = False
        return within[:-1]


def published(case: Case) -> Published:
    """Return the points of a release of points."""
    assert isinstance(case.opened, Points)
    rows = case.opened.rows
    lat, lng = (np.ascontiguousarray(rows[name].to_numpy()) for name in ("lat", "lng"))
    return Published(case.opened.offsets, rows["datetime"].to_physical().to_numpy(), lat, lng)


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """The original's points, sorted by person, time and place.

    Attributes
    ----------
    starts
        Where each part starts: a person's points without a long gap; one more entry than parts.
    part_of
        The part of each point.
    person_of
        The person of each part.
    """

    person: Ints
    t_us: Ints
    lat: Floats
    lng: Floats
    starts: Ints
    part_of: Ints
    person_of: Ints


def recorded(case: Case) -> Recorded:
    """Sort and cut the original, once per audit."""
    if case not in _RECORDED:
        raw = case.positions
        (key,) = keys((raw.owner, raw.epoch_us))
        order = np.argsort(key, kind="stable")
        # Of one person and time: by place, so that the order of the input changes nothing.
        tied = np.flatnonzero(key[order][1:] == key[order][:-1])
        if tied.size:
            order = np.lexsort((raw.lng, raw.lat, raw.epoch_us, raw.owner))
        person, t_us = raw.owner[order], raw.epoch_us[order]
        cut = np.ones(person.size, np.bool_)
        cut[1:] = (person[1:] != person[:-1]) | (t_us[1:] - t_us[:-1] >= GAP_US)
        starts = np.flatnonzero(cut)
        part_of = np.cumsum(cut) - 1
        _RECORDED[case] = Recorded(
            person, t_us, raw.lat[order], raw.lng[order], np.append(starts, person.size), part_of, person[starts]
        )
    return _RECORDED[case]


@dataclass(frozen=True, slots=True, eq=False)
class Origins:
    """Which part of the original each uid comes from.

    Attributes
    ----------
    part
        The part during which it begins; -1 where its person was not being recorded then.
    last_part
        The part during which it ends.
    """

    part: Ints
    last_part: Ints

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether it begins and ends within one part of its person."""
        return np.asarray((self.part >= 0) & (self.part == self.last_part))


def origins(case: Case, points: Published) -> Origins:
    """Find the part of each uid by its person and its times alone."""
    raw, person = recorded(case), case.person_of_uid
    first, last = points.t_us[points.offsets[:-1]], points.t_us[points.offsets[1:] - 1]
    theirs, at_first, at_last = keys(
        (raw.person, raw.t_us), (person, first + _ROUNDED_US), (person, last - _ROUNDED_US)
    )
    return Origins(
        _part(raw, person, np.searchsorted(theirs, at_first, side="right") - 1),
        _part(raw, person, np.searchsorted(theirs, at_last)),
    )


def _part(raw: Recorded, person: Ints, row: Ints) -> Ints:
    inside = (row >= 0) & (row < raw.person.size)
    row = np.where(inside, row, 0)
    mine = inside & (person >= 0) & (raw.person[row] == person)
    return np.where(mine, raw.part_of[row], -1)
