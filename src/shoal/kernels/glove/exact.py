"""The exact stretch between two groups: `boxes.plain_sum`, with what is known of their places and times.

From a box, all but a few boxes of the other group are at the cap in time. So the least stretch is at one of those
few, or it is the cap plus the least stretch in space, which is the same for all boxes with one rectangle. These
*floors* are few and cheap, and their sum bounds the whole from the start: a pair that is too far apart shows it after
a part of the boxes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker
from shoal.kernels.glove.boxes import (
    SCANNED_BOXES,
    T0,
    T1,
    at_box,
    least_box_stretch,
    plain_directed_sum,
    weigh,
    weighted_extents,
)
from shoal.kernels.glove.outline import EXTENT, MOST, NUMBER, X_END, X_START, Y_END, Y_START


class Scratch(NamedTuple):
    """Room to work in."""

    floors: NDArray[np.signedinteger]
    """Per rectangle of the longer group."""
    own_space: NDArray[np.signedinteger]
    own_time: NDArray[np.signedinteger]
    """Per box of the shorter group, as in `shoal.kernels.glove.boxes.least_box_stretch`."""


@maker
def new_scratch(sites, boxes):  # type: ignore[no-untyped-def]
    """Room for pairs of groups of these boxes; a person has at most as many rectangles as there are sites."""
    return Scratch(
        np.empty(max(sites, MOST), boxes.dtype),
        np.empty(SCANNED_BOXES, boxes.dtype),
        np.empty(SCANNED_BOXES, boxes.dtype),
    )


@helper
def nearest_rectangle(a, i, b, lo, hi, n_a, n_b, cap):  # type: ignore[no-untyped-def]
    """The least stretch in space between rectangle i of a and the rectangles lo..hi of b."""
    narrow = a.dtype.type
    at_x0, at_x1, at_y0, at_y1 = a[X_START, i], a[X_END, i], a[Y_START, i], a[Y_END, i]
    x0, x1, y0, y1, extent = b[X_START, lo:hi], b[X_END, lo:hi], b[Y_START, lo:hi], b[Y_END, lo:hi], b[EXTENT, lo:hi]
    w, own, best = narrow(n_a + n_b), narrow(n_a * a[EXTENT, i]), cap
    for j in range(x0.size):
        in_x = narrow(max(x1[j], at_x1) - min(x0[j], at_x0))
        in_y = narrow(max(y1[j], at_y1) - min(y0[j], at_y0))
        best = min(best, narrow(narrow(narrow(w * narrow(in_x + in_y)) - narrow(n_b * extent[j])) - own))
    return max(best, narrow(0))


@helper
def directed_group_sum(arena, outlines, clocks, longer, shorter, half, limit, scratch):  # type: ignore[no-untyped-def]
    """As `plain_directed_sum`."""
    if arena.length[shorter] > SCANNED_BOXES:
        return plain_directed_sum(arena, longer, shorter, half, limit)
    boxes, rectangles = arena.boxes, outlines.rectangles
    narrow = boxes.dtype.type
    n_long, n_short = narrow(arena.size[longer]), narrow(arena.size[shorter])
    w = narrow(n_long + n_short)
    cap = narrow(w * narrow(half))
    known = outlines.sharp[longer] and outlines.sharp[shorter]
    mine, theirs, end = (
        outlines.start[longer],
        outlines.start[shorter],
        outlines.start[shorter] + outlines.kinds[shorter],
    )
    floors, own_space, own_time = scratch
    total = np.int64(0)
    for e in range(outlines.kinds[longer]):
        floors[e] = nearest_rectangle(rectangles, mine + e, rectangles, theirs, end, n_long, n_short, cap)
        total += np.int64(rectangles[NUMBER, mine + e]) * np.int64(floors[e])
        if total > limit:
            return total
    # Beyond this gap w gap + n_short d_long + n_long d_short is at the cap.
    least_grown = n_short * clocks.shortest[longer] + n_long * clocks.shortest[shorter]
    reach = max((np.int64(cap) - least_grown) // np.int64(w) + 1, np.int64(0))
    lo = arena.start[shorter]
    hi = lo + arena.length[shorter]
    weigh(boxes, lo, hi, n_short, own_space, own_time)
    a, z = lo, lo
    first = arena.start[longer]
    for i in range(first, first + arena.length[longer]):
        earliest = np.int64(boxes[T0, i]) - reach - clocks.longest[shorter]
        latest = np.int64(boxes[T1, i]) + reach
        while a < hi and boxes[T0, a] < earliest:
            a += 1
        z = max(a, z)
        while z < hi and boxes[T0, z] <= latest:
            z += 1
        while z > a and boxes[T0, z - 1] > latest:
            z -= 1
        at_space, at_time = weighted_extents(boxes, i, n_long)
        at = at_box(boxes, i)
        floor = floors[outlines.label[i]]
        far = narrow(cap + floor)
        best = narrow(cap + cap)
        if known:
            best = far
        best = least_box_stretch(
            boxes, a, z, own_space[a - lo : z - lo], own_time[a - lo : z - lo], at, w, at_space, at_time, cap, best
        )
        if best > far:
            best = least_box_stretch(boxes, lo, hi, own_space, own_time, at, w, at_space, at_time, cap, best)
        total += np.int64(narrow(best - floor))
        if total > limit:
            break
    return total


@helper
def group_sum(arena, outlines, clocks, a, b, half, limit, scratch):  # type: ignore[no-untyped-def]
    """As `plain_sum`."""
    count_a, count_b = arena.length[a], arena.length[b]
    if count_a > count_b:
        return directed_group_sum(arena, outlines, clocks, a, b, half, limit, scratch)
    total = directed_group_sum(arena, outlines, clocks, b, a, half, limit, scratch)
    if count_a == count_b:
        total = min(total, directed_group_sum(arena, outlines, clocks, a, b, half, limit, scratch))
    return total
