"""What is published of each cluster: the pivot as it is, the others bent towards it at the pivot's times."""

from dataclasses import dataclass

import numpy as np

from shoal.data.layout import Floats, Ints64
from shoal.kernels.w4m.walk import beside
from shoal.mechanisms.w4m.clusters import CAP
from shoal.mechanisms.w4m.tracks import Tracks


@dataclass(frozen=True, slots=True, eq=False)
class Bent:
    """Published points of those who are in a cluster, and what it cost.

    Attributes
    ----------
    chosen
        Which traces they are, ascending.
    offsets, row, x, y
        Their points: which point of the original has the time of each, and where it is, as in the tracks.
    moved_m, waited_s
        By how far points were moved in space and in time, in all.
    created, deleted
        Points more and fewer than the traces had.
    """

    chosen: Ints64
    offsets: Ints64
    row: Ints64
    x: Floats
    y: Floats
    moved_m: float
    waited_s: float
    created: int
    deleted: int


def bend(tracks: Tracks, pivot_of: Ints64, delta_m: float) -> Bent:
    """Bend every trace of a cluster towards its pivot, to within half of delta.

    Parameters
    ----------
    tracks
        All traces.
    pivot_of
        As in :class:`~shoal.mechanisms.w4m.clusters.Clusters`.
    delta_m
        The diameter of the cylinder.
    """
    chosen = np.flatnonzero(pivot_of >= 0)
    lengths = np.diff(tracks.offsets)
    counts = lengths[pivot_of[chosen]]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    row = np.repeat(tracks.offsets[pivot_of[chosen]] - offsets[:-1], counts) + np.arange(offsets[-1])
    x, y = tracks.columns[0][row], tracks.columns[1][row]
    moved = waited = 0.0
    for place, trace in enumerate(chosen):
        pivot = pivot_of[trace]
        if pivot == trace:
            continue
        part = slice(offsets[place], offsets[place + 1])
        far, long = beside(trace, pivot, tracks.offsets, tracks.columns, delta_m / 2, CAP, x[part], y[part])
        moved, waited = moved + far, waited + long
    more = counts - lengths[chosen]
    return Bent(
        chosen,
        offsets,
        row,
        x,
        y,
        moved,
        waited / tracks.speed if tracks.speed else 0.0,
        int(more[more > 0].sum()),
        int(-more[more < 0].sum()),
    )
