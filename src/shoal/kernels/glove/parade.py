"""Merged groups side by side, to be looked at many at a time: a bound in space that rules out nearly all of them.

Of each there are two rectangles: its most frequent one, and its *core*, which stands for all of them like those that
count as one in `shoal.kernels.glove.outline`. What the boxes of a group cost toward another is at least what its most
frequent rectangle costs, as often as there are boxes with it, and what the core costs for the rest of them; what the
other's boxes cost toward it is at least what they cost toward its core.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.glove.outline import EXTENT, NUMBER, X_END, X_START, Y_END, Y_START


class Parade(NamedTuple):
    """Groups, lined up."""

    group: NDArray[np.int64]
    size: NDArray[np.signedinteger]
    """People, in the type of the boxes like all that follows."""
    main: NDArray[np.signedinteger]
    """Six rows, as in `shoal.kernels.glove.outline.Outlines`: the most frequent rectangle; its extent times people."""
    core: NDArray[np.signedinteger]
    """The same; its number is that of all boxes with another rectangle."""

    def without(self, gone: NDArray[np.bool_]) -> "Parade":
        """The same without some."""
        return Parade(*(np.ascontiguousarray(rows[..., ~gone]) for rows in self))

    def joined_by(self, more: "Parade") -> "Parade":
        """The same with more at the end."""
        return Parade(*(np.concatenate(both, axis=-1) for both in zip(self, more, strict=True)))


class Glance(NamedTuple):
    """What is seen of a parade from one group, the target."""

    costs: NDArray[np.signedinteger]
    """In space, toward one rectangle of the target."""
    to_main: NDArray[np.signedinteger]
    to_core: NDArray[np.signedinteger]
    """The least of them toward any rectangle of the target."""
    back: NDArray[np.int64]
    """Sum over the boxes of the target of the cost toward the core."""
    bound: NDArray[np.int64]
    """Of the sum of GLOVE (10)."""


@kernel
def line_up(groups, arena, outlines):  # type: ignore[no-untyped-def]
    """The parade of some merged groups.

    Parameters
    ----------
    groups
        Their numbers.
    arena, outlines
        All groups.
    """
    rectangles, count = outlines.rectangles, groups.size
    size = np.empty(count, rectangles.dtype)
    main, core = np.empty((6, count), rectangles.dtype), np.empty((6, count), rectangles.dtype)
    for g in range(count):
        lo = outlines.start[groups[g]]
        size[g] = arena.size[groups[g]]
        for row in range(6):
            main[row, g] = core[row, g] = rectangles[row, lo]
        for e in range(lo + 1, lo + outlines.kinds[groups[g]]):
            core[X_START, g] = max(core[X_START, g], rectangles[X_START, e])
            core[X_END, g] = min(core[X_END, g], rectangles[X_END, e])
            core[Y_START, g] = max(core[Y_START, g], rectangles[Y_START, e])
            core[Y_END, g] = min(core[Y_END, g], rectangles[Y_END, e])
            core[EXTENT, g] = max(core[EXTENT, g], rectangles[EXTENT, e])
        main[EXTENT, g], core[EXTENT, g] = main[EXTENT, g] * size[g], core[EXTENT, g] * size[g]
        core[NUMBER, g] = arena.length[groups[g]] - main[NUMBER, g]
    return Parade(groups, size, main, core)


@maker
def new_glance(parade):  # type: ignore[no-untyped-def]
    """Room for what is seen of a parade."""
    count, dtype = parade.group.size, parade.size.dtype
    costs, to_main, to_core = np.empty(count, dtype), np.empty(count, dtype), np.empty(count, dtype)
    return Glance(costs, to_main, to_core, np.empty(count, np.int64), np.empty(count, np.int64))


@helper
def costs_toward(rows, size, rectangles, e, n, half, costs):  # type: ignore[no-untyped-def]
    """Write what each of these costs in space together with rectangle e of a group of n people."""
    narrow = rows.dtype.type
    x0, x1, y0, y1, own = rows[X_START], rows[X_END], rows[Y_START], rows[Y_END], rows[EXTENT]
    at_x0, at_x1, at_y0, at_y1 = (
        rectangles[X_START, e],
        rectangles[X_END, e],
        rectangles[Y_START, e],
        rectangles[Y_END, e],
    )
    n, at_own, zero, half = narrow(n), narrow(n * rectangles[EXTENT, e]), narrow(0), narrow(half)
    for g in range(costs.size):
        in_x = narrow(max(x1[g], at_x1) - min(x0[g], at_x0))
        in_y = narrow(max(y1[g], at_y1) - min(y0[g], at_y0))
        w = narrow(n + size[g])
        cost = narrow(narrow(narrow(w * narrow(in_x + in_y)) - own[g]) - at_own)
        costs[g] = min(max(cost, zero), narrow(w * half))


@helper
def look_over(glance, parade, arena, outlines, target, half):  # type: ignore[no-untyped-def]
    """Fill in the bounds of the stretch between a target and everybody in the parade."""
    rectangles, n, length = outlines.rectangles, arena.size[target], np.int64(arena.length[target])
    costs, to_main, to_core, back, bound = glance
    first = outlines.start[target]
    for e in range(first, first + outlines.kinds[target]):
        costs_toward(parade.main, parade.size, rectangles, e, n, half, costs)
        for g in range(costs.size):
            to_main[g] = costs[g] if e == first else min(to_main[g], costs[g])
        costs_toward(parade.core, parade.size, rectangles, e, n, half, costs)
        number = np.int64(rectangles[NUMBER, e])
        for g in range(costs.size):
            to_core[g] = costs[g] if e == first else min(to_core[g], costs[g])
            back[g] = number * np.int64(costs[g]) + (np.int64(0) if e == first else back[g])
    for g in range(costs.size):
        frequent, others = np.int64(parade.main[NUMBER, g]), np.int64(parade.core[NUMBER, g])
        bound[g] = frequent * np.int64(to_main[g]) + others * np.int64(to_core[g])
        if frequent + others < length:
            bound[g] = back[g]
        elif frequent + others == length:
            bound[g] = min(bound[g], back[g])
