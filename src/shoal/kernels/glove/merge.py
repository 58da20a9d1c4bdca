"""Two fingerprints become one: the two-stage merge of GLOVE §6.2.

Stage 1: every box of the longer goes to its best match in the shorter; with it, all that chose it form one box.
Stage 2: every box of the shorter that nobody chose goes to its best match among the boxes of stage 1, all at once.
What the paper leaves open is decided here: in stage 2 a box of stage 1 weighs as both groups together; the best match
is the least by (delta, uncapped stretch, t, x, y, dt, dx, dy); equal boxes that come out stay two boxes.
"""

import numpy as np

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.common.sort import sorter
from shoal.kernels.glove.boxes import (
    NO_LIMIT,
    T0,
    T1,
    X0,
    X1,
    Y0,
    Y1,
    at_box,
    compare_boxes,
    compare_groups,
    plain_directed_sum,
    weighted,
    weighted_extents,
)


@helper
def best_match(boxes, lo, hi, own_space, own_time, at, w, at_space, at_time, half, costs):  # type: ignore[no-untyped-def]
    """Index from lo on of the box at the least stretch of ``at``. The boxes lo..hi ascend, so ties go to the first."""
    narrow = boxes.dtype.type
    at_t0, at_t1, at_x0, at_x1, at_y0, at_y1 = at
    t0, t1 = boxes[T0, lo:hi], boxes[T1, lo:hi]
    x0, x1 = boxes[X0, lo:hi], boxes[X1, lo:hi]
    y0, y1 = boxes[Y0, lo:hi], boxes[Y1, lo:hi]
    cap = narrow(w * narrow(half))
    best = narrow(cap + cap)
    for j in range(t0.size):
        in_x = narrow(max(x1[j], at_x1) - min(x0[j], at_x0))
        in_y = narrow(max(y1[j], at_y1) - min(y0[j], at_y0))
        in_t = narrow(max(t1[j], at_t1) - min(t0[j], at_t0))
        space = narrow(narrow(narrow(w * narrow(in_x + in_y)) - own_space[j]) - at_space)
        time = narrow(narrow(narrow(w * in_t) - own_time[j]) - at_time)
        cost = narrow(min(space, cap) + min(time, cap))
        costs[j] = cost
        best = min(best, cost)
    chosen, shortest = -1, np.int64(0)
    for j in range(t0.size):
        if costs[j] == best:
            in_space = np.int64(max(x1[j], at_x1)) - min(x0[j], at_x0) + max(y1[j], at_y1) - min(y0[j], at_y0)
            in_time = np.int64(max(t1[j], at_t1)) - min(t0[j], at_t0)
            uncapped = w * (in_space + in_time) - own_space[j] - own_time[j]  # that of ``at`` is the same for all
            if chosen < 0 or uncapped < shortest:
                chosen, shortest = j, uncapped
    return chosen


@helper
def box_no_later(boxes, i, j):  # type: ignore[no-untyped-def]
    """Whether box i may stand before box j."""
    return compare_boxes(boxes, i, boxes, j) <= 0


order_of_boxes = sorter(box_no_later)


@helper
def copy_box(boxes, into, other, i):  # type: ignore[no-untyped-def]
    """Make the box ``into`` what box i of ``other`` is. (A slice would do, and takes seconds to compile.)"""
    for row in range(6):
        boxes[row, into] = other[row, i]


@helper
def cover(boxes, into, other, i):  # type: ignore[no-untyped-def]
    """Stretch the box ``into`` so that it covers box i of ``other``, GLOVE (12), (13)."""
    for row in range(0, 6, 2):
        boxes[row, into] = min(boxes[row, into], other[row, i])
        boxes[row + 1, into] = max(boxes[row + 1, into], other[row + 1, i])


