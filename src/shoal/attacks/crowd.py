"""The two sides of every attack: what is published, and what the attacker knows.

Columns of millions of rows are kept in 32 bits where their values allow it (:mod:`shoal.attacks.narrow`), or in 16
(:mod:`shoal.attacks.compact`). Sums and products of such numbers may not fit into 32 bits: so what is computed from
them is computed on parts of people, which are always handed out in 64 (:meth:`Crowd.take`, :meth:`Crowd.parts`). That
also bounds what it takes beside them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.compact import only
from shoal.attacks.narrow import wide
from shoal.attacks.parts import cuts
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
class InParts(ByPerson):
    """Rows of so many people that they are worked on part by part."""

    def between(self, low: int, high: int) -> Self:
        """Return the people from one to before another, in 64 bits."""
        raise NotImplementedError

    def parts(self) -> Iterator[tuple[int, Self]]:
        """Go through all people, part by part: the first one's number, and the part."""
        for low, high in cuts(self.lengths):
            yield low, self.between(low, high)

    def _cut(self, low: int, high: int, *columns: Ints) -> tuple[Ints, ...]:
        """Return offsets and columns of the people from one to before another."""
        rows = slice(int(self.offsets[low]), int(self.offsets[high]))
        return self.offsets[low : high + 1] - self.offsets[low], *(wide(column[rows]) for column in columns)


@dataclass(frozen=True, slots=True, eq=False)
class Crowd(InParts):
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
        """Return these individuals alone, in 64 bits."""
        offsets, rows = self.rows_of(individuals)
        return Crowd(offsets, *(wide(column[rows]) for column in self.columns))

    def kept(self, individuals: Ints) -> "Crowd":
        """Return these individuals alone, ascending, in as many bits as they have; all of them are not copied."""
        if individuals.size == len(self):
            return self
        offsets, rows = self.rows_of(individuals)
        return Crowd(offsets, *(only(column, rows) for column in self.columns))

    def between(self, low: int, high: int) -> "Crowd":
        return Crowd(*self._cut(low, high, *self.columns))

    def only(self, kept: NDArray[np.bool_]) -> "Crowd":
        """Return these boxes alone, of the same individuals."""
        return Crowd(kept_offsets(self.offsets, kept), *(only(column, kept) for column in self.columns))


@dataclass(frozen=True, slots=True, eq=False)
class Samples(InParts):
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
        """Return these people alone, in 64 bits."""
        offsets, rows = self.rows_of(people)
        t, x, y = (wide(column[rows]) for column in (self.t, self.x, self.y))
        return replace(self, offsets=offsets, t=t, x=x, y=y)

    def between(self, low: int, high: int) -> "Samples":
        offsets, t, x, y = self._cut(low, high, self.t, self.x, self.y)
        return replace(self, offsets=offsets, t=t, x=x, y=y)

    def only(self, kept: NDArray[np.bool_]) -> "Samples":
        """Return these samples alone, of the same people."""
        t, x, y = (only(column, kept) for column in (self.t, self.x, self.y))
        return replace(self, offsets=kept_offsets(self.offsets, kept), t=t, x=x, y=y)

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


def kept_offsets(offsets: Ints, kept: NDArray[np.bool_]) -> Ints:
    """Where the rows that are kept start for each."""
    lengths, own = np.zeros(offsets.size, np.int64), np.diff(offsets)
    # Part by part: what is added up is made wide first.
    for low, high in cuts(own):
        some = low + np.flatnonzero(own[low:high])
        if some.size:
            here = kept[offsets[low] : offsets[high]]
            lengths[some + 1] = np.add.reduceat(here, offsets[some] - offsets[low], dtype=np.int64)
    return np.cumsum(lengths)
