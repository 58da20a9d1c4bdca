"""Samples and boxes as the loops of window hiding take them, and an index of boxes by time and place.

Times are slots of the grid, counted from the first sample of the data; places are metres.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.contract.claims import WindowHiding

Small = NDArray[np.int32]

_SHORTEST_BIN = 15


class Known(NamedTuple):
    """Samples by person, sorted by time; ``last`` is the last slot that has one."""

    offsets: Ints
    t: Small
    x: Small
    y: Small
    cell_m: int
    last: int


class Published(NamedTuple):
    """Boxes by person, sorted by start: slots ``first … stop - 1``, and how loose each is."""

    offsets: Ints
    owner: Small
    first: Small
    stop: Small
    x0: Small
    x1: Small
    y0: Small
    y1: Small
    size: Ints


class Index(NamedTuple):
    """Boxes in buckets, by bins of time and cells of space.

    Attributes
    ----------
    step
        Slots of a bin.
    mask, starts, rows
        Where the boxes of each bucket start, and which they are; the last bucket.
    used
        Levels of cells that hold some box.
    shapes
        Slots and edges of the boxes in ``rows``, side by side, because every look-up reads them in a row.
    """

    step: int
    mask: int
    starts: Ints
    rows: Small
    used: NDArray[np.bool_]
    shapes: Small


class Terms(NamedTuple):
    """What is promised, in slots: intervals ``s … s + tau``; far is ``t < s - epsilon`` and ``t > s + far``."""

    k: int
    tau: int
    epsilon: int
    far: int


def terms_of(claim: WindowHiding, dt_s: int) -> Terms:
    return Terms(claim.k, claim.tau_s // dt_s, claim.epsilon_s // dt_s, (claim.tau_s + claim.epsilon_s) // dt_s)


def material(crowd: Crowd, person_of: Ints, samples: Samples) -> tuple[Known, Published]:
    """Arrange by person, all names of one together; boxes of nobody are left out.

    Parameters
    ----------
    crowd, person_of
        What is published, and whose each name is: an index of the people of ``samples``, -1 for nobody's.
    """
    crowd, samples = crowd.between(0, len(crowd)), samples.between(0, len(samples))
    step = samples.dt_s
    origin = int(samples.t.min()) if samples.t.size else 0
    t = (samples.t - origin) // step
    last = int(t.max(initial=0))
    known = Known(samples.offsets, _small(t), _small(samples.x), _small(samples.y), samples.cell_m, last)
    owner = person_of[crowd.owner]
    # A box holds a slot when it holds all of it.
    first, stop = -((origin - crowd.t0) // step), (crowd.t1 - origin) // step
    order = np.lexsort((first, owner))
    order = order[owner[order] >= 0]
    owner, first, stop, x0, x1, y0, y1 = (
        column[order] for column in (owner, first, stop, crowd.x0, crowd.x1, crowd.y0, crowd.y1)
    )
    offsets = np.searchsorted(owner, np.arange(len(samples) + 1)).astype(np.int64)
    size = np.maximum(stop - first, 0) * ((x1 - x0 + y1 - y0) // samples.cell_m)
    spans = _small(owner), _small(first), _small(stop)
    return known, Published(offsets, *spans, _small(x0), _small(x1), _small(y0), _small(y1), size)


def _small(column: Ints) -> Small:
    return column.astype(np.int32)


def index_of(published: Published) -> Index:
    """Sort boxes into buckets. A bin of time is about as long as a box, so that no box lies in many."""
    from shoal.auditor.window_loops import LEVELS, fill

    first = published.first
    spans = np.maximum(published.stop.astype(np.int64) - first, 0)
    step = max(_SHORTEST_BIN, int(spans.mean()) if spans.size else 0)
    mask = (1 << max(int(2 * first.size).bit_length(), 4)) - 1
    none = np.empty(0, np.int32)
    counting = Index(step, mask, np.zeros(mask + 2, np.int64), none, np.zeros(LEVELS, np.bool_), none.reshape(0, 6))
    fill(published, counting)
    starts = np.cumsum(counting.starts)
    rows = np.empty(max(int(starts[-1]), 1), np.int32)
    fill(published, counting._replace(starts=starts[:-1].copy(), rows=rows))
    columns = (first, published.stop, published.x0, published.x1, published.y0, published.y1)
    shapes = np.empty((rows.size, len(columns)), np.int32)
    for place, column in enumerate(columns):
        shapes[: starts[-1], place] = column[rows[: starts[-1]]]
    return counting._replace(starts=starts, rows=rows, shapes=shapes)
