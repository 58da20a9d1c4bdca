"""Stretch of raw samples and fingerprints (GLOVE §4.1, §4.2; anonymizability §2).

On raw samples phi*_s is the taxicab distance and phi*_t is |ta - tb|. The kernels here give the *sum* that
GLOVE (10) averages, in units of ``1 / Scale.unit``; (10) prints n as the sum's limit, which is the cardinality
m of the longer fingerprint. With equal cardinalities the formula is not symmetric: the smaller direction
counts, and if both are equal the fingerprint of smaller content plays the longer.
"""

import numpy as np
from numba import njit

SCAN = 1024
"""Up to so many samples a plain scan of the shorter fingerprint beats any search."""

BLOCK = 64
"""Samples looked at in one go by the search outward in time."""


@njit(cache=True, nogil=True, error_model="numpy")
def least(t, x, y, at_t, at_x, at_y, scale, best):  # type: ignore[no-untyped-def]
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
        cost = narrow(
            narrow(space_weight * min(space, space_cap)) + narrow(time_weight * min(time, time_cap))
        )
        best = min(best, cost)
    return best


@njit(cache=True, nogil=True, error_model="numpy")
def scan_sum(people, longer, shorter, scale, limit):  # type: ignore[no-untyped-def]
    """Sum over the samples of ``longer`` of the least stretch to ``shorter``; any value above limit if above."""
    lo, hi = people.offsets[shorter], people.offsets[shorter + 1]
    t, x, y = people.t[lo:hi], people.x[lo:hi], people.y[lo:hi]
    total = np.int64(0)
    for i in range(people.offsets[longer], people.offsets[longer + 1]):
        total += np.int64(least(t, x, y, people.t[i], people.x[i], people.y[i], scale, scale.unit))
        if total > limit:
            break
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def search_sum(people, longer, shorter, scale, limit, floor, floor_at, shift):  # type: ignore[no-untyped-def]
    """As `scan_sum`, for long fingerprints: outward from the sample's own time, block by block.

    ``floor[floor_at[i]] << shift`` is a lower bound of the spatial part of sample i. Without it the search would not
    stop for samples far in space: once time is capped, nothing farther in time costs more.
    """
    lo, hi = people.offsets[shorter], people.offsets[shorter + 1]
    t, x, y = people.t[lo:hi], people.x[lo:hi], people.y[lo:hi]
    total, middle = np.int64(0), 0
    for i in range(people.offsets[longer], people.offsets[longer + 1]):
        at_t, at_x, at_y = people.t[i], people.x[i], people.y[i]
        while middle < t.size and t[middle] < at_t:
            middle += 1
        left = right = middle
        best, bottom = np.int64(scale.unit), np.int64(floor[floor_at[i]]) << shift
        while True:
            before = after = np.int64(scale.unit)
            if left > 0:
                before = scale.time_weight * min(np.int64(at_t) - t[left - 1], scale.time_cap)
            if right < t.size:
                after = scale.time_weight * min(np.int64(t[right]) - at_t, scale.time_cap)
            if bottom + min(before, after) >= best:
                break
            if after <= before:
                start, right = right, min(right + BLOCK, t.size)
                end = right
            else:
                end, left = left, max(left - BLOCK, 0)
                start = left
            best = np.int64(least(t[start:end], x[start:end], y[start:end], at_t, at_x, at_y, scale, best))
        total += best
        if total > limit:
            break
    return total
