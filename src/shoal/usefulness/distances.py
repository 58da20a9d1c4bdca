"""How far people go: lengths of jumps, and how wide a life is (radius of gyration), before and after."""

from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.contract.kinds import BOXES, POINTS
from shoal.usefulness.chunks import column_of
from shoal.usefulness.figures import Floats, Ints, spread_of
from shoal.usefulness.likeness import earth_mover
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.tiles import Tiles
from shoal.usefulness.views import Seen, View, Viewed


def jumps(view: Seen) -> Floats:
    """Return the distance from each row to the next one of its uid, from middle to middle."""
    return column_of((_jumps(part) for _, part in view.parts()), view.rows, np.float64)


def _jumps(view: View) -> Floats:
    before, after = view.moves()
    x, y = view.middles()
    return np.hypot(x[after] - x[before], y[after] - y[before])


def shortest(view: Seen) -> Floats:
    """Return how short each jump may have been, wherever in its boxes somebody was."""
    return column_of((_far(part, _gap) for _, part in view.parts()), view.rows, np.float64)


def longest(view: Seen) -> Floats:
    """Return how long each jump may have been."""
    return column_of((_far(part, _reach) for _, part in view.parts()), view.rows, np.float64)


def _far(view: View, along: Callable[[Floats, Floats, Ints, Ints], Floats]) -> Floats:
    before, after = view.moves()
    sides = ((view.x0, view.x1), (view.y0, view.y1))
    return np.hypot(*(along(low.astype(np.float64), high.astype(np.float64), before, after) for low, high in sides))


def _gap(low: Floats, high: Floats, before: Ints, after: Ints) -> Floats:
    return np.maximum(np.maximum(low[after] - high[before], low[before] - high[after]), 0)


def _reach(low: Floats, high: Floats, before: Ints, after: Ints) -> Floats:
    return np.maximum(high[after] - low[before], high[before] - low[after])


def gyration(view: Seen) -> Floats:
    """Return the root mean square distance of each uid's rows from their mean place, for those who have rows.

    In a box somebody may be anywhere: its own width counts as well, as the variance of an even spread.
    """
    return np.concatenate([_gyration(part) for _, part in view.parts()])


def _gyration(view: View) -> Floats:
    lengths = np.diff(view.offsets)
    has = lengths > 0
    starts, count = view.offsets[:-1][has], lengths[has]
    if not count.size:
        return np.empty(0)
    square = np.zeros(count.size)
    for middle, low, high in zip(view.middles(), (view.x0, view.y0), (view.x1, view.y1), strict=True):
        # From the first row of each uid: squares of large coordinates would eat the digits.
        off = middle - np.repeat(middle[starts], count)
        mean = np.add.reduceat(off, starts) / count
        square += np.maximum(np.add.reduceat(off * off, starts) / count - mean * mean, 0)
        if view.has_extent:
            wide = high.astype(np.float64) - low
            square += np.add.reduceat(wide * wide, starts) / count / 12
    return np.asarray(np.sqrt(square))


def entropy_of_places(uid: Ints, tile: tuple[Ints, Ints], uids: int) -> Floats:
    """Return the entropy in bits of where each uid is, for those who have rows; ``tile`` is a column and a row.

    >>> entropy_of_places(np.array([0, 0, 1]), (np.array([5, 6, 5]), np.array([1, 1, 1])), 3)
    array([1., 0.])
    """
    if not uid.size:
        return np.empty(0)
    order = np.lexsort((tile[1], tile[0], uid))
    columns = [values[order] for values in (uid, *tile)]
    fresh = np.ones(uid.size, np.bool_)
    fresh[1:] = np.any([values[1:] != values[:-1] for values in columns], axis=0)
    first = np.flatnonzero(fresh)
    count = np.diff(np.append(first, uid.size)).astype(np.float64)
    whose = columns[0][first]
    total = np.bincount(uid, minlength=uids).astype(np.float64)
    p = count / total[whose]
    return np.asarray(np.bincount(whose, -p * np.log2(p), uids)[total > 0] + 0.0, np.float64)


def _compared(raw: Floats, published: Floats, unit: str) -> dict[str, Any]:
    """Compare values that are needed for nothing else: they are sorted where they are."""
    return {
        f"raw_{unit}": spread_of(raw),
        f"published_{unit}": spread_of(published),
        f"earth_mover_{unit}": earth_mover(raw, published, in_place=True),
    }


@measure(BOXES, POINTS)
def jump_length(compared: Viewed) -> Figures:
    """Compare the lengths of all jumps; of boxes also how short and how long those published may have been."""
    view = compared.published_view
    figures = _compared(jumps(compared.raw_view), jumps(view), "m")
    if view.has_extent:
        figures |= {"definite_m": spread_of(shortest(view)), "possible_m": spread_of(longest(view))}
    return {"jump_length": figures}


@measure(BOXES, POINTS)
def radius_of_gyration(compared: Viewed) -> Figures:
    """Compare how wide lives are: a value for each person, and for each uid."""
    return {"radius_of_gyration": _compared(gyration(compared.raw_view), gyration(compared.published_view), "m")}


@measure(BOXES, POINTS)
def place_entropy(compared: Viewed) -> Figures:
    """Compare how evenly lives are spread over tiles; a box is where its middle is."""
    raw, published = (_entropies(view, compared.tiles) for view in (compared.raw_view, compared.published_view))
    return {"place_entropy": _compared(raw, published, "bits")}


def _entropies(view: Seen, tiles: Tiles) -> Floats:
    parts = (part for _, part in view.parts())
    return np.concatenate(
        [entropy_of_places(part.owner, tiles.lattice(*part.middles()), part.offsets.size - 1) for part in parts]
    )
