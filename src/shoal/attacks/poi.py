"""Where do people stop? Stays in what is published, set beside those in the raw traces (Promesse §V-B).

A stay is a run of points of one trace in which every point is within 200 m of every other and which lasts 15 minutes or
more; its place is the mean of its points (the paper does not say which point of it a POI is). The last stay of a trace
counts, which the usual pseudocode forgets.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.attacks.tracks import Floats, Ints, metres_per_degree, side_by_side, split_at_gaps
from shoal.data import Points
from shoal.workers import Workers

DIAMETER_M = 200.0
STAY_S = 15 * 60.0
REACH_M = 100.0
"""Half a diameter: what is nearer is the same place."""

_SECOND_US = 1_000_000


class Stays(NamedTuple):
    """Stays, trace after trace, in order of time.

    Attributes
    ----------
    trace
        Of which trace.
    middle_us
        The middle between its first and its last point in time.
    lat, lng
        Its place.
    """

    trace: Ints
    middle_us: Ints
    lat: Floats
    lng: Floats

    def take(self, rows: Ints) -> "Stays":
        return Stays(self.trace[rows], self.middle_us[rows], self.lat[rows], self.lng[rows])


def find_stays(traces: Points, crew: Workers, *, diameter_m: float = DIAMETER_M, stay_s: float = STAY_S) -> Stays:
    """Find the stays of every trace.

    Parameters
    ----------
    traces
        In order of time, cut where they are to be cut, without a jump in longitude.
    crew
        Who does it.
    diameter_m, stay_s
        Greatest distance of two points of a stay; how long it lasts at least.
    """
    from shoal.attacks import stay_loops

    least = round(stay_s * _SECOND_US)
    lengths = np.diff(traces.offsets)
    has = lengths > 0
    duration = np.zeros(lengths.size, np.int64)
    duration[has] = traces.t_us[traces.offsets[1:][has] - 1] - traces.t_us[traces.offsets[:-1][has]]
    room = np.concatenate(([0], np.cumsum(np.minimum(lengths // 2, duration // max(least, 1) + 1))))
    first, last = np.empty(room[-1], np.int64), np.empty(room[-1], np.int64)
    count = np.empty(lengths.size, np.int64)

    def find(lo: int, hi: int) -> None:
        offsets, base = traces.offsets[lo : hi + 1] - traces.offsets[lo], traces.offsets[lo]
        rows = slice(base, traces.offsets[hi])
        lat, lng = traces.lat[rows], traces.lng[rows]
        east, north = metres_per_degree(lat)
        mine = slice(room[lo], room[hi])
        stay_loops.find_stays(
            offsets,
            traces.t_us[rows],
            lat,
            lng,
            east,
            north,
            diameter_m,
            least,
            room[lo:hi] - room[lo],
            first[mine],
            last[mine],
            count[lo:hi],
        )
        first[mine] += base
        last[mine] += base

    side_by_side(crew, traces.offsets, find)
    trace = np.repeat(np.arange(lengths.size), count)
    rows = np.repeat(room[:-1] - (np.cumsum(count) - count), count) + np.arange(trace.size)
    first, last = first[rows], last[rows]
    lat, lng = np.empty(trace.size), np.empty(trace.size)
    stay_loops.middles(first, last, traces.lat, traces.lng, lat, lng)
    since = traces.t_us[first]
    return Stays(trace, since + (traces.t_us[last] - since) // 2, lat, lng)


@dataclass(frozen=True, slots=True, eq=False)
class Retrieval:
    """How many places of each group (a trace, a person) are true, are published, and are true ones found again."""

    true: Ints
    published: Ints
    matched: Ints

    @property
    def counts(self) -> Ints:
        """Groups that have something to find."""
        return np.flatnonzero(self.true > 0)

    @property
    def precision(self) -> Floats:
        """Of each group that has something to find; 0 where nothing is published."""
        at = self.counts
        return self.matched[at] / np.maximum(self.published[at], 1)

    @property
    def recall(self) -> Floats:
        at = self.counts
        return self.matched[at] / self.true[at]

    @property
    def f_score(self) -> Floats:
        """The harmonic mean of both; 0 where nothing matches, hence also where all was erased."""
        at = self.counts
        return 2 * self.matched[at] / (self.true[at] + np.maximum(self.published[at], 1))


class Found(NamedTuple):
    """What the attack finds: with every stay a POI, trace by trace; and with stays joined to places, per person."""

    per_trace: Retrieval
    per_person: Retrieval


def poi_retrieval(
    raw: Points, published: Points, crew: Workers, true: Stays | None = None, same: Ints | None = None
) -> Found:
    """Look for stays in what is published, and see which true ones they are.

    Parameters
    ----------
    raw
        The true traces, person after person, in order of time (:func:`~shoal.attacks.tracks.traces_of`).
    published
        Points in order of time within each part; parts are cut at gaps as the raw ones are. A stay is compared with the
        trace of its person that was going on at the time, or next to it: parts do not say which trace they are from.
    crew
        Who does it.
    true
        The stays of ``raw``, where they are known.
    same
        Who each person of ``raw`` really is, ascending, where several are one: places are joined for these.
    """
    true = find_stays(raw, crew) if true is None else true
    cut = split_at_gaps(published)
    found = find_stays(cut, crew)
    person = cut.person_of[found.trace].astype(np.int64)
    found = found._replace(trace=_at_that_time(raw, person, found.middle_us))
    # By place where times are equal: the order of parts is that of tokens, and must not matter.
    found = found.take(np.lexsort((found.lng, found.lat, found.middle_us, found.trace)))
    same = np.arange(len(raw)) if same is None else same
    people = int(same.max(initial=-1)) + 1
    places = (_joined(people, same[raw.person_of[stays.trace]], stays) for stays in (true, found))
    return Found(_matched(raw.person_of.size, true, found), _matched(people, *places))


def _at_that_time(raw: Points, person: Ints, moment: Ints) -> Ints:
    from shoal.attacks.stay_loops import nearest_in_time

    starts = np.searchsorted(raw.person_of, np.arange(len(raw) + 1))
    since, until = raw.t_us[raw.offsets[:-1]], raw.t_us[raw.offsets[1:] - 1]
    trace = np.empty(person.size, np.int64)
    nearest_in_time(starts, since, until, person, moment, trace)
    return trace


def _joined(people: int, person: Ints, stays: Stays) -> Stays:
    """Join the stays of each person to places."""
    from shoal.attacks.stay_loops import join

    offsets = _offsets(people, person)
    place, count = np.empty(person.size, np.int64), np.empty(people, np.int64)
    join(offsets, _measured(stays), REACH_M, place, count)
    place += (np.cumsum(count) - count)[person]
    total = int(count.sum())
    members = np.bincount(place, minlength=total)
    # Where the first stay was, plus the mean way from there: degrees are never summed up.
    first = np.full(total, person.size, np.int64)
    np.minimum.at(first, place, np.arange(person.size))
    lat, lng = (
        column[first] + np.bincount(place, column - column[first[place]], total) / members
        for column in (stays.lat, stays.lng)
    )
    return Stays(np.repeat(np.arange(people), count), stays.middle_us[first], lat, lng)


def _matched(groups: int, true: Stays, found: Stays) -> Retrieval:
    from shoal.attacks.stay_loops import match

    offsets, found_offsets = _offsets(groups, true.trace), _offsets(groups, found.trace)
    matched = np.empty(groups, np.int64)
    match(offsets, _measured(true), found_offsets, _measured(found), REACH_M, matched)
    return Retrieval(np.diff(offsets), np.diff(found_offsets), matched)


def _measured(stays: Stays) -> Floats:
    """Return places with the metres of a degree there."""
    return np.stack((stays.lat, stays.lng, *metres_per_degree(stays.lat)), axis=1)


def _offsets(groups: int, group: Ints) -> Ints:
    return np.searchsorted(group, np.arange(groups + 1)).astype(np.int64)
