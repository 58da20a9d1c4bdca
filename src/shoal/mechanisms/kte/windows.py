"""Who hides whom, window by window: the repaired construction.

The paper's (kte §III-E to G, `paper`) does not keep its promise. This one does, by construction:

- Windows come in the order of time. A *cell*, what a person has in an epoch, is published whole or not at all, and a
  window decides that for its newest epoch only: no earlier window relies on it, so nothing decided has to be undone.
- People hide only among those who are there in the same epochs of the window, so that no hider has a box where the
  hidden person has nothing, nor the other way round.
- Whoever cannot be hidden loses the newest cell, and is then among those who are not there in the newest epoch. If
  those are too few, they draw down others, who lose their newest cell as well.
- No pair of people comes twice, in either direction: the second window would be handed over whole.

Where even that leaves somebody without hiders, the last of the person's cells that the window covers cannot be
published at all. It is struck from the data, and the windows that have to do with it are decided anew. That happens in
small or sparse data only, and ends because there is always less to publish.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.data.grid import Grid
from shoal.data.layout import Ints64
from shoal.kernels.kmerge.stamps import Rule
from shoal.kernels.kte.assign import assigned, enough_candidates
from shoal.kernels.kte.hiders import NOBODY, Avoid, Candidates, Stretch, crowd_costs, find_bounds, find_candidates
from shoal.kernels.kte.lives import Lives, Pairs, pairs_by
from shoal.kernels.kte.used import UsedPairs
from shoal.mechanisms.kte.hiding import Epochs, Hiding
from shoal.progress import Progress
from shoal.workers import Workers

LEAST_CANDIDATES = 24
"""Of each person."""

NEAR_M_PER_S = 200 / 60
"""How far apart in space counts as much as a second apart in time, when the nearest are sought."""

SAME_PLACE_M = 500
"""Places are as if so wide when hiders are compared. The cost of boxes alone, space by time, makes next to nothing of
any length of time at one place. With 5,000 people in two days the medians before repair were then 1.0 km and 22 min; so
they are 1.5 km and 18 min."""

NONE = np.empty(0, np.int64)


class Windows:
    """What is decided so far.

    Attributes
    ----------
    lives, epochs, k
        Samples, how time is cut, how many are to fit.
    alive
        Of each person (row) and epoch, whether it is published; epochs beyond the last window are as in the data.
    hider, hidden
        For each window, the pairs.
    used
        All pairs so far.
    """

    def __init__(
        self,
        lives: Lives,
        epochs: Epochs,
        present: NDArray[np.bool_],
        rank: NDArray[np.integer],
        k: int,
        grid: Grid,
        workers: Workers,
    ) -> None:
        self.lives, self.epochs, self.k = lives, epochs, k
        self.alive = present.copy()
        self.hider: list[Ints64] = []
        self.hidden: list[Ints64] = []
        self.used = UsedPairs()
        self._present, self._rank, self._order = present.copy(), rank, np.argsort(rank)
        self._rule = Rule(area=True, dx=max(1, SAME_PLACE_M // grid.cell_m))
        self._slot_weight, self._workers = NEAR_M_PER_S * grid.dt_s / grid.cell_m, workers
        cell = np.repeat(np.arange(len(present)), np.diff(lives.offsets)) * epochs.count + lives.epoch
        self._largest = int(np.diff(np.flatnonzero(np.diff(cell, prepend=-1, append=-1))).max())

    def decide(self, progress: Progress) -> None:
        """Decide all windows that are not decided yet."""
        while (window := len(self.hider)) < self.epochs.windows:
            progress("hiding people", window, self.epochs.windows)
            people, epochs = self._decide_next()
            if people.size:
                self.strike(people, epochs)
        progress("hiding people", self.epochs.windows, self.epochs.windows)

    def strike(self, people: Ints64, epochs: Ints64) -> None:
        """Take cells out of the data, and all decisions back that had to do with them."""
        self._present[people, epochs] = False
        first = max(0, int(epochs.min()) - self.epochs.reach)
        del self.hider[first:], self.hidden[first:]
        newest = first + self.epochs.reach if first else 0
        self.alive[:, newest:] = self._present[:, newest:]
        self.used = UsedPairs()
        for hider, hidden in zip(self.hider, self.hidden, strict=True):
            self.used.add(hider, hidden)

    def add(self, window: int, hider: Ints64, hidden: Ints64) -> None:
        """Add pairs to a window."""
        self.hider[window] = np.concatenate((self.hider[window], hider))
        self.hidden[window] = np.concatenate((self.hidden[window], hidden))
        self.used.add(hider, hidden)

    def take_back(self, window: int, hidden: Ints64) -> Ints64:
        """Take their hiders in a window from people, and return those; a pair that was used remains so."""
        gone = np.isin(self.hidden[window], hidden)
        hider = self.hider[window][gone]
        self.hider[window], self.hidden[window] = self.hider[window][~gone], self.hidden[window][~gone]
        return hider

    def hiding(self) -> Hiding:
        """What is decided, with all windows."""
        sizes = [pairs.size for pairs in self.hider]
        return Hiding(
            self.epochs,
            self.alive,
            np.repeat(np.arange(len(sizes)), sizes),
            np.concatenate(self.hider),
            np.concatenate(self.hidden),
        )

    def stretch(self, window: int, *, priced: bool = True) -> Stretch:
        """What there is to know about samples in a window; candidates are found faster where no price is asked."""
        cells, nearby = self.epochs.reach + 1, range(max(0, window - self.epochs.reach), len(self.hider))
        hides = self._pairs(nearby[: 2 * cells - 1])
        bounds = find_bounds(self.lives, window, cells)
        cost, most = np.empty((0, cells), np.int64), 0
        if priced:
            crowds = (self.lives, self.alive, hides, window, cells, self._rule)
            cost, most = crowd_costs(*crowds, workers=self._workers)
        return Stretch(
            self.lives,
            self.alive,
            hides,
            window,
            cells - 1,
            bounds,
            priced,
            cost,
            most + self._largest,
            self.epochs.start + window * self.epochs.length,
            self._slot_weight,
            self._rule,
        )

    def _pairs(self, windows: Sequence[int]) -> Pairs:
        """Whom everybody hides in some windows."""
        sizes = [self.hider[window].size for window in windows]
        hider, hidden = (
            np.concatenate([pairs[window] for window in windows] or [NONE]) for pairs in (self.hider, self.hidden)
        )
        return pairs_by(hider, np.repeat(np.array(windows, np.int64), sizes), hidden, len(self.alive))

    def bits(self, window: int) -> Ints64:
        """Of everybody, in which epochs of the window they are published, the newest in the lowest bit."""
        total = np.zeros(len(self.alive), np.int64)
        for column in self.alive[:, window : window + self.epochs.reach + 1].T:
            total = 2 * total + column
        return total

    def shared(self, bits: int) -> Ints64:
        """The epochs of a window, counted from its first, that are in the bits."""
        reach = self.epochs.reach
        return np.array([d for d in range(reach + 1) if bits >> (reach - d) & 1], np.int64)

    def candidates(
        self, asked: Ints64, people: Ints64, stretch: Stretch, bits: int, most: int, avoid: Avoid | None = None
    ) -> Candidates:
        """Who could hide some people; parameters as in `find_candidates`."""
        shared, used = self.shared(bits), self.used.table
        return find_candidates(asked, people, stretch, shared, used, most, avoid=avoid, workers=self._workers)

    def _decide_next(self) -> tuple[Ints64, Ints64]:
        """Decide one more window; or, where somebody cannot be hidden, return the cells to strike."""
        window = len(self.hider)
        stretch = self.stretch(window)
        pairs: list[tuple[Ints64, Ints64]] = []
        unhidden: list[Ints64] = []
        for bits, there, away in self._families(window):
            failed = self._hide_family(bits, there, away, window, stretch, pairs)
            unhidden += [failed] if failed.size else []
        if unhidden:
            people = np.concatenate(unhidden)
            earlier = self.alive[people, window : window + self.epochs.reach]
            return people, window + self.epochs.reach - 1 - np.argmax(earlier[:, ::-1], axis=1)
        self.hider.append(np.concatenate([hider for hider, _ in pairs] or [NONE]))
        self.hidden.append(np.concatenate([hidden for _, hidden in pairs] or [NONE]))
        self.used.add(self.hider[-1], self.hidden[-1])
        return NONE, NONE

    def _families(self, window: int) -> Iterator[tuple[int, Ints64, Ints64]]:
        """People who were there in the same epochs: those who are in the newest as well, and those who are not.

        In the order of content, which settles all ties.
        """
        bits = self.bits(window)[self._order]
        older = bits >> 1
        by_family = np.argsort(older, kind="stable")
        by_family = by_family[bits[by_family] > 0]
        for family in np.split(by_family, np.flatnonzero(np.diff(older[by_family])) + 1):
            if family.size:
                newest = bits[family] & 1 == 1
                yield int(older[family[0]]) << 1, self._order[family[newest]], self._order[family[~newest]]

    def _hide_family(
        self,
        bits: int,
        there: Ints64,
        away: Ints64,
        window: int,
        stretch: Stretch,
        pairs: list[tuple[Ints64, Ints64]],
    ) -> Ints64:
        """Hide the people of a family.

        Parameters
        ----------
        bits
            Epochs in which they are, without the newest.
        there, away
            Who is there in the newest epoch, and who is not.
        window, stretch
            The window.
        pairs
            Extended: hiders and hidden.

        Returns
        -------
        unhidden
            Who could not be hidden although they are not there in the newest epoch.
        """
        need, most = self.k - 1, max(LEAST_CANDIDATES, 2 * (self.k - 1))
        newest = window + self.epochs.reach
        drawn = self._drawn_down(bits, there, away, stretch) if away.size else NONE
        there = there[~np.isin(there, drawn)]
        found = self.candidates(there, there, stretch, bits | 1, most)
        live = enough_candidates(found, need)
        hider, hidden = assigned(found, need, live)
        pairs.append((there[hider], there[hidden]))
        self.alive[there[~live], newest] = False
        self.alive[drawn, newest] = False
        if not bits:
            return NONE
        fallen = np.concatenate((drawn, there[~live]))
        if fallen.size:
            away = self.in_order(np.concatenate((away, fallen)))
        found = self.candidates(away, away, stretch, bits, most)
        live = enough_candidates(found, need)
        hider, hidden = assigned(found, need, live)
        pairs.append((away[hider], away[hidden]))
        unhidden = away[~live]
        helpless = unhidden[~np.isin(unhidden, drawn)]  # without them, nobody has to be drawn down
        return helpless if helpless.size else unhidden

    def _drawn_down(self, bits: int, there: Ints64, away: Ints64, stretch: Stretch) -> Ints64:
        """Those who are there in the newest epoch and must not be, because others would be too few without them."""
        need = self.k - 1
        found = self.candidates(away, away, stretch, bits, need)
        lonely: Ints64 = away[(found.hider == NOBODY).any(axis=1)]
        if not lonely.size:
            return lonely
        nearest = self.candidates(lonely, there, stretch, bits, need).hider
        return self.in_order(there[np.unique(nearest[nearest != NOBODY])])

    def in_order(self, people: Ints64) -> Ints64:
        """People in the order of content."""
        ordered: Ints64 = people[np.argsort(self._rank[people])]
        return ordered
