"""How many points lie where and when others do: for records that were published nearly as they are.

Whatever was done to points is forgiven up to a tolerance, and up to one shift in time or in space that is the same for
all of them. What is left is held against chance: people who stay where they are were there at other times, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints

Floats = NDArray[np.float64]

DEGREE_M = 111_195
"""Metres of a degree of latitude."""

_MOST_TRIED = 20_000
_MOST_PAIRS = 50_000_000
_PROBES = 200
_LEAST_PROBES = 20
_AWAY_S = (3_600, 12 * 3_600)
"""For chance: the same places, so many seconds earlier or later."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What counts as the same: metres along each axis, and seconds."""

    metres: float
    seconds: int


@dataclass(frozen=True, slots=True)
class Near:
    """The share of points near another, and what chance would have come to."""

    share: float
    by_chance: float

    @property
    def beyond_chance(self) -> float:
        """The share of those that chance would have left alone."""
        return (self.share - self.by_chance) / (1 - self.by_chance) if self.by_chance < 1 else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Points sorted by owner and time; whole seconds and degrees."""

    owner: Ints
    t: Ints
    lat: Floats
    lng: Floats

    @classmethod
    def of(cls, owner: Ints, epoch_us: Ints, lat: Floats, lng: Floats) -> "Track":
        t = epoch_us // 1_000_000
        order = np.lexsort((t, owner))
        return cls(owner[order], t[order], np.nan_to_num(lat[order]), np.nan_to_num(lng[order]))

    def take(self, rows: Ints | NDArray[np.bool_]) -> "Track":
        return Track(self.owner[rows], self.t[rows], self.lat[rows], self.lng[rows])


Shift = tuple[int, float, float]
"""Seconds and degrees that are added to all points."""


def near(some: Track, among: Track, tolerance: Tolerance, rng: np.random.Generator) -> Near:
    """Share of points near one of the same owner's, under the shift that fits best."""
    if not some.t.size or not among.t.size:
        return Near(0.0, 0.0)
    size = min(some.t.size, _MOST_TRIED)
    tried = some.take(rng.choice(some.t.size, size, replace=False))
    away = rng.integers(*_AWAY_S, size) * rng.choice((-1, 1), size)
    found = []
    for shift in _shifts(tried, among, tolerance):
        moved = replace(tried, t=tried.t + shift[0], lat=tried.lat + shift[1], lng=tried.lng + shift[2])
        elsewhen = replace(moved, t=moved.t + away)
        found.append(Near(_share(moved, among, tolerance), _share(elsewhen, among, tolerance)))
    return max(found, key=lambda one: one.beyond_chance)


def _shifts(tried: Track, among: Track, tolerance: Tolerance) -> Iterator[Shift]:
    """Yield no shift, and the one in time and the one in space by which most points would meet another."""
    yield 0, 0.0, 0.0
    starts = np.searchsorted(among.owner, tried.owner)
    ends = np.searchsorted(among.owner, tried.owner, side="right")
    probes = min(_PROBES, max(_LEAST_PROBES, _MOST_PAIRS // max(1, int((ends - starts).mean()))))
    times, places = [], []
    degrees = tolerance.metres / DEGREE_M
    for i in range(min(probes, tried.t.size)):
        mine = slice(int(starts[i]), int(ends[i]))
        later = among.t[mine] - tried.t[i]
        north, east = among.lat[mine] - tried.lat[i], _turned(among.lng[mine] - tried.lng[i])
        here = (np.abs(north) <= degrees) & (np.abs(east) * np.cos(np.radians(tried.lat[i])) <= degrees)
        now = np.abs(later) <= tolerance.seconds
        times.append(np.unique(later[here] // tolerance.seconds))
        bins = np.floor(np.stack((north[now], east[now])) / degrees).astype(np.int64)
        places.append(np.unique(bins, axis=1))
    found = np.concatenate(times)
    if found.size:
        values, counts = np.unique(found, return_counts=True)
        yield int((values[counts.argmax()] + 0.5) * tolerance.seconds), 0.0, 0.0
    moved = np.concatenate(places, axis=1)
    if moved.size:
        values, counts = np.unique(moved, axis=1, return_counts=True)
        north, east = (values[:, counts.argmax()] + 0.5) * degrees
        yield 0, float(north), float(east)


def _turned(degrees: Floats) -> Floats:
    """Differences of longitudes the short way round."""
    return np.asarray((degrees + 180) % 360 - 180)


def _share(tried: Track, among: Track, tolerance: Tolerance) -> float:
    """The share of points that have another of their owner's within the tolerance."""
    low = min(int(tried.t.min()), int(among.t.min())) - tolerance.seconds
    width = max(int(tried.t.max()), int(among.t.max())) - low + 2 * tolerance.seconds + 2
    theirs, ours = among.owner * width + (among.t - low), tried.owner * width + (tried.t - low)
    at = np.searchsorted(theirs, ours - tolerance.seconds)
    stop = np.searchsorted(theirs, ours + tolerance.seconds, side="right")
    # They come in random order: the first of them are a sample, too.
    some = max(1, int(np.searchsorted(np.cumsum(stop - at), _MOST_PAIRS)))
    open_ = np.arange(min(some, at.size))
    tried_rows, near = open_.size, 0
    at, stop = at[open_], stop[open_]
    narrow = np.cos(np.radians(tried.lat))
    degrees = tolerance.metres / DEGREE_M
    while open_.size:
        going = at < stop
        open_, at, stop = open_[going], at[going], stop[going]
        hit = np.abs(among.lat[at] - tried.lat[open_]) <= degrees
        hit &= np.abs(_turned(among.lng[at] - tried.lng[open_])) * narrow[open_] <= degrees
        near += int(hit.sum())
        open_, at, stop = open_[~hit], at[~hit] + 1, stop[~hit]
    return near / tried_rows