@maker
def plays_longer(arena, a, b, half):  # type: ignore[no-untyped-def]
    """Whether a plays the longer: more boxes, or else the cheaper direction, or else the smaller content."""
    if arena.length[a] != arena.length[b]:
        return arena.length[a] > arena.length[b]
    forth = plain_directed_sum(arena, a, b, half, np.int64(NO_LIMIT))
    back = plain_directed_sum(arena, b, a, half, np.int64(NO_LIMIT))
    return forth < back if forth != back else compare_groups(arena, a, b) <= 0


@maker
def merge_into(arena, a, b, half, new, into):  # type: ignore[no-untyped-def]
    """Merge groups a and b into the group ``new``.

    Parameters
    ----------
    arena
        Written: the boxes of ``new``, whose ``start`` is set and has room for the shorter's boxes.
    a, b
        Groups.
    half
        The caps, scaled.
    new
        Number of the group to be made.
    into
        Written: for each box of a and of b, which box of ``new`` covers it.
    """
    boxes = arena.boxes
    narrow = boxes.dtype.type
    if not plays_longer(arena, a, b, half):
        a, b = b, a
    n_long, n_short = narrow(arena.size[a]), narrow(arena.size[b])
    w = narrow(n_long + n_short)
    first, lo, short = arena.start[a], arena.start[b], np.int64(arena.length[b])
    hi = lo + short
    costs = np.empty(short, boxes.dtype)
    own_space, own_time = weighted(boxes, lo, hi, n_short)
    place = np.full(short, -1, np.int64)  # of each box of the shorter among those of stage 1
    stage = np.empty((6, short), boxes.dtype)
    used = np.int64(0)  # as a constant it would be a type of its own
    for i in range(first, first + arena.length[a]):
        at_space, at_time = weighted_extents(boxes, i, n_long)
        at = at_box(boxes, i)
        j = best_match(boxes, lo, hi, own_space, own_time, at, w, at_space, at_time, half, costs)
        if place[j] < 0:
            place[j] = used
            copy_box(stage, used, boxes, lo + j)
            used += 1
        cover(stage, place[j], boxes, i)
        into[i] = place[j]
    by_content = order_of_boxes(stage, used)
    stage_1, joined = np.empty((6, used), boxes.dtype), np.empty((6, used), boxes.dtype)
    for p in range(used):
        copy_box(stage_1, p, stage, by_content[p])
        copy_box(joined, p, stage, by_content[p])
        stage[0, by_content[p]] = p  # `stage` has served: its first row becomes the inverse
    for i in range(first, first + arena.length[a]):
        into[i] = stage[0, into[i]]
    both = narrow(w)
    start, end = np.int64(0), np.int64(used)  # as constants they would be types of their own
    own_space, own_time = weighted(stage_1, start, end, both)
    for j in range(short):
        if place[j] >= 0:
            into[lo + j] = stage[0, place[j]]
            continue
        at_space, at_time = weighted_extents(boxes, lo + j, n_short)
        at = at_box(boxes, lo + j)
        chosen = best_match(
            stage_1, start, end, own_space, own_time, at, narrow(both + n_short), at_space, at_time, half, costs
        )
        cover(joined, chosen, boxes, lo + j)
        into[lo + j] = chosen
    by_content = order_of_boxes(joined, used)
    inverse, out = np.empty(used, np.int64), arena.start[new]
    for p in range(used):
        copy_box(boxes, out + p, joined, by_content[p])
        inverse[by_content[p]] = p
    for i in range(first, first + arena.length[a]):
        into[i] = inverse[into[i]]
    for j in range(lo, hi):
        into[j] = inverse[into[j]]
    arena.length[new] = used
    arena.size[new] = arena.size[a] + arena.size[b]


@kernel
def merge_pair(arena, a, b, half, new, into):  # type: ignore[no-untyped-def]
    """Merge two groups: `merge_into` for callers in Python.

    Parameters
    ----------
    arena, a, b, half, new, into
        As there.
    """
    merge_into(arena, a, b, half, new, into)
