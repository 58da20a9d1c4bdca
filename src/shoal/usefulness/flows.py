"""Where people go: moves from tile to tile (origins and destinations), before and after."""

from typing import Any, NamedTuple

import numpy as np

from shoal.contract.kinds import BOXES, POINTS
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.tiles import Tiles
from shoal.usefulness.views import Seen, View, Viewed
from shoal.usefulness.visits import alike

NINTHS = tuple((i, j, (i + j) % 3, (i + 2 * j) % 3) for i in range(3) for j in range(3))
"""East and north thirds of the origin's box and of the destination's, such that any two of the four numbers meet in all
nine ways, once each (an orthogonal array, L9): nine draws stand for all 81."""

MIDDLE = (1, 1, 1, 1)

_MANY = 1_000_000
"""Ways are counted together once there are so many more."""


class Moves(NamedTuple):
    """Ways from one visited tile to another.

    Attributes
    ----------
    ways
        Origin's number times the number of tiles, plus the destination's; sorted, each once.
    moves
        How many go there.
    elsewhere
        How many go each way that begins or ends where nobody was recorded.
    """

    ways: Ints
    moves: Floats
    elsewhere: Floats


def moves_between(tiles: Tiles, view: Seen) -> Moves:
    """Count the moves of each uid, from each row to the next, that end in another tile than they began in.

    A box that is not in one tile is taken at nine places, the middles of its ninths, and a move counts in ninths.
    """
    found: list[tuple[Ints, Floats]] = [(np.empty(0, np.int64), np.empty(0))]
    for _, part in view.parts():
        before, after = part.moves()
        inside = tiles.in_one(part)
        whole = inside[before] & inside[after]
        for places, moves in (((MIDDLE,), whole), (NINTHS, ~whole)):
            for place in places:
                ways = _ways(tiles, part, before[moves], after[moves], place)
                # Counted place by place: there are far fewer ways than moves.
                found.append(_counted(ways, np.full(ways.size, len(NINTHS) / len(places))))
        if sum(ways.size for ways, _ in found[1:]) > max(found[0][0].size, _MANY):
            found = [_together(found)]
    ways, ninths = _together(found)
    known = ways >= 0
    return Moves(ways[known], ninths[known] / len(NINTHS), ninths[~known] / len(NINTHS))


def _together(found: list[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    ways, weights = (np.concatenate(column) for column in zip(*found, strict=True))
    found.clear()
    return _counted(ways, weights)


def _counted(ways: Ints, weight: Floats) -> tuple[Ints, Floats]:
    """Return each way once, sorted, and what the moves along it weigh."""
    once, index = np.unique(ways, return_inverse=True)
    return once, np.asarray(np.bincount(index, weight, once.size), np.float64)


def _ways(tiles: Tiles, view: View, before: Ints, after: Ints, at: tuple[int, ...]) -> Ints:
    """The way of each move that leaves its tile, negative for elsewhere, if both are at these thirds of their boxes."""
    corners = [(view.x0, view.x1), (view.y0, view.y1)] * 2
    rows = (before, before, after, after)
    x0, y0, x1, y1 = (
        low[row] + (high[row].astype(np.float64) - low[row]) * ((2 * third + 1) / 6)
        for (low, high), row, third in zip(corners, rows, at, strict=True)
    )
    origin, destination = tiles.lattice(x0, y0), tiles.lattice(x1, y1)
    leaves = (origin[0] != destination[0]) | (origin[1] != destination[1])
    start, end = (tiles.numbers(column[leaves], row[leaves]) for column, row in (origin, destination))
    ways = np.where((start < 0) | (end < 0), -1, start * len(tiles) + end)
    outside = ways < 0
    ends = (numbers[leaves][outside] for numbers in (*origin, *destination))
    ways[outside] = _elsewhere(*ends)
    return ways


def _elsewhere(*ends: Ints) -> Ints:
    """Number ways between any tiles: negative, and different unless two of 2^63 numbers happen to meet.

    >>> bool((_elsewhere(np.array([1, 1, 2]), np.array([2, 2, 1])) < 0).all())
    True
    """
    mixed = np.zeros(ends[0].size, np.uint64)
    for numbers in ends:
        mixed = (mixed ^ numbers.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return np.asarray((mixed | np.uint64(1 << 63)).view(np.int64))


@measure(BOXES, POINTS)
def flows(compared: Viewed) -> Figures:
    """Compare how many moves go from each tile to each other; a move is from one row of a uid to its next.

    Of boxes also: moves that certainly leave their tile for another known one, and those that may leave it.
    """
    tiles, view = compared.tiles, compared.published_view
    raw, published = moves_between(tiles, compared.raw_view), moves_between(tiles, view)
    at = np.searchsorted(published.ways, raw.ways)
    found = np.append(published.ways, -1)[at] == raw.ways
    on_raw = np.where(found, np.append(published.moves, 0.0)[at], 0.0)
    new = np.concatenate((published.moves[~np.isin(published.ways, raw.ways)], published.elsewhere))
    total = float(published.moves.sum()) + float(published.elsewhere.sum())
    figures: dict[str, Any] = {
        "ways": raw.ways.size,
        "raw_moves": float(raw.moves.sum()),
        "published_moves": total,
        **alike(raw.moves, on_raw, max(total - float(on_raw.sum()), 0.0), new),
    }
    if view.has_extent:
        definite, possible = np.sum([_certain(tiles, part) for _, part in view.parts()], axis=0).tolist()
        figures |= {"definite_moves": definite, "possible_moves": possible}
    return {"flows": figures}


def _certain(tiles: Tiles, view: View) -> tuple[int, int]:
    """Count the moves of a part that certainly leave their tile, and those that may."""
    before, after = view.moves()
    inside = tiles.in_one(view)
    column, row = tiles.lattice(*view.middles())
    same = (column[before] == column[after]) & (row[before] == row[after])
    whole = inside[before] & inside[after]
    return int((whole & ~same).sum()), int((~whole | ~same).sum())
