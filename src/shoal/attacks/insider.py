"""The attacker who is a member of a group, and subtracts the own trace from what was published of both.

In a group of two the box is the hull of two people's samples. Where the own samples do not reach an edge, the other one
made it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.interval import Rate, wilson


@dataclass(frozen=True, slots=True, eq=False)
class Corners:
    """How often a member reads the exact cell of the other off a box.

    Attributes
    ----------
    read
        From the corner opposite to the own samples.
    control
        By naming the own first cell instead: what people who share places give for nothing.
    blind
        By naming any cell of the box, for one sample of the other: the expected share.
    """

    read: Rate
    control: Rate
    blind: float


class Tried(NamedTuple):
    """Boxes that were tried: how many, those read rightly, named rightly, and the sum of chances of naming any cell."""

    boxes: int
    read: int
    named: int
    blind: float


def read_off_corners(published: Crowd, samples: Samples, rows: Ints, box: Ints, twin: Ints) -> Corners:
    """Try every box that two people share; parameters as in :func:`try_corners`."""
    return corners([try_corners(published, samples, rows, box, twin)])


def corners(parts: Iterable[Tried]) -> Corners:
    """Put together what was tried on some groups and on others."""
    boxes, read, named, blind = (sum(column) for column in zip(Tried(0, 0, 0, 0.0), *parts, strict=True))
    return Corners(wilson(read, boxes), wilson(named, boxes), blind / boxes if boxes else 0.0)


def try_corners(published: Crowd, samples: Samples, rows: Ints, box: Ints, twin: Ints) -> Tried:
    """Try every box that two people share.

    Parameters
    ----------
    rows
        Samples that are published, ascending.
    box
        The published row that holds each of them.
    twin
        The same box in the other member's sequence.
    """
    if not rows.size:
        return Tried(0, 0, 0, 0.0)
    x, y, cell = samples.x[rows], samples.y[rows], samples.cell_m
    # Samples are sorted by person and time, so those of one box stand together.
    first = np.flatnonzero(np.concatenate(([True], box[1:] != box[:-1])))
    own = box[first]
    guess, sure = [], np.ones(first.size, np.bool_)
    edges = (
        (x, published.x0[own], published.x1[own] - cell),
        (y, published.y0[own], published.y1[own] - cell),
    )
    for values, low, high in edges:
        least, most = np.minimum.reduceat(values, first), np.maximum.reduceat(values, first)
        below, above = low < least, high > most
        # The other one made the edge that is not mine; without such an edge they share my only column.
        guess.append(np.where(below, low, np.where(above, high, least)))
        sure &= (below ^ above) | (~below & ~above & (least == most))
    other = _Others(box, first, twin[first])
    read, named = other.are_at(x, y, *guess), other.are_at(x, y, x[first], y[first])
    columns, lines = ((high + cell - low) // cell for _, low, high in edges)
    blind = float((1 / np.maximum(columns * lines, 1)).sum())
    return Tried(first.size, int((read & sure).sum()), int(named.sum()), blind)


class _Others:
    """The other member's samples in the same box, for every box: they stand together, so nothing has to be sorted."""

    def __init__(self, box: Ints, first: Ints, twin: Ints) -> None:
        own, counts = box[first], np.diff(np.concatenate((first, [box.size])))
        place = np.full(int(max(own.max(), twin.max())) + 1, -1)
        place[own] = np.arange(first.size)
        theirs = place[twin]
        self._size, self._known = first.size, theirs >= 0
        theirs = theirs[self._known]
        lengths = counts[theirs]
        self._starts = np.cumsum(lengths) - lengths
        self._boxes = np.repeat(np.flatnonzero(self._known), lengths)
        self._rows = np.repeat(first[theirs] - self._starts, lengths) + np.arange(lengths.sum())

    def are_at(self, x: Ints, y: Ints, guess_x: Ints, guess_y: Ints) -> NDArray[np.bool_]:
        """Tell for each box whether a sample of the other's in it is at the guess."""
        hit = (x[self._rows] == guess_x[self._boxes]) & (y[self._rows] == guess_y[self._boxes])
        found = np.zeros(self._size, np.bool_)
        if hit.size:
            found[self._known] = np.logical_or.reduceat(hit, self._starts)
        return found
