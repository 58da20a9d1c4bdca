"""The attacker who holds old data of the same people: heat maps of places, compared with what was published later.

A person's heat map says how often they were in each cell. Two maps are compared by the Bhattacharyya coefficient, the
sum of the square roots of the products of shares: 1 for equal maps, 0 without a common cell. (Heat maps as in
AP-Attack, Maouche et al., 2017, which compares them by another divergence.)
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints, Samples
from shoal.attacks.linkage import Linkage, tally
from shoal.attacks.packing import distinct, is_in, keys

_MOST_CELLS = 256
"""A box over more cells of the heat map says too little to be spread out, and is left out."""

_SAME = 1e-9
"""Coefficients nearer than this are equal; equal maps may be summed up in different order."""


def past_data(
    published: Crowd,
    weights: Ints,
    past: Samples,
    people: Ints,
    own: Ints,
    *,
    cell_m: int = 1_000,
    rng: np.random.Generator,
) -> Linkage:
    """Point at the published individuals whose heat map is most like that of a person's past.

    Parameters
    ----------
    published, past
        What was published, and older samples of the same people: see :func:`split_in_time`.
    own
        The published individual of each of ``people``, -1 where there is none.
    cell_m
        Cells of the heat maps.
    """
    old = past.take(people)
    share = np.ones(old.t.size)
    mine = _heat(old.owner, old.x // cell_m, old.y // cell_m, share, len(old))
    *cells, _ = distinct(mine[1:3])
    number, which = keys((cells[0], cells[1]), mine[1:3])
    cell_of = np.searchsorted(number, which)
    first, who, root = _heat_there(published, cell_m, (cells[0], cells[1]))
    starts = np.searchsorted(mine[0], np.arange(people.size + 1))

    def left() -> Iterator[Ints]:
        for i in range(people.size):
            here = slice(starts[i], starts[i + 1])
            likeness = np.zeros(len(published))
            for cell, part in zip(cell_of[here], mine[3][here], strict=True):
                there = slice(first[cell], first[cell + 1])
                likeness[who[there]] += np.sqrt(part) * root[there]
            top = likeness.max(initial=0.0)
            yield np.flatnonzero(likeness >= top - _SAME) if top > _SAME else np.empty(0, np.int64)

    return tally(left(), weights, own, rng)


def split_in_time(known: Samples, published: Crowd, at_s: int) -> tuple[Samples, Crowd]:
    """Return the samples before a moment, and the boxes that start then or later."""
    return known.only(known.t < at_s), published.only(published.t0 >= at_s)


Floats = NDArray[np.float64]
Heat = tuple[Ints, Ints, Ints, Floats]
"""Owner, column and row of a cell, and the share of the owner's time that was spent there."""


def _heat(owner: Ints, x: Ints, y: Ints, share: Floats, people: int) -> Heat:
    who, column, row, _ = distinct((owner, x, y))
    cell, each = keys((who, column, row), (owner, x, y))
    mass = np.bincount(np.searchsorted(cell, each), weights=share, minlength=who.size)
    total = np.bincount(who, weights=mass, minlength=people)
    return who, column, row, mass / total[who]


def _heat_there(published: Crowd, cell_m: int, cells: tuple[Ints, Ints]) -> tuple[Ints, Ints, Floats]:
    """Return who has been in some cells, sorted: where each cell starts; individuals; square roots of their shares."""
    found = []
    for low, part in published.parts():
        who, column, row, share = _heat_of_boxes(part, cell_m)
        wanted, among = keys(cells, (column, row))
        known = np.flatnonzero(is_in(among, wanted))
        found.append((np.searchsorted(wanted, among[known]), who[known] + low, np.sqrt(share[known])))
    cell, who, root = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(cell, kind="stable")
    return np.searchsorted(cell[order], np.arange(cells[0].size + 1)), who[order], root[order]


def _heat_of_boxes(crowd: Crowd, cell_m: int) -> Heat:
    """Spread each box evenly over the cells it touches."""
    x0, y0 = crowd.x0 // cell_m, crowd.y0 // cell_m
    wide = np.maximum((crowd.x1 - 1) // cell_m - x0 + 1, 1)
    high = np.maximum((crowd.y1 - 1) // cell_m - y0 + 1, 1)
    small = np.flatnonzero(wide * high <= _MOST_CELLS)
    cells = (wide * high)[small]
    ends = np.cumsum(cells)
    box = np.repeat(small, cells)
    within = np.arange(box.size) - np.repeat(ends - cells, cells)
    x, y = x0[box] + within % wide[box], y0[box] + within // wide[box]
    return _heat(crowd.owner[box], x, y, 1.0 / np.repeat(cells, cells), len(crowd))
