"""Fingerprints of boxes, shared by groups of people, and the stretch between them (GLOVE §4, (1)-(10)).

Coordinates are *scaled*: counted in cells and multiplied by what a cell costs (`common.scale`), so that the
caps of 20 km and of 8 h are the same number, ``half``. With n_a and n_b people in the groups, w = n_a + n_b and U
the extent of the union of two boxes, phi* of (4) and (7) is U - (n_a d_a + n_b d_b) / w: multiplied by w, a whole
number. All sums here are in units of ``1 / (2 half w)``; (10) prints n as the sum's limit, which is the
cardinality m of the longer fingerprint. Of two fingerprints of equal cardinality the smaller direction counts.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.common.people import People
from shoal.kernels.common.scale import Scale

Ints = NDArray[np.int64]

T0, T1, X0, X1, Y0, Y1 = range(6)
"""Rows of ``Arena.boxes``: where a box starts and ends along each axis."""

NO_LIMIT = 2**62

SCANNED_BOXES = 512
"""Up to so many boxes a plain scan beats looking at blocks first."""

BLOCK = 64
"""Boxes in a block."""


class Arena(NamedTuple):
    """Fingerprints, one after the other. The boxes of group g ascend by (t, x, y, dt, dx, dy)."""

    boxes: NDArray[np.signedinteger]
    """Six rows; int32, or int64 where that could overflow."""
    start: NDArray[np.int64]
    length: NDArray[np.int32]
    """Number of boxes."""
    size: NDArray[np.int32]
    """People in the group."""


def scaled(people: People, scale: Scale, largest_weight: int, room: int = 0) -> Arena:
    """Everybody as a group of one with boxes of one cell.

    Parameters
    ----------
    people, scale
        Packed, and what a cell costs.
    largest_weight
        The largest sum of two group sizes to come: it decides on the width of the integers.
    room
        For so many more boxes.
    """
    n, samples = people.offsets.size - 1, people.t.size
    axes = ((people.t, scale.time_weight), (people.x, scale.space_weight), (people.y, scale.space_weight))
    extents = [(int(v.max(initial=0)) + 1) * weight for v, weight in axes]
    longest = int(np.diff(people.offsets).max(initial=0))
    if scale.unit * largest_weight * longest >= 2**53:
        raise ValueError("too many samples in one person for exact comparisons")
    narrow = max(extents[0], extents[1] + extents[2], scale.unit) * largest_weight < 2**31
    boxes = np.empty((6, samples + room), np.int32 if narrow else np.int64)
    for axis, (values, weight) in enumerate(axes):
        np.multiply(values, boxes.dtype.type(weight), out=boxes[2 * axis, :samples], dtype=boxes.dtype)
        np.add(boxes[2 * axis, :samples], boxes.dtype.type(weight), out=boxes[2 * axis + 1, :samples])
    start, count = people.offsets[:-1].copy(), np.diff(people.offsets).astype(np.int32)
    return Arena(boxes, start, count, np.ones(n, np.int32))


@helper
def least_box_stretch(boxes, lo, hi, own_space, own_time, at, w, at_space, at_time, cap, best):  # type: ignore[no-untyped-def]
    """Least stretch of the box ``at`` to the boxes lo..hi, times w, or ``best`` if that is less.

    ``own_space`` and ``own_time`` hold n d of the boxes lo..hi, ``at_space`` and ``at_time`` n d of ``at``. Every
    step is cast back to the boxes' type: left to itself numba widens to 64 bits and the loop loses its SIMD lanes.
    """
    narrow = boxes.dtype.type
    at_t0, at_t1, at_x0, at_x1, at_y0, at_y1 = at
    t0, t1 = boxes[T0, lo:hi], boxes[T1, lo:hi]
    x0, x1 = boxes[X0, lo:hi], boxes[X1, lo:hi]
    y0, y1 = boxes[Y0, lo:hi], boxes[Y1, lo:hi]
    for j in range(t0.size):
        in_x = narrow(max(x1[j], at_x1) - min(x0[j], at_x0))
        in_y = narrow(max(y1[j], at_y1) - min(y0[j], at_y0))
        in_t = narrow(max(t1[j], at_t1) - min(t0[j], at_t0))
        space = narrow(narrow(narrow(w * narrow(in_x + in_y)) - own_space[j]) - at_space)
        time = narrow(narrow(narrow(w * in_t) - own_time[j]) - at_time)
        best = min(best, narrow(min(space, cap) + min(time, cap)))
    return best


@helper
def weighted_extents(boxes, i, n):  # type: ignore[no-untyped-def]
    """n (dx + dy) and n dt of box i."""
    narrow = boxes.dtype.type
    extent = narrow(narrow(boxes[X1, i] - boxes[X0, i]) + narrow(boxes[Y1, i] - boxes[Y0, i]))
    return narrow(n * extent), narrow(n * narrow(boxes[T1, i] - boxes[T0, i]))


@helper
def weigh(boxes, lo, hi, n, own_space, own_time):  # type: ignore[no-untyped-def]
    """Fill in n (dx + dy) and n dt of the boxes lo..hi."""
    for j in range(hi - lo):
        own_space[j], own_time[j] = weighted_extents(boxes, lo + j, n)


@maker
def weighted(boxes, lo, hi, n):  # type: ignore[no-untyped-def]
    """n (dx + dy) and n dt of the boxes lo..hi."""
    own_space, own_time = np.empty(hi - lo, boxes.dtype), np.empty(hi - lo, boxes.dtype)
    weigh(boxes, lo, hi, n, own_space, own_time)
    return own_space, own_time


@helper
def at_box(boxes, i):  # type: ignore[no-untyped-def]
    """The six coordinates of box i."""
    return boxes[T0, i], boxes[T1, i], boxes[X0, i], boxes[X1, i], boxes[Y0, i], boxes[Y1, i]


@maker
def blocks_of(boxes, lo, hi, own_space, own_time):  # type: ignore[no-untyped-def]
    """What bounds the stretch to every box of a block: latest starts, earliest ends, largest n d."""
    blocks = (hi - lo + BLOCK - 1) // BLOCK
    cores, extents = np.empty((6, blocks), boxes.dtype), np.empty((2, blocks), boxes.dtype)
    for k in range(blocks):
        first = lo + k * BLOCK
        last = min(first + BLOCK, hi)
        for row in range(0, 6, 2):
            cores[row, k], cores[row + 1, k] = boxes[row, first], boxes[row + 1, first]
            for j in range(first + 1, last):
                cores[row, k] = max(cores[row, k], boxes[row, j])
                cores[row + 1, k] = min(cores[row + 1, k], boxes[row + 1, j])
        extents[0, k], extents[1, k] = own_space[first - lo], own_time[first - lo]
        for j in range(first - lo + 1, last - lo):
            extents[0, k] = max(extents[0, k], own_space[j])
            extents[1, k] = max(extents[1, k], own_time[j])
    return cores, extents


@maker
def plain_directed_sum(arena, longer, shorter, half, limit):  # type: ignore[no-untyped-def]
    """Sum over the boxes of ``longer`` of the least stretch to ``shorter``; any value above limit if above.

    Long fingerprints are looked at in blocks: the most promising one first, then those that could beat it.
    """
    boxes = arena.boxes
    narrow = boxes.dtype.type
    n_long, n_short = narrow(arena.size[longer]), narrow(arena.size[shorter])
    w = narrow(n_long + n_short)
    cap = narrow(w * narrow(half))
    both_caps = narrow(cap + cap)
    lo = arena.start[shorter]
    hi = lo + arena.length[shorter]
    own_space, own_time = weighted(boxes, lo, hi, n_short)
    total = np.int64(0)
    first = arena.start[longer]
    if hi - lo <= SCANNED_BOXES:
        for i in range(first, first + arena.length[longer]):
            at_space, at_time = weighted_extents(boxes, i, n_long)
            at = at_box(boxes, i)
            total += np.int64(
                least_box_stretch(boxes, lo, hi, own_space, own_time, at, w, at_space, at_time, cap, both_caps)
            )
            if total > limit:
                break
        return total
    cores, extents = blocks_of(boxes, lo, hi, own_space, own_time)
    bounds = np.empty(cores.shape[1], boxes.dtype)
    for i in range(first, first + arena.length[longer]):
        at_space, at_time = weighted_extents(boxes, i, n_long)
        at = at_box(boxes, i)
        for k in range(bounds.size):
            in_t = narrow(max(cores[T1, k], at[1]) - min(cores[T0, k], at[0]))
            in_x = narrow(max(cores[X1, k], at[3]) - min(cores[X0, k], at[2]))
            in_y = narrow(max(cores[Y1, k], at[5]) - min(cores[Y0, k], at[4]))
            space = narrow(narrow(narrow(w * narrow(in_x + in_y)) - extents[0, k]) - at_space)
            time = narrow(narrow(narrow(w * in_t) - extents[1, k]) - at_time)
            bounds[k] = narrow(min(space, cap) + min(time, cap))
        best = both_caps
        a = int(bounds.argmin()) * BLOCK
        z = min(a + BLOCK, hi - lo)
        best = least_box_stretch(
            boxes, lo + a, lo + z, own_space[a:z], own_time[a:z], at, w, at_space, at_time, cap, best
        )
        for k in range(bounds.size):
            if bounds[k] < best:
                a = k * BLOCK
                z = min(a + BLOCK, hi - lo)
                best = least_box_stretch(
                    boxes, lo + a, lo + z, own_space[a:z], own_time[a:z], at, w, at_space, at_time, cap, best
                )
        total += np.int64(best)
        if total > limit:
            break
    return total


@maker
def plain_sum(arena, a, b, half, limit):  # type: ignore[no-untyped-def]
    """Sum of GLOVE (10) for two groups; any value above limit if above.

    Delta is this over ``2 half w max(count_a, count_b)``.
    """
    count_a, count_b = arena.length[a], arena.length[b]
    if count_a > count_b:
        return plain_directed_sum(arena, a, b, half, limit)
    total = plain_directed_sum(arena, b, a, half, limit)
    if count_a == count_b:
        total = min(total, plain_directed_sum(arena, a, b, half, limit))
    return total


@helper
def divisor_of(arena, a, b):  # type: ignore[no-untyped-def]
    """What `plain_sum` is divided by, apart from ``2 half``."""
    return np.int64(max(arena.length[a], arena.length[b])) * np.int64(arena.size[a] + arena.size[b])


@helper
def compare_boxes(first, i, second, j):  # type: ignore[no-untyped-def]
    """Negative, zero or positive as a box comes before, equals or follows another by (t, x, y, dt, dx, dy)."""
    for row in (T0, X0, Y0, T1, X1, Y1):
        if first[row, i] != second[row, j]:
            return -1 if first[row, i] < second[row, j] else 1
    return 0


@helper
def compare_groups(arena, a, b):  # type: ignore[no-untyped-def]
    """Order of groups by content: boxes in their order, then how many, then people."""
    for i in range(min(arena.length[a], arena.length[b])):
        order = compare_boxes(arena.boxes, arena.start[a] + i, arena.boxes, arena.start[b] + i)
        if order != 0:
            return order
    if arena.length[a] != arena.length[b]:
        return -1 if arena.length[a] < arena.length[b] else 1
    return np.int64(arena.size[a]) - np.int64(arena.size[b])


@helper
def compare_shares(a, b, c, d):  # type: ignore[no-untyped-def]
    """Sign of a/b - c/d for whole numbers (b, d > 0), without a product that could overflow.

    Quotients of numbers below 2**53 are correctly rounded, so different floats decide; equal floats leave it to
    the continued fractions.
    """
    if a / b != c / d:
        return -1 if a / b < c / d else 1
    sign = 1
    while True:
        quotient_a, quotient_c = a // b, c // d
        if quotient_a != quotient_c:
            return -sign if quotient_a < quotient_c else sign
        a, c = a - quotient_a * b, c - quotient_c * d
        if a == 0 or c == 0:
            if a == c:
                return 0
            return -sign if a == 0 else sign
        a, b, c, d = b, a, d, c
        sign = -sign


@kernel
def stretches(arena, first, second, half, totals, divisors):  # type: ignore[no-untyped-def]
    """The stretch of each pair of groups, plainly.

    Parameters
    ----------
    arena
        All groups.
    first, second
        Groups of each pair.
    half
        The caps, scaled.
    totals, divisors
        Written: the sum of GLOVE (10) and what it is divided by, apart from ``2 half``.
    """
    for p in range(first.size):
        totals[p] = plain_sum(arena, first[p], second[p], half, np.int64(NO_LIMIT))
        divisors[p] = divisor_of(arena, first[p], second[p])


@kernel
def content_order(arena, a, b):  # type: ignore[no-untyped-def]
    """As `compare_groups`, for callers in Python."""
    return compare_groups(arena, a, b)
