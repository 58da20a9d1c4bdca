"""The two sides of every attack: what is published, and what the attacker knows."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.data.layout import rows_of

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class ByPerson:
    """Rows of many people, one person after the other; ``offsets`` says where each starts, and where the last ends."""

    offsets: Ints

    def __len__(self) -> int:
        """Count the people."""
        return self.offsets.size - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)

    @property
    def owner(self) -> Ints:
        """The person of each row."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def rows_of(self, people: Ints) -> tuple[Ints, Ints]:
        """Return offsets and rows of these people, in this order."""
        return rows_of(self.offsets, people)


@dataclass(frozen=True, slots=True, eq=False)
class Crowd(ByPerson):
    """Boxes of many published individuals, sorted by (individual, start); seconds since the epoch and metres.

    Attributes
    ----------
    offsets
        Where the boxes of each individual start; one more entry than individuals.
    t0, t1, x0, x1, y0, y1
        The box ``[t0, t1) × [x0, x1) × [y0, y1)``.
    """

    t0: Ints
    t1: Ints
    x0: Ints
    x1: Ints
    y0: Ints
    y1: Ints

    @property
    def columns(self) -> tuple[Ints, ...]:
        return self.t0, self.t1, self.x0, self.x1, self.y0, self.y1

    def take(self, individuals: Ints) -> "Crowd":
        """Return these individuals alone."""
        offsets, rows = self.rows_of(individuals)
        return Crowd(offsets, *(column[rows] for column in self.columns))


@dataclass(frozen=True, slots=True, eq=False)
class Samples(ByPerson):
    """What is known of people: cells of space and time without duplicates, sorted by (person, time, place).

    Attributes
    ----------
    offsets
        Where the samples of each person start.
    t, x, y
        Lower corners of the cells, in seconds and metres.
    cell_m, dt_s
        Their size: a sample is ``[t, t + dt_s) × [x, x + cell_m) × [y, y + cell_m)``.
    """

    t: Ints
    x: Ints
    y: Ints
    cell_m: int
    dt_s: int

    def take(self, people: Ints) -> "Samples":
        """Return these people alone."""
        offsets, rows = self.rows_of(people)
        return replace(self, offsets=offsets, t=self.t[rows], x=self.x[rows], y=self.y[rows])

    def only(self, kept: NDArray[np.bool_]) -> "Samples":
        """Return these samples alone, of the same people."""
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)))[self.offsets]
        return replace(self, offsets=offsets, t=self.t[kept], x=self.x[kept], y=self.y[kept])

    def as_boxes(self, cell_m: int | None = None, dt_s: int | None = None) -> Crowd:
        """Turn points into what their publication at a resolution would be: one box per distinct cell.

        >>> one = np.array([130], np.int64)
        >>> Samples(np.array([0, 1]), one, one, one, 10, 10).as_boxes(100, 60).columns
        (array([120]), array([180]), array([100]), array([200]), array([100]), array([200]))
        """
        from shoal.attacks.packing import distinct

        cell, step = cell_m or self.cell_m, dt_s or self.dt_s
        owner, t, x, y, _ = distinct((self.owner, self.t // step, self.x // cell, self.y // cell))
        offsets = np.searchsorted(owner, np.arange(len(self) + 1)).astype(np.int64)
        t, x, y = t * step, x * cell, y * cell
        return Crowd(offsets, t, t + step, x, x + cell, y, y + cell)
