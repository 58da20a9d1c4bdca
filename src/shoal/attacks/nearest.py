"""The attacker who knows a person's whole trace, and takes the published one that comes nearest to it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.linkage import Linkage, tally
from shoal.data.layout import rows_of

Floats = NDArray[np.float64]

_LOOKS = 40
"""A published trace is looked at that many times, spread evenly over it."""

_TIE_M = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Tracks:
    """Traces as metres over seconds: those of ``j`` are rows ``offsets[j]`` to ``offsets[j + 1]``, in order of time."""

    offsets: Ints
    t: Floats
    x: Floats
    y: Floats

    def take(self, some: Ints) -> "Tracks":
        offsets, rows = rows_of(self.offsets, some)
        return Tracks(offsets, self.t[rows], self.x[rows], self.y[rows])

    def looks(self, most: int = _LOOKS) -> "Tracks":
        """Return at most so many points of each, evenly spread."""
        length = np.diff(self.offsets)
        count = np.minimum(length, most)
        offsets = np.concatenate(([0], np.cumsum(count)))
        number = np.arange(offsets[-1]) - np.repeat(offsets[:-1], count)
        step = np.repeat((length - 1) / np.maximum(count - 1, 1), count)
        rows = np.repeat(self.offsets[:-1], count) + np.rint(number * step).astype(np.int64)
        return Tracks(offsets, self.t[rows], self.x[rows], self.y[rows])


def nearest_trace(
    published: Tracks,
    known: Tracks,
    own: Callable[[int], Ints],
    *,
    off_m: float = 0.0,
    by_way: bool = False,
    looks: int = _LOOKS,
    rng: np.random.Generator,
) -> tuple[Linkage, Floats]:
    """Point at the published trace that keeps nearest, on the mean over its points.

    Only traces at least half of whose times lie within those of the known one can be it. Between records the known
    person goes straight and evenly.

    Parameters
    ----------
    known
        What the attacker knows, a trace for each target.
    own
        The published traces of a target: any of them is right.
    off_m
        Every known place is off by up to so much, at random.
    by_way
        Compare places alone, with the nearest record whenever that was: for what has other times than were recorded.
    looks
        How many points of each published trace are looked at, at most.

    Returns
    -------
    Whom it points at; and how near the nearest is to each target, in metres.
    """
    seen = published.looks(looks)
    owner = np.repeat(np.arange(seen.offsets.size - 1), np.diff(seen.offsets))
    count_of = np.diff(seen.offsets)
    gaps = np.full(known.offsets.size - 1, np.inf)

    def left() -> Iterator[Ints]:
        for target in range(known.offsets.size - 1):
            here = slice(int(known.offsets[target]), int(known.offsets[target + 1]))
            t = known.t[here]
            x, y = _off(known.x[here], known.y[here], off_m, rng)
            during = np.flatnonzero((seen.t >= t[0] - 1) & (seen.t <= t[-1] + 1)) if t.size else np.empty(0, np.int64)
            at = seen.t[during]
            if by_way:
                apart = _from_way(x, y, seen.x[during], seen.y[during])
            else:
                apart = np.hypot(np.interp(at, t, x) - seen.x[during], np.interp(at, t, y) - seen.y[during])
            count = np.bincount(owner[during], minlength=count_of.size)
            mean = np.bincount(owner[during], apart, count_of.size) / np.maximum(count, 1)
            mean[2 * count < count_of] = np.inf
            gaps[target] = mean.min(initial=np.inf)
            chosen = mean <= gaps[target] + _TIE_M
            yield np.flatnonzero(chosen) if np.isfinite(gaps[target]) else np.empty(0, np.int64)

    mine = [own(target) for target in range(known.offsets.size - 1)]
    found = tally_any(left(), mine, count_of.size, rng)
    return found, gaps


def _from_way(x: Floats, y: Floats, to_x: Floats, to_y: Floats) -> Floats:
    """Return the distance to the nearest record."""
    from scipy.spatial import cKDTree

    if not x.size:
        return np.full(to_x.size, np.inf)
    return np.asarray(cKDTree(np.stack((x, y), axis=1)).query(np.stack((to_x, to_y), axis=1))[0])


def _off(x: Floats, y: Floats, off_m: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    if not off_m:
        return x, y
    radius, angle = off_m * np.sqrt(rng.random(x.size)), 2 * np.pi * rng.random(x.size)
    return x + radius * np.cos(angle), y + radius * np.sin(angle)


def tally_any(left: Iterator[Ints], mine: list[Ints], published: int, rng: np.random.Generator) -> Linkage:
    """Count who is left where a target has several published traces: one of them among those left is right.

    >>> tally_any(iter([np.array([3])]), [np.array([2, 3])], 9, np.random.default_rng(1)).right
    array([ True])
    """
    chosen = list(left)
    own = np.array([_one_of(some, theirs) for some, theirs in zip(chosen, mine, strict=True)], np.int64)
    return tally(chosen, np.ones(published, np.int64), own, rng)


def _one_of(some: Ints, theirs: Ints) -> int:
    """Return one of theirs, if possible one that is left; -1 where they have none."""
    both = np.intersect1d(some, theirs)
    return int(both[0]) if both.size else int(theirs[0]) if theirs.size else -1
