"""Stretch of raw samples and fingerprints (GLOVE §4.1, §4.2; anonymizability §2).

On raw samples phi*_s is the taxicab distance and phi*_t is |ta - tb|. The kernels here give the *sum* that
GLOVE (10) averages, in units of ``1 / Scale.unit``; (10) prints n as the sum's limit, which is the cardinality
m of the longer fingerprint. With equal cardinalities the formula is not symmetric: the smaller direction
counts, and if both are equal the fingerprint of smaller content plays the longer.
"""

import numpy as np

from shoal.kernels.common.jit import helper

SCANNED_SAMPLES = 1024
"""Up to so many samples a plain scan of the shorter fingerprint beats any search in it."""

SAMPLES_AT_ONCE = 64
"""Looked at in one go by the search outward in time."""


@helper
def least_stretch(t, x, y, at_t, at_x, at_y, scale, best):  # type: ignore[no-untyped-def]
    """The least stretch of one sample to those of the slices t, x, y, or ``best`` if that is less.

    Every step is cast back to the arrays' type: left to itself numba widens to 64 bits and the loop loses its
    SIMD lanes.
    """
    narrow = t.dtype.type
    space_cap, time_cap = narrow(scale.space_cap), narrow(scale.time_cap)
    space_weight, time_weight = narrow(scale.space_weight), narrow(scale.time_weight)
    best = narrow(best)
    for j in range(t.size):
        space = narrow(narrow(abs(narrow(x[j] - at_x))) + narrow(abs(narrow(y[j] - at_y))))
        time = narrow(abs(narrow(t[j] - at_t)))
        cost = narrow(narrow(space_weight * min(space, space_cap)) + narrow(time_weight * min(time, time_cap)))
        best = min(best, cost)
    return best


