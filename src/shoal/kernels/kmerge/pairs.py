"""The cost of merging two (sub-)trajectories, without the plan: k-merge (kte §III-D) for k = 2, many times over."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kmerge.stamps import part_cost

BEGIN, BEFORE, COST, NEAREST = 4, 5, 6, 7
"""Columns of a stamp's row after its box: its time, samples before, least cost before, the last start that suits."""


def pair_room(samples: int) -> NDArray[np.int64]:
    """Scratch for `kmerge_cost2`, for pairs of so many samples in all: one per thread."""
    return np.empty((samples, 8), np.int64)


@helper
def kmerge_cost2(t, x, y, a, a_end, b, b_end, rule, room):  # type: ignore[no-untyped-def]
    """Cost of the best merge of two (sub-)trajectories.

    A cut needs both sides before it and after it: all samples up to the later of the two first times form one stamp,
    as do all from the earlier of the two last times on. In between, ``j`` ends a part that starts
    in ``(c(c(j) - 1), c(j)]``, where ``c(j)`` is the last stamp such that ``c(j) .. j`` holds both sides: the start
    of the run of one side before the one that j ends, and if that has length 1 the run before it.

    Spans must keep to the limits of `kmerge_groups`; nothing is checked here. Work grows with the square of a run of
    one side: for thousands of samples beside a few, `kmerge_groups` is faster.

    Parameters
    ----------
    t, x, y
        Samples.
    a, a_end, b, b_end
        The two have the samples a .. a_end - 1 and b .. b_end - 1, sorted by time; neither is empty.
    rule
        What a part costs.
    room
        Scratch with at least as many rows as both have samples (`pair_room`).
    """
    head, tail = max(t[a], t[b]), min(t[a_end - 1], t[b_end - 1])
    start_t = np.int64(min(t[a], t[b]))
    final_t = np.int64(max(t[a_end - 1], t[b_end - 1]))
    if head >= tail:
        x0 = x1 = x[a]
        y0 = y1 = y[a]
        for r in range(a, a_end):
            x0, x1, y0, y1 = min(x0, x[r]), max(x1, x[r]), min(y0, y[r]), max(y1, y[r])
        for r in range(b, b_end):
            x0, x1, y0, y1 = min(x0, x[r]), max(x1, x[r]), min(y0, y[r]), max(y1, y[r])
        span = np.int64(x1) - x0 + np.int64(y1) - y0 + 2 * rule.dx
        return part_cost(a_end - a + b_end - b, final_t - start_t + rule.dt, span, rule)
    n, last_a, last_b, origin = 0, 0, 0, a + b
    room[0, BEGIN], room[0, BEFORE], room[0, COST] = start_t, 0, 0
    held, held_x0, held_x1, held_y0, held_y1 = -1, np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    limit = np.int64(head)
    while True:
        # One stamp: all samples up to `limit`. Neither side runs out before the last one, as neither ends before it.
        x0 = y0 = np.int64(2**62)
        x1 = y1 = np.int64(-(2**62))
        while a < a_end and t[a] <= limit:
            x0, x1, y0, y1 = min(x0, x[a]), max(x1, x[a]), min(y0, y[a]), max(y1, y[a])
            a += 1
            last_a = n
        while b < b_end and t[b] <= limit:
            x0, x1, y0, y1 = min(x0, x[b]), max(x1, x[b]), min(y0, y[b]), max(y1, y[b])
            b += 1
            last_b = n
        total = a + b - origin
        room[n, 0], room[n, 1], room[n, 2], room[n, 3] = x0, x1, y0, y1
        c = min(last_a, last_b)
        room[n, NEAREST] = c
        floor = room[c - 1, NEAREST] if c > 0 else -1
        # The box of c .. n: while one side goes on alone c stays and its box grows; else c is n - 1 or n itself.
        if c == held:
            x0, x1, y0, y1 = min(x0, held_x0), max(x1, held_x1), min(y0, held_y0), max(y1, held_y1)
        elif c < n:
            x0, x1, y0, y1 = min(x0, room[c, 0]), max(x1, room[c, 1]), min(y0, room[c, 2]), max(y1, room[c, 3])
        held, held_x0, held_x1, held_y0, held_y1 = c, x0, x1, y0, y1
        span = x1 - x0 + y1 - y0 + 2 * rule.dx
        best = part_cost(total - room[c, BEFORE], limit - room[c, BEGIN] + rule.dt, span, rule) + room[c, COST]
        for i in range(c - 1, floor, -1):
            x0, x1, y0, y1 = min(x0, room[i, 0]), max(x1, room[i, 1]), min(y0, room[i, 2]), max(y1, room[i, 3])
            span = x1 - x0 + y1 - y0 + 2 * rule.dx
            part = part_cost(total - room[i, BEFORE], limit - room[i, BEGIN] + rule.dt, span, rule)
            best = min(best, part + room[i, COST])
        if limit == final_t:
            return best
        n += 1
        limit = np.int64(min(t[a], t[b]))
        room[n, BEGIN], room[n, BEFORE], room[n, COST] = limit, total, best
        if limit >= tail:
            limit = final_t


@kernel
def kmerge_cost2_pairs(t, x, y, offsets, a, b, rule, room, out):  # type: ignore[no-untyped-def]
    """The cost of merging each of many pairs of (sub-)trajectories.

    Parameters
    ----------
    t, x, y, offsets
        Trajectory i has the samples ``offsets[i]:offsets[i + 1]``.
    a, b
        The pairs.
    rule, room
        As in `kmerge_cost2`.
    out
        Written: the cost of pair p.
    """
    for p in range(a.size):
        i, j = a[p], b[p]
        out[p] = kmerge_cost2(t, x, y, offsets[i], offsets[i + 1], offsets[j], offsets[j + 1], rule, room)
