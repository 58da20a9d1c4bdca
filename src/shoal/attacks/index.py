"""Which individuals have a box that holds a given sample: boxes sorted into bins of time."""

from collections.abc import Iterable

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples

_SHORTEST_BIN_S = 3600


class CoverIndex:
    """Boxes by bins of time. A bin is about as long as a box, so that no box lies in many bins."""

    __slots__ = ("_crowd", "_first", "_owner", "_rows", "_starts", "_width", "_x0", "_x1")

    def __init__(self, crowd: Crowd) -> None:
        self._crowd, self._owner = crowd, crowd.owner
        spans = crowd.t1 - crowd.t0
        self._width = max(_SHORTEST_BIN_S, int(spans.mean()) if spans.size else 0)
        low, high = crowd.t0 // self._width, (crowd.t1 - 1) // self._width
        counts = np.maximum(high - low + 1, 0)
        ends = np.cumsum(counts)
        rows = np.repeat(np.arange(counts.size), counts)
        bins = np.repeat(low - (ends - counts), counts) + np.arange(rows.size)
        self._first = int(low.min()) if low.size else 0
        bins -= self._first
        order = np.argsort(bins, kind="stable")
        self._rows = rows[order].astype(np.int32)
        # Side by side, because this is what every query reads in full.
        self._x0, self._x1 = (column[self._rows].astype(np.int32) for column in (crowd.x0, crowd.x1))
        self._starts = np.concatenate(([0], np.cumsum(np.bincount(bins)))) if rows.size else np.zeros(1, np.int64)

    def holding(self, t: int, x: int, y: int, dt_s: int, cell_m: int) -> Ints:
        """Return the individuals, ascending, with a box around this whole cell."""
        bin_ = t // self._width - self._first
        if not 0 <= bin_ < self._starts.size - 1:
            return np.empty(0, np.int64)
        c = self._crowd
        here = slice(self._starts[bin_], self._starts[bin_ + 1])
        rows = self._rows[here][(self._x0[here] <= x) & (x + cell_m <= self._x1[here])]
        rows = rows[(c.y0[rows] <= y) & (y + cell_m <= c.y1[rows])]
        rows = rows[(c.t0[rows] <= t) & (t + dt_s <= c.t1[rows])]
        return np.unique(self._owner[rows])

    def holding_all(self, known: Samples, rows: Iterable[int]) -> Ints:
        """Return the individuals, ascending, with boxes around all of these samples; there is at least one."""
        alive: Ints | None = None
        for row in rows:
            here = self.holding(int(known.t[row]), int(known.x[row]), int(known.y[row]), known.dt_s, known.cell_m)
            alive = here if alive is None else np.intersect1d(alive, here, assume_unique=True)
            if not alive.size:
                break
        assert alive is not None
        return alive
