"""The loops of :mod:`shoal.attacks.poi`, compiled. Import it late: it needs numba.

``east`` and ``north`` are metres per degree at each point. The distance of two points is that of the plane whose scale
is the mean of theirs: within a kilometre it is right to the millimetre.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

from shoal.attacks.tracks import Floats, Ints

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))


@compiled
def last_beyond(lat: Floats, lng: Floats, east: Floats, north: Floats, begin: int, i: int, limit: float) -> int:
    """The last of the points ``begin..i - 1`` that is farther than the limit (squared) from point i, or -1."""
    for j in range(i - 1, begin - 1, -1):
        x = (lng[i] - lng[j]) * (east[i] + east[j]) / 2
        y = (lat[i] - lat[j]) * (north[i] + north[j]) / 2
        if x * x + y * y > limit:
            return j
    return -1


@compiled
def find_stays(
    offsets: Ints,
    t: Ints,
    lat: Floats,
    lng: Floats,
    east: Floats,
    north: Floats,
    diameter: float,
    least: int,
    room: Ints,
    first: Ints,
    last: Ints,
    count: Ints,
) -> None:
    """Write the first and the last row of each stay of each trace, and how many a trace has.

    A run takes every point that is near all of it. At the first that is not, a run that lasted long enough is a stay,
    and the next run starts there; one that did not loses its oldest points until the new one fits. What is left at the
    end of the trace is a stay too, if it lasted.

    Parameters
    ----------
    offsets, t, lat, lng, east, north
        Traces, sorted by time.
    diameter, least
        Metres that no two points of a stay are farther apart; how long it lasts at least.
    room
        Where the stays of each trace are to be written.
    first, last, count
        Written.
    """
    limit = diameter * diameter
    for trace in range(offsets.size - 1):
        lo, hi, found = offsets[trace], offsets[trace + 1], 0
        begin = lo
        # A box around the run, and the largest scales in it: most points fit without a look at each of the others.
        south, top, west, right, most_east, most_north = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(lo, hi):
            beyond = -1
            if begin < i:
                x = max(lng[i] - west, right - lng[i]) * max(most_east, east[i])
                y = max(lat[i] - south, top - lat[i]) * max(most_north, north[i])
                if x * x + y * y > limit:
                    beyond = last_beyond(lat, lng, east, north, begin, i, limit)
            since = i  # from here on points are new to the box
            if beyond >= 0:
                if i - begin >= 2 and t[i - 1] - t[begin] >= least:
                    first[room[trace] + found], last[room[trace] + found] = begin, i - 1
                    found += 1
                    begin = i
                else:
                    begin = beyond + 1
                since = begin
            if begin == since:
                south, top, west, right = lat[begin], lat[begin], lng[begin], lng[begin]
                most_east, most_north = east[begin], north[begin]
            for j in range(since, i + 1):
                south, top = min(south, lat[j]), max(top, lat[j])
                west, right = min(west, lng[j]), max(right, lng[j])
                most_east, most_north = max(most_east, east[j]), max(most_north, north[j])
        if hi - begin >= 2 and t[hi - 1] - t[begin] >= least:
            first[room[trace] + found], last[room[trace] + found] = begin, hi - 1
            found += 1
        count[trace] = found


@compiled
def middles(first: Ints, last: Ints, lat: Floats, lng: Floats, out_lat: Floats, out_lng: Floats) -> None:
    """Write the mean place of the rows ``first..last`` of each stay."""
    for i in range(first.size):
        south, west = lat[first[i]], lng[first[i]]
        up, right = 0.0, 0.0
        for row in range(first[i], last[i] + 1):
            up += lat[row] - south
            right += lng[row] - west
        points = last[i] - first[i] + 1
        out_lat[i], out_lng[i] = south + up / points, west + right / points


@compiled
def nearest_in_time(offsets: Ints, since: Ints, until: Ints, person: Ints, moment: Ints, trace: Ints) -> None:
    """Write which trace of its person was going on at each moment, or was next to it in time; the earlier of two.

    Parameters
    ----------
    offsets, since, until
        The traces of each person, in order of time, one after the other.
    person, moment
        Whose, and when.
    trace
        Written.
    """
    for i in range(person.size):
        nearest = offsets[person[i]]
        best = max(since[nearest] - moment[i], moment[i] - until[nearest], 0)
        for j in range(nearest + 1, offsets[person[i] + 1]):
            away = max(since[j] - moment[i], moment[i] - until[j], 0)
            if away < best:
                best, nearest = away, j
        trace[i] = nearest


@compiled
def nearest_place(
    lat: float, lng: float, east: float, north: float, places: Floats, lo: int, hi: int, reach: float
) -> int:
    """The nearest of the places ``lo..hi - 1`` (lat, lng, east, north) within reach, the first of equal ones, or -1."""
    best, nearest = reach * reach, -1
    for j in range(lo, hi):
        x = (lng - places[j, 1]) * (east + places[j, 2]) / 2
        y = (lat - places[j, 0]) * (north + places[j, 3]) / 2
        far = x * x + y * y
        if far < best or (nearest < 0 and far == best):
            best, nearest = far, j
    return nearest


@compiled
def join(offsets: Ints, stays: Floats, reach: float, place: Ints, count: Ints) -> None:
    """Give each stay (lat, lng, east, north) a place of its group: the nearest that began within reach, else a new one.

    A place stays where its first stay was, so that none grows along a street.
    """
    leaders = np.empty_like(stays)
    for group in range(offsets.size - 1):
        found = 0
        for i in range(offsets[group], offsets[group + 1]):
            nearest = nearest_place(stays[i, 0], stays[i, 1], stays[i, 2], stays[i, 3], leaders, 0, found, reach)
            if nearest < 0:
                nearest = found
                leaders[found] = stays[i]
                found += 1
            place[i] = nearest
        count[group] = found


@compiled
def match(true_offsets: Ints, true: Floats, offsets: Ints, found: Floats, reach: float, matched: Ints) -> None:
    """Count the distinct true places of each group to which a published one goes: its nearest, within reach."""
    taken = np.zeros(true.shape[0], np.bool_)
    for group in range(offsets.size - 1):
        lo, hi, hits = true_offsets[group], true_offsets[group + 1], 0
        for i in range(offsets[group], offsets[group + 1]):
            nearest = nearest_place(found[i, 0], found[i, 1], found[i, 2], found[i, 3], true, lo, hi, reach)
            if nearest >= 0 and not taken[nearest]:
                taken[nearest] = True
                hits += 1
        matched[group] = hits
