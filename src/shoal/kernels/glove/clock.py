"""When a raw person was seen, in short: how far every time bin is from the nearest sample.

Bounds the stretch in time toward a person, whatever the places: a box of n people at a gap from all samples costs at
least w gap, and what it pays for being longer than they are. Merged groups have `shoal.kernels.glove.toll`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.glove.boxes import T0, T1

BINS_AT_ONCE = 128
"""Bins summed up in 32 bits before the limit is looked at."""

FEW_BINS = 12
"""Bins that a box may span before its gap counts as none: looking at them all costs more than it tells."""


class Clocks(NamedTuple):
    """Per group and per box; all times scaled."""

    gaps: NDArray[np.uint8]
    """Row per raw person: gap of each bin to the nearest sample, in units of ``grain``, rounded down."""
    tolls: NDArray[np.uint8]
    """Per merged group, size of guests and bin, as in `shoal.kernels.glove.toll`."""
    guests: NDArray[np.int64]
    """The sizes that there are tolls for, ascending."""
    shortest: NDArray[np.int64]
    longest: NDArray[np.int64]
    """Duration of the shortest and of the longest box of each group."""
    bins: NDArray[np.int16]
    """Two rows: first and last bin of each box of the arena."""
    width: int
    """Of a bin."""
    grain: int
    far: int
    """Gaps up to the cap are fewer units than fit 8 bits; what is farther counts as this."""


def grain_of(half: int) -> tuple[int, int]:
    """The unit of gaps, and how many of them the cap is, rounded down.

    >>> grain_of(2400)
    (10, 240)
    """
    grain = -(-half // 255)
    return grain, half // grain


@helper
def time_boxes(arena, g, clocks):  # type: ignore[no-untyped-def]
    """Fill in the bins of the boxes of group g, and how long the shortest and the longest last."""
    boxes, width, first = arena.boxes, np.int64(clocks.width), arena.start[g]
    shortest, longest = np.int64(2**62), np.int64(0)
    for i in range(first, first + arena.length[g]):
        start, end = np.int64(boxes[T0, i]), np.int64(boxes[T1, i])
        shortest, longest = min(shortest, end - start), max(longest, end - start)
        clocks.bins[0, i], clocks.bins[1, i] = start // width, (end - 1) // width
    clocks.shortest[g], clocks.longest[g] = shortest, longest


@helper
def wind(arena, person, clocks):  # type: ignore[no-untyped-def]
    """Fill in the gaps of a raw person."""
    boxes, width, grain = arena.boxes, np.int64(clocks.width), np.int64(clocks.grain)
    gaps, first = clocks.gaps[person], arena.start[person]
    gaps[:] = clocks.far
    for i in range(first, first + arena.length[person]):
        start, end = np.int64(boxes[T0, i]), np.int64(boxes[T1, i])
        low, high = clocks.bins[0, i], clocks.bins[1, i]
        gaps[low : high + 1] = 0
        # On where they are equal: rounded down, a nearer box may get ahead only bins later.
        b = high + 1
        while b < gaps.size and (b * width - end) // grain <= gaps[b]:
            gaps[b] = (b * width - end) // grain
            b += 1
        b = low - 1
        while b >= 0 and (start - (b + 1) * width) // grain <= gaps[b]:
            gaps[b] = (start - (b + 1) * width) // grain
            b -= 1


@kernel
def wind_all(arena, people, clocks):  # type: ignore[no-untyped-def]
    """Fill in what belongs to so many raw people."""
    for person in range(people):
        time_boxes(arena, person, clocks)
        wind(arena, person, clocks)


@helper
def count_bins(arena, g, clocks, histogram):  # type: ignore[no-untyped-def]
    """How many boxes of a raw person are in each bin; fewer where they are very many."""
    histogram[:] = 0
    for i in range(arena.start[g], arena.start[g] + arena.length[g]):
        b = clocks.bins[0, i]
        histogram[b] += np.int16(histogram[b] < 32767)


@helper
def person_time_bound(histogram, clocks, shorter, w, limit):  # type: ignore[no-untyped-def]
    """As `time_bound`, between raw people: no box is longer than another, so that counts of bins are enough."""
    gaps, step = clocks.gaps[shorter], np.int64(w) * clocks.grain
    bound = np.int64(0)
    for lo in range(0, gaps.size, BINS_AT_ONCE):
        some_gaps, some = gaps[lo : lo + BINS_AT_ONCE], histogram[lo : lo + BINS_AT_ONCE]
        total = np.int32(0)
        for b in range(some.size):
            total = np.int32(total + np.int32(np.int32(some[b]) * np.int32(some_gaps[b])))
        bound += step * np.int64(total)
        if bound > limit:
            break
    return bound


@helper
def time_anyhow(arena, g, half, cell):  # type: ignore[no-untyped-def]
    """What the boxes of group g pay in time toward any raw person, even one who is always there.

    A sample of theirs lasts for a cell, and grows as long as the box.
    """
    boxes, first, cap, total = arena.boxes, arena.start[g], (np.int64(arena.size[g]) + 1) * half, np.int64(0)
    for i in range(first, first + arena.length[g]):
        total += min(np.int64(boxes[T1, i]) - np.int64(boxes[T0, i]) - cell, cap)
    return total


@helper
def time_bound(arena, clocks, longer, shorter, half, cell, bound, limit):  # type: ignore[no-untyped-def]
    """``bound`` plus what the stretch in time toward a raw person has beyond `time_anyhow`; above limit if it is.

    Summed over the boxes of ``longer``; ``shorter`` is the person.
    """
    boxes, gaps, w = arena.boxes, clocks.gaps[shorter], np.int64(arena.size[longer]) + 1
    cap, step = w * half, w * clocks.grain
    first = arena.start[longer]
    for i in range(first, first + arena.length[longer]):
        low, high = clocks.bins[0, i], clocks.bins[1, i]
        gap = gaps[low]
        if high > low:
            if high - low > FEW_BINS:
                gap = np.uint8(0)
            else:
                for b in range(low + 1, high + 1):
                    gap = min(gap, gaps[b])
        if gap > 0:
            grows = np.int64(boxes[T1, i]) - np.int64(boxes[T0, i]) - cell
            bound += min(step * np.int64(gap), max(cap - grows, 0))
            if bound > limit:
                break
    return bound
