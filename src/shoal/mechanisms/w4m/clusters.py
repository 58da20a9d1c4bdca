"""Who is bent towards whom: greedy clusters around random pivots, within a radius that grows."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.data.layout import Floats, Ints64
from shoal.kernels.w4m.walk import distances
from shoal.mechanisms.kd_parts import kd_parts
from shoal.mechanisms.w4m.tracks import Tracks
from shoal.progress import Progress
from shoal.workers import Workers

CAP = 10
"""The most steps that two points are apart."""

CHUNK = 1000
"""Traces that are clustered together at most: distances are those of all pairs."""

GROWTH = 1.5
"""The radius grows by this factor, and by a metre at least, while too many traces are in no cluster."""

_AT_ONCE = 8


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """The pivot of each trace, itself for a pivot, -1 for what is thrown away; and the largest radius needed."""

    pivot_of: Ints64
    radius_m: float
    attempts: int


@dataclass(frozen=True, slots=True)
class Rule:
    """How to cluster; as in :class:`shoal.WaitForMe`."""

    k: int
    delta_m: float
    max_radius_m: float
    trash: float


def cluster(tracks: Tracks, rule: Rule, rng: np.random.Generator, progress: Progress, *, workers: Workers) -> Clusters:
    """Cluster traces chunk by chunk, each chunk near in place and time.

    Parameters
    ----------
    tracks
        At least k.
    rule
        How.
    rng
        Draws the pivots.
    progress
        Told of all traces.
    workers
        Who computes the distances.
    """
    chunks = kd_parts(np.arange(len(tracks)), tracks.middles(), max(CHUNK, 4 * rule.k))
    pivot_of, radius, attempts, done = np.full(len(tracks), -1, np.int64), rule.max_radius_m, 0, 0
    for chunk in chunks:
        chunk = np.sort(chunk)

        def tell(rows: int, before: int = done) -> None:
            progress("comparing traces", before + rows, len(tracks))

        total, reach = _compared(tracks.some(chunk), rule, tell, workers=workers)
        found = _settle(total, reach, rule, rng)
        pivot_of[chunk] = np.where(found.pivot_of >= 0, chunk[found.pivot_of], -1)
        radius, attempts, done = max(radius, found.radius_m), max(attempts, found.attempts), done + chunk.size
    return Clusters(pivot_of, radius, attempts)


def _compared(
    tracks: Tracks, rule: Rule, tell: Callable[[int], None], *, workers: Workers
) -> tuple[NDArray[np.int64], Floats]:
    """Distances and reaches of all ordered pairs: a cached matrix serves all attempts."""
    count = len(tracks)
    total, reach = np.empty((count, count), np.int64), np.empty((count, count))
    work = partial(distances, offsets=tracks.offsets, traces=tracks.columns, unit=rule.delta_m, cap=CAP)
    pieces = np.array_split(np.arange(count), -(-count // _AT_ONCE))
    tasks = [workers.pool.submit(work, rows=rows, total=total, reach=reach) for rows in pieces]
    done = 0
    for rows, task in zip(pieces, tasks, strict=True):
        task.result()
        done += rows.size
        tell(done)
    return total, reach


def _settle(total: NDArray[np.int64], reach: Floats, rule: Rule, rng: np.random.Generator) -> Clusters:
    """Try with a growing radius until few enough are thrown away."""
    radius, attempts, widest = rule.max_radius_m, 0, float(reach.max(initial=0.0))
    while True:
        attempts += 1
        pivot_of = attempt(total, reach, radius, rule.k, rng)
        thrown = int((pivot_of < 0).sum())
        if thrown <= rule.trash * pivot_of.size or radius >= widest:
            return Clusters(pivot_of, radius, attempts)
        radius = max(GROWTH * radius, radius + 1.0)


def attempt(total: NDArray[np.int64], reach: Floats, radius: float, k: int, rng: np.random.Generator) -> Ints64:
    """Cluster once: the pivot of each trace, -1 for what is left over.

    Deviates from what is known of the original program where that is silent: a pivot that finds too few waits, and
    what is left in the end joins the nearest cluster whose pivot passes the test of the radius.

    Parameters
    ----------
    total, reach
        Of each trace and pivot: distance, and how far apart they get.
    radius
        The farthest that is allowed.
    k
        Traces in a cluster.
    rng
        Draws the pivots.
    """
    count = total.shape[0]
    pivot_of = np.full(count, -1, np.int64)
    passes = reach <= radius
    np.fill_diagonal(passes, False)
    for pivot in rng.permutation(count):
        if pivot_of[pivot] >= 0:
            continue
        free = np.flatnonzero((pivot_of < 0) & passes[:, pivot])
        if free.size < k - 1:
            continue
        nearest = free[np.argsort(total[free, pivot], kind="stable")[: k - 1]]
        pivot_of[nearest], pivot_of[pivot] = pivot, pivot
    pivots = np.flatnonzero(pivot_of == np.arange(count))
    for left in np.flatnonzero(pivot_of < 0):
        near = pivots[passes[left, pivots]]
        if near.size:
            pivot_of[left] = near[np.argmin(total[left, near])]
    return pivot_of
