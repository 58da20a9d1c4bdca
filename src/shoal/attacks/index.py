"""Which individuals have a box that holds a given sample: boxes sorted into bins of time."""

from collections.abc import Iterable

import numpy as np

from shoal.attacks.crowd import Crowd, Ints, Samples

_SHORTEST_BIN_S = 3600


class CoverIndex:
    """Boxes by bins of time. A bin is about as long as a box, so that no box lies in many bins.

    Parameters
    ----------
    crowd
        The boxes.
    tolerance_m, tolerance_s
        How much every box reaches beyond its edges, on all sides.
    """

    __slots__ = ("_crowd", "_first", "_rows", "_slack_m", "_slack_s", "_starts", "_width", "_x0", "_x1")

    def __init__(self, crowd: Crowd, *, tolerance_m: int = 0, tolerance_s: int = 0) -> None:
        self._crowd, self._slack_m, self._slack_s = crowd, tolerance_m, tolerance_s
        boxes = crowd.t0.size
        lasting = sum(int((part.t1 - part.t0).sum()) for _, part in crowd.parts())
        mean = int(lasting / boxes) + 2 * tolerance_s if boxes else 0
        self._width = max(_SHORTEST_BIN_S, mean)
        self._first = (int(crowd.t0.min()) - tolerance_s) // self._width if boxes else 0
        last = (int(crowd.t1.max()) + tolerance_s - 1) // self._width if boxes else 0
        counts = np.zeros(max(last - self._first + 1, 0) if boxes else 0, np.int64)
        for _, part in crowd.parts():
            bins, _ = self._binned(part)
            counts += np.bincount(bins, minlength=counts.size)
        self._starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        self._rows = np.empty(int(self._starts[-1]), np.int32 if boxes < 1 << 31 else np.int64)
        free = self._starts[:-1].copy()
        for low, part in crowd.parts():
            bins, rows = self._binned(part)
            order = np.argsort(bins, kind="stable")
            bins = bins[order]
            first = np.searchsorted(bins, bins)
            self._rows[free[bins] + np.arange(bins.size) - first] = rows[order] + crowd.offsets[low]
            free += np.bincount(bins, minlength=free.size)
        # Side by side, because this is what every query reads in full.
        self._x0, self._x1 = crowd.x0[self._rows], crowd.x1[self._rows]

    def _binned(self, part: Crowd) -> tuple[Ints, Ints]:
        """Return the bins of some boxes, from the first bin of all, and the box in each."""
        low = (part.t0 - self._slack_s) // self._width - self._first
        high = (part.t1 + self._slack_s - 1) // self._width - self._first
        counts = np.maximum(high - low + 1, 0)
        ends = np.cumsum(counts)
        rows = np.repeat(np.arange(counts.size), counts)
        return np.repeat(low - (ends - counts), counts) + np.arange(rows.size), rows

    def holding(self, t: int, x: int, y: int, dt_s: int, cell_m: int) -> Ints:
        """Return the individuals, ascending, with a box around this whole cell."""
        bin_ = t // self._width - self._first
        if not 0 <= bin_ < self._starts.size - 1:
            return np.empty(0, np.int64)
        c, by_m, by_s = self._crowd, self._slack_m, self._slack_s
        here = slice(self._starts[bin_], self._starts[bin_ + 1])
        rows = self._rows[here][(self._x0[here] <= x + by_m) & (x + cell_m - by_m <= self._x1[here])]
        rows = rows[(c.y0[rows] <= y + by_m) & (y + cell_m - by_m <= c.y1[rows])]
        rows = rows[(c.t0[rows] <= t + by_s) & (t + dt_s - by_s <= c.t1[rows])]
        return np.unique(np.searchsorted(c.offsets, rows, side="right") - 1)

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
