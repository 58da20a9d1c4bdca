"""Square tiles of the map, as far as somebody was recorded there, and how published rows fall on them.

A box is not in one tile. *Definitely* there is who has a box inside the tile, *possibly* who has a box that touches it,
and *expected* is the share of the box that lies in it, as if the sample could be anywhere in the box.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.usefulness.chunks import column_of
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.views import Metres, Seen, View

TILE_M = 1_000
"""About a neighbourhood; somewhat more where cells of the data do not fit into it."""

MOST_TILES = 4_000_000
"""Of the lattice of all columns and rows in which somebody was; above it tiles are twice as wide, and so on."""

_DIGITS = 6
"""Sums of shares are good to that many: what is less than that is nothing."""

_CHUNK = 1_000_000


class Counts(NamedTuple):
    """What falls on each tile, and in all on none of them."""

    on_tiles: Floats
    elsewhere: float


class Expected(NamedTuple):
    """The same, and besides what falls on each tile where nobody was recorded."""

    on_tiles: Floats
    elsewhere: float
    new: Floats


class _Range(NamedTuple):
    """Of each row the columns (or rows) of the lattice that it covers, and the share in each.

    The share is ``inner`` on ``first…last - 1``, and ``more`` by its own number on the first and on the last.
    """

    first: Ints
    last: Ints
    inner: Floats
    more_first: Floats
    more_last: Floats


@dataclass(frozen=True, eq=False)
class Tiles:
    """Tiles that were visited, numbered by column and row.

    Attributes
    ----------
    side_m
        Of a tile.
    columns, rows
        Those in which somebody was, sorted.
    number
        Of the tile in a column and a row; -1 where nobody was.
    raw
        How many samples each tile has.
    """

    side_m: int
    columns: Ints
    rows: Ints
    number: NDArray[np.int32]
    raw: Floats

    def __len__(self) -> int:
        """Count the tiles."""
        return self.raw.size

    def lattice(self, x: Floats | Metres, y: Floats | Metres) -> tuple[Ints, Ints]:
        """Return column and row of each place."""
        return np.floor(x / self.side_m).astype(np.int64), np.floor(y / self.side_m).astype(np.int64)

    def numbers(self, column: Ints, row: Ints) -> Ints:
        """Return the number of each tile, -1 where nobody was."""
        i, j = np.searchsorted(self.columns, column), np.searchsorted(self.rows, row)
        i, j = np.minimum(i, self.columns.size - 1), np.minimum(j, self.rows.size - 1)
        known = (self.columns[i] == column) & (self.rows[j] == row)
        return np.where(known, self.number[i, j], -1).astype(np.int64)

    def edges(self, low: NDArray[np.integer], high: NDArray[np.integer]) -> tuple[Ints, Ints]:
        """Return the first and the last column (or row) that each half-open range touches; a point is in one."""
        first = np.floor_divide(low, self.side_m).astype(np.int64)
        last = np.maximum(-np.floor_divide(-high.astype(np.int64), self.side_m) - 1, first)
        return first, last

    def inside_one(self, view: Seen) -> NDArray[np.bool_]:
        """Tell which rows lie in a single tile."""
        return column_of((self.in_one(part) for _, part in view.parts()), view.rows, np.bool_)

    def in_one(self, view: View) -> NDArray[np.bool_]:
        """Tell it of the rows of a part."""
        inside = np.ones(view.rows, np.bool_)
        if view.has_extent:
            for low, high in ((view.x0, view.x1), (view.y0, view.y1)):
                first, last = self.edges(low, high)
                inside &= first == last
        return inside

    def definite(self, view: Seen) -> Counts:
        """Count the rows that lie in a single tile."""
        on_tiles, elsewhere = np.zeros(len(self), np.int64), 0
        for _, part in view.parts():
            inside = self.in_one(part)
            at = self.numbers(*self.lattice(part.x0[inside], part.y0[inside]))
            on_tiles += np.bincount(at[at >= 0], minlength=len(self))
            elsewhere += int((at < 0).sum())
        return Counts(on_tiles.astype(np.float64), float(elsewhere))

    def expected(self, view: Seen) -> Expected:
        """Spread every row over the tiles that it covers, by area.

        Rows that lie in several tiles fall on new ones only as far as somebody was recorded in the tile's column and in
        its row.
        """
        definite = self.definite(view)
        spread = self._lattice(view, np.flatnonzero(~self.inside_one(view)), even=False)
        on_tiles = definite.on_tiles + spread[self.number >= 0]
        elsewhere = max(round(view.rows - float(on_tiles.sum()), _DIGITS), 0.0)
        return Expected(on_tiles, elsewhere, self._new(view, spread))

    def _new(self, view: Seen, spread: Floats) -> Floats:
        """Count what is in each tile where nobody was recorded, given what is spread over the lattice."""
        outside = np.concatenate([self._outside(part) for _, part in view.parts()])
        i, j = np.nonzero((self.number < 0) & (spread > 0))
        place = np.concatenate((outside, np.stack((self.columns[i], self.rows[j]), axis=1)))
        weight = np.concatenate((np.ones(len(outside)), spread[i, j]))
        if not weight.size:
            return weight
        _, number = np.unique(place, axis=0, return_inverse=True)
        return np.asarray(np.bincount(number.ravel(), weight), np.float64)

    def _outside(self, view: View) -> Ints:
        """Return column and row of the tile of each row of a part that lies in one tile, where nobody was."""
        inside = self.in_one(view)
        column, row = self.lattice(view.x0[inside], view.y0[inside])
        outside = self.numbers(column, row) < 0
        return np.stack((column[outside], row[outside]), axis=1)

    def possible(self, view: Seen) -> Counts:
        """Count every row in each of the tiles that it touches."""
        definite = self.definite(view)
        rows = np.flatnonzero(~self.inside_one(view))
        on_tiles = self._lattice(view, rows, even=True)[self.number >= 0]
        touched = 0.0
        for start in range(0, rows.size, _CHUNK):
            some = view.at(rows[start : start + _CHUNK])
            spans = [self.edges(low, high) for low, high in ((some.x0, some.x1), (some.y0, some.y1))]
            touched += float(np.prod([last - first + 1.0 for first, last in spans], axis=0).sum())
        elsewhere = definite.elsewhere + touched - float(on_tiles.sum())
        return Counts(definite.on_tiles + on_tiles, max(round(elsewhere, _DIGITS), 0.0))

    def _lattice(self, view: Seen, rows: Ints, *, even: bool) -> Floats:
        """Spread rows over the lattice.

        Rectangles are added up by their corners, then summed along both sides: a large one costs no more than a
        small one.
        """
        width = self.rows.size + 2
        corners = np.zeros((self.columns.size + 2) * width)
        for start in range(0, rows.size, _CHUNK):
            some = view.at(rows[start : start + _CHUNK])
            across = _steps(self._range(self.columns, some.x0, some.x1, even=even))
            along = _steps(self._range(self.rows, some.y0, some.y1, even=even))
            for i, by_column in across:
                for j, by_row in along:
                    corners += np.bincount(i * width + j, by_column * by_row, corners.size)
        lattice = corners.reshape(-1, width).cumsum(axis=0).cumsum(axis=1)[: self.columns.size, : self.rows.size]
        return np.asarray(np.round(lattice, _DIGITS))

    def _range(self, known: Ints, low: NDArray[np.integer], high: NDArray[np.integer], *, even: bool) -> _Range:
        first, last = self.edges(low, high)
        start, stop = np.searchsorted(known, first), np.searchsorted(known, last, side="right")
        one, long_ = first == last, np.maximum(high.astype(np.float64) - low, 1)
        inner = np.where(one | even, 1.0, self.side_m / long_)
        padded = np.append(known, np.iinfo(np.int64).max)
        at_first = ~one & (padded[start] == first) & (start < stop)
        at_last = ~one & (padded[np.maximum(stop - 1, 0)] == last) & (start < stop)
        share_first = ((first + 1) * self.side_m - low) / long_
        share_last = (high - last * self.side_m) / long_
        more_first = np.where(at_first & (not even), share_first - inner, 0.0)
        more_last = np.where(at_last & (not even), share_last - inner, 0.0)
        return _Range(start, stop, inner, more_first, more_last)


def _steps(of: _Range) -> list[tuple[Ints, Floats]]:
    """Where the share goes up or down, and by how much."""
    return [
        (of.first, of.inner + of.more_first),
        (of.first + 1, -of.more_first),
        (np.maximum(of.last - 1, 0), of.more_last),
        (of.last, -of.inner - of.more_last),
    ]


def tiles_of(raw: Seen, cell_m: int) -> Tiles:
    """Lay tiles over the raw data; each of their cells lies in one tile."""
    side = -(-TILE_M // cell_m) * cell_m
    while True:
        lattices = [[np.unique(values) for values in _lattice_of(part, side)] for _, part in raw.parts()]
        columns, rows = (np.unique(np.concatenate(some)) for some in zip(*lattices, strict=True))
        if columns.size * rows.size <= MOST_TILES:
            break
        side *= 2
    visits = np.zeros(columns.size * rows.size, np.int64)
    for _, part in raw.parts():
        column, row = _lattice_of(part, side)
        key = np.searchsorted(columns, column) * rows.size + np.searchsorted(rows, row)
        visits += np.bincount(key, minlength=visits.size)
    number = np.full(visits.size, -1, np.int32)
    number[visits > 0] = np.arange(int((visits > 0).sum()))
    shaped = number.reshape(columns.size, rows.size)
    return Tiles(side, columns, rows, shaped, visits[visits > 0].astype(np.float64))


def _lattice_of(view: View, side_m: int) -> tuple[Ints, Ints]:
    """Return the column and the row in which each row of a part starts."""
    column, row = (np.floor_divide(low, side_m).astype(np.int64) for low in (view.x0, view.y0))
    return column, row