@helper
def fill_whole_blocks(offsets, t, x, y, shorter, scratch):  # type: ignore[no-untyped-def]
    """Copy a fingerprint into ``scratch``, filled up to whole blocks with copies of its last sample; returns the size.

    The copies change no minimum, and what would be left over from whole registers took as long as all the rest.
    """
    lo, hi = offsets[shorter], offsets[shorter + 1]
    size = -(-(hi - lo) // SAMPLES_AT_ONCE) * SAMPLES_AT_ONCE
    for j in range(size):
        k = min(lo + j, hi - 1)
        scratch[0, j], scratch[1, j], scratch[2, j] = t[k], x[k], y[k]
    return size


@helper
def scan_sum(offsets, t, x, y, longer, shorter, scale, limit, scratch):  # type: ignore[no-untyped-def]
    """Sum over ``longer`` of each sample's least stretch to ``shorter``, every sample against every sample."""
    size = fill_whole_blocks(offsets, t, x, y, shorter, scratch)
    near_t, near_x, near_y = scratch[0, :size], scratch[1, :size], scratch[2, :size]
    total = np.int64(0)
    for i in range(offsets[longer], offsets[longer + 1]):
        total += np.int64(least_stretch(near_t, near_x, near_y, t[i], x[i], y[i], scale, scale.unit))
        if total > limit:
            break
    return total


@helper
def floored_sum(people, longer, shorter, scale, limit, known, field, of_sample, bin_width, unit, scratch):  # type: ignore[no-untyped-def]
    """As `scan_sum`, where it is known what each sample costs at least.

    The sum starts from all that is known and adds what each sample costs beyond it: a pair that is too far apart shows
    it after a part of the samples. For each, samples about its time are scanned first, and others only as long as time
    and the way to the nearest site leave something to be won.

    ``field`` is that of ``shorter``, with the rows of all sites of ``longer``, in units of ``unit``; ``known`` is what
    these sum up to. ``of_sample`` has the site of each sample.
    """
    offsets, t, x, y = people
    near, rows, row_of = field.near, field.rows, field.row_of
    size, weight, cap = fill_whole_blocks(offsets, t, x, y, shorter, scratch), scale.time_weight, scale.time_cap
    last = size - SAMPLES_AT_ONCE
    total, block, at_bin, bin_end = known, np.int64(0), np.uint64(0), np.int64(bin_width)
    for i in range(offsets[longer], offsets[longer + 1]):
        at = np.int64(t[i])
        while at >= bin_end:
            at_bin, bin_end = at_bin + np.uint64(1), bin_end + bin_width
        while block < last and scratch[0, block + SAMPLES_AT_ONCE] <= at:
            block += SAMPLES_AT_ONCE
        site = of_sample[i]
        best, bottom = np.int64(scale.unit), unit * np.int64(near[site])
        low, high = block, block + SAMPLES_AT_ONCE
        start, end = low, high
        while True:
            best = np.int64(
                least_stretch(
                    scratch[0, start:end], scratch[1, start:end], scratch[2, start:end], t[i], x[i], y[i], scale, best
                )
            )
            before, after = np.int64(scale.unit), np.int64(scale.unit)
            if low > 0:
                before = bottom + weight * min(at - scratch[0, low - 1], cap)
            if high < size:
                after = bottom + weight * min(scratch[0, high] - at, cap)
            if min(before, after) >= best:
                break
            if before < after:
                start, end, low = low - SAMPLES_AT_ONCE, low, low - SAMPLES_AT_ONCE
            else:
                start, end, high = high, high + SAMPLES_AT_ONCE, high + SAMPLES_AT_ONCE
        total += best - unit * np.int64(rows[row_of[site], at_bin])
        if total > limit:
            break
    return total


@helper
def search_least(t, x, y, lo, hi, middle, at_t, at_x, at_y, scale, bottom):  # type: ignore[no-untyped-def]
    """The least stretch of one sample to those in lo..hi, outward from its own time, which is at ``middle``.

    Block by block, until time alone makes it hopeless. ``bottom`` is a lower bound of the spatial part: without it the
    search would not stop for samples far in space, as beyond the cap nothing farther in time costs more.
    """
    weight, cap = np.int64(scale.time_weight), np.int64(scale.time_cap)
    left, right, best, at = middle, middle, np.int64(scale.unit), np.int64(at_t)
    while True:
        before = weight * min(at - t[left - 1], cap) if left > lo else np.int64(scale.unit)
        after = weight * min(t[right] - at, cap) if right < hi else np.int64(scale.unit)
        if bottom + min(before, after) >= best:
            return best
        if before < after:
            start, end = max(left - SAMPLES_AT_ONCE, lo), left
            left = start
        else:
            start, end = right, min(right + SAMPLES_AT_ONCE, hi)
            right = end
        best = np.int64(least_stretch(t[start:end], x[start:end], y[start:end], at_t, at_x, at_y, scale, best))


@helper
def search_sum(offsets, t, x, y, longer, shorter, scale, limit, floor, floor_at, floor_unit):  # type: ignore[no-untyped-def]
    """As `scan_sum`, by `search_least`.

    ``floor_unit * floor[floor_at[i]]`` is a lower bound of the spatial part of sample i; a unit of 0 asks for none.
    """
    lo, hi = offsets[shorter], offsets[shorter + 1]
    total, middle = np.int64(0), lo
    for i in range(offsets[longer], offsets[longer + 1]):
        while middle < hi and t[middle] < t[i]:
            middle += 1
        bottom = np.int64(0)
        if floor_unit > 0:
            bottom = floor_unit * np.int64(floor[floor_at[i]])
        total += search_least(t, x, y, lo, hi, middle, t[i], x[i], y[i], scale, bottom)
        if total > limit:
            break
    return total


@helper
def directed_sum(offsets, t, x, y, longer, shorter, scale, limit, floor, floor_at, floor_unit, scratch):  # type: ignore[no-untyped-def]
    """One branch of GLOVE (10), not yet divided by m, the way that suits the size of the shorter fingerprint.

    Gives up with any value above ``limit`` once the sum is above it. ``scratch`` is memory: 3 × `SCANNED_SAMPLES`.
    """
    if offsets[shorter + 1] - offsets[shorter] <= SCANNED_SAMPLES:
        return scan_sum(offsets, t, x, y, longer, shorter, scale, limit, scratch)
    return search_sum(offsets, t, x, y, longer, shorter, scale, limit, floor, floor_at, floor_unit)


@helper
def pair_sum(offsets, t, x, y, a, b, scale, limit, forth, floor, floor_at, floor_unit, scratch):  # type: ignore[no-untyped-def]
    """The sum of GLOVE (10) for a and an equally long or longer b, in b's direction and in a's.

    Only with equal cardinalities both directions count; else the second is no less than the first. ``forth`` is the sum
    in b's direction if it is known, or else negative. The floor is one for samples of b.
    """
    back = np.int64(2**62)
    even = offsets[a + 1] - offsets[a] == offsets[b + 1] - offsets[b]
    for turn in range(0 if forth < 0 else 1, 2 if even else 1):  # a loop, so that the sum is compiled once
        longer, shorter = (b, a) if turn == 0 else (a, b)
        unit = floor_unit if turn == 0 else np.int64(0)
        back = directed_sum(offsets, t, x, y, longer, shorter, scale, limit, floor, floor_at, unit, scratch)
        if turn == 0:
            forth = back
    return forth, back


@helper
def match_samples(offsets, t, x, y, longer, shorter, scale, best, space, time, scratch):  # type: ignore[no-untyped-def]
    """For every sample of ``longer`` its best match in ``shorter`` and the two parts of the stretch.

    The best is the least by (delta, uncapped stretch, t, x, y). Samples stand in the order of (t, x, y), so the
    last three are the index. First the least delta, as quickly as any; then the best of those who have it, who are not
    farther in time than it allows.

    Parameters
    ----------
    best, space, time
        Written: index within ``shorter``; ws phi_s and wt phi_t in units of ``1 / scale.unit``.
    scratch
        Memory: 3 × `SCANNED_SAMPLES`.
    """
    lo, hi = offsets[shorter], offsets[shorter + 1]
    first, middle, size = offsets[longer], lo, np.int64(0)
    if hi - lo <= SCANNED_SAMPLES:
        size = fill_whole_blocks(offsets, t, x, y, shorter, scratch)
    near_t, near_x, near_y = scratch[0, :size], scratch[1, :size], scratch[2, :size]
    for i in range(first, offsets[longer + 1]):
        at_t, at_x, at_y = np.int64(t[i]), np.int64(x[i]), np.int64(y[i])
        while middle < hi and t[middle] < at_t:
            middle += 1
        if size > 0:
            least = np.int64(least_stretch(near_t, near_x, near_y, t[i], x[i], y[i], scale, scale.unit))
        else:
            least = search_least(t, x, y, lo, hi, middle, t[i], x[i], y[i], scale, np.int64(0))
        least_loose, least_at = np.int64(2**62), lo
        for step in (1, -1):
            j = middle if step == 1 else middle - 1
            while lo <= j < hi:
                apart = abs(t[j] - at_t)
                time_cost = scale.time_weight * min(apart, scale.time_cap)
                if time_cost > least:
                    break
                away = abs(x[j] - at_x) + abs(y[j] - at_y)
                if scale.space_weight * min(away, scale.space_cap) + time_cost == least:
                    loose = scale.space_weight * away + scale.time_weight * apart
                    if loose < least_loose or (loose == least_loose and j < least_at):
                        least_loose, least_at = loose, j
                        time[i - first] = time_cost
                j += step
        best[i - first], space[i - first] = least_at - lo, least - time[i - first]
