"""What a box pays at least, in time, to be covered together with a box of a merged group.

Boxes of merged groups last for hours, so that hardly any time is far from all of them; what costs is to grow as long
as they are. Box i of n people and box j of the group's m, with U as the extent of their union, cost

    (n + m) U - n d_i - m d_j.

Box i holds a moment of the bin in which it starts, and one of the bin in which it ends. U is no less than the extent
of the union of j and the nearest moment of such a bin. The *toll* of a bin is the least (n + m) U - m d_j over all
boxes j of the group, computed once for all guests of n people; what is left to subtract is n d_i.

For n = 0 that is m times how far the bin is from the nearest box, its gap: a box all of whose bins are at a gap costs
at least (n + m) times that, however long it is.

Tolls are kept for a few sizes n only. Each j costs n U + m (U - d_j), a straight line in n, and the least of
straight lines is concave: between two sizes the toll is at least what lies between theirs.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker
from shoal.kernels.glove.boxes import NO_LIMIT, T0, T1
from shoal.kernels.glove.clock import FEW_BINS

MOST_TOLL = 255
"""Tolls are in units of n + m grains, rounded down, in 8 bits: a bit more than the cap."""


def guest_sizes(k: int) -> NDArray[np.int64]:
    """Sizes of groups below k that tolls are kept for: none, powers of two, and the last.

    >>> guest_sizes(5).tolist(), guest_sizes(12).tolist()
    ([0, 1, 2, 4], [0, 1, 2, 4, 8, 11])
    """
    powers = {1 << e for e in range((k - 1).bit_length()) if 1 << e < k}
    return np.array(sorted({0, *powers, k - 1}), np.int64)


@maker
def lay_tolls(arena, g, clocks, cell):  # type: ignore[no-untyped-def]
    """Fill in the tolls of a merged group; a moment lasts for a cell."""
    boxes, bins, first, last = arena.boxes, clocks.bins, arena.start[g], arena.start[g] + arena.length[g]
    width, m, tolls = np.int64(clocks.width), np.int64(arena.size[g]), clocks.tolls[g - clocks.gaps.shape[0]]
    # Of boxes that reach a bin, U is d_j. Of those that end there, or begin: what is the same for all bins beyond.
    here, ended, begun = np.empty((3, tolls.shape[1]), np.int64)
    for c in range(clocks.guests.size):
        n = clocks.guests[c]
        w = n + m
        here[:], ended[:], begun[:] = np.int64(NO_LIMIT), np.int64(NO_LIMIT), np.int64(NO_LIMIT)
        for j in range(first, last):
            start, end, low, high = np.int64(boxes[T0, j]), np.int64(boxes[T1, j]), bins[0, j], bins[1, j]
            lasts = n * (end - start)
            for b in range(low, high + 1):
                here[b] = min(here[b], lasts)
            ended[high] = min(ended[high], lasts - w * end)
            begun[low] = min(begun[low], lasts + w * start)
        least = np.int64(NO_LIMIT)
        for b in range(here.size):
            here[b] = min(here[b], least + w * (b * width + cell))
            least = min(least, ended[b])
        least = np.int64(NO_LIMIT)
        for b in range(here.size - 1, -1, -1):
            here[b] = min(here[b], least - w * ((b + 1) * width - cell))
            least = min(least, begun[b])
            tolls[c, b] = min(here[b] // (w * clocks.grain), np.int64(MOST_TOLL))


@helper
def toll_bound(arena, clocks, longer, shorter, half, bound, limit):  # type: ignore[no-untyped-def]
    """``bound`` plus a bound of the stretch in time between merged groups; above limit if it is.

    Summed over the boxes of ``longer``.
    """
    boxes, bins, guests = arena.boxes, clocks.bins, clocks.guests
    n, m = np.int64(arena.size[longer]), np.int64(arena.size[shorter])
    cap, step = (n + m) * half, (n + m) * clocks.grain
    shortest, longest = clocks.shortest[shorter], clocks.longest[shorter]
    above = 0
    while guests[above] < n:
        above += 1
    below = above - int(guests[above] > n)
    tolls = clocks.tolls[shorter - clocks.gaps.shape[0]]
    gaps, at_below, at_above = tolls[0], tolls[below], tolls[above]
    # Between the two sizes in proportion, in whole numbers.
    apart, share = max(guests[above] - guests[below], 1), n - guests[below]
    unit_below = (apart - share) * (guests[below] + m) * clocks.grain
    unit_above = share * (guests[above] + m) * clocks.grain
    first = arena.start[longer]
    for i in range(first, first + arena.length[longer]):
        lasts, low, high = np.int64(boxes[T1, i]) - np.int64(boxes[T0, i]), bins[0, i], bins[1, i]
        toll = max(
            unit_below * np.int64(at_below[low]) + unit_above * np.int64(at_above[low]),
            unit_below * np.int64(at_below[high]) + unit_above * np.int64(at_above[high]),
        )
        gap = min(gaps[low], gaps[high])
        if high - low > FEW_BINS:
            gap = np.uint8(0)
        else:
            for b in range(low + 1, high):
                gap = min(gap, gaps[b])
        by_gap = step * np.int64(gap) + n * max(shortest - lasts, 0) + m * max(lasts - longest, 0)
        bound += min(max(toll // apart - n * lasts, by_gap), cap)
        if bound > limit:
            break
    return bound
