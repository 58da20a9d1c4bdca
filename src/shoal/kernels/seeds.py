"""A first guess of everybody's nearest, so that the cascade has something to measure against from the start.

People who live near each other and have about as many samples are the likeliest neighbours: they stand side by
side in the crowd. Among so many on either side the best by bound are computed exactly, for every person in
either role. Nothing depends on how good the guess is, except the time.
"""

import numpy as np
from numba import njit

from shoal.kernels.cascade import cells_bound, exact, sites_bound
from shoal.kernels.fields import fill_near, fill_profiles, new_field

WINDOW = 128
"""Members of the crowd looked at on either side."""


@njit(cache=True, nogil=True)
def hint(keys, hints, row, key, other):  # type: ignore[no-untyped-def]
    """Keep the least keys of a row, ascending."""
    place = keys.shape[1] - 1
    if key >= keys[row, place]:
        return
    while place > 0 and keys[row, place - 1] > key:
        keys[row, place], hints[row, place] = keys[row, place - 1], hints[row, place - 1]
        place -= 1
    keys[row, place], hints[row, place] = key, other


@njit(cache=True, nogil=True)
def seed(lo, hi, width, window, row_of, crowd, people, digest, scale):  # type: ignore[no-untyped-def]
    """Exact stretches of likely pairs around the members lo..hi of the crowd, ``width`` or more for each."""
    first, last = max(0, lo - window), min(crowd.member.size, hi + window)
    keys = np.full((last - first, width), np.inf)
    hints = np.full((last - first, width), -1, np.int32)
    field = new_field(digest, crowd.member[lo:hi])
    for p in range(lo, hi):
        a, size_a = crowd.member[p], crowd.samples[p]
        fill_near(field, digest, a, scale)
        fill_profiles(field, digest, a, scale)
        for q in range(max(first, p - window), min(last, p + window + 1)):
            b, size_b = crowd.member[q], crowd.samples[q]
            if size_b < size_a or q == p:
                continue
            limit = -1.0
            if row_of[a] >= 0:
                limit = keys[p - first, width - 1] * size_b
            if row_of[b] >= 0:
                limit = max(limit, keys[q - first, width - 1] * size_b)
            bound = sites_bound(field.near, digest, b, limit)
            if bound <= limit:
                bound = cells_bound(field, digest, a, b, scale, bound, limit)
            if bound <= limit:
                hint(keys, hints, p - first, bound / size_b, b)
                hint(keys, hints, q - first, bound / size_b, a)
    most = keys.size
    pairs, totals, samples = np.empty((most, 2), np.int32), np.empty(most, np.int64), np.empty(most, np.int32)
    used = 0
    for q in range(keys.shape[0]):
        for w in range(width):
            a, b = crowd.member[first + q], hints[q, w]
            if b < 0 or row_of[a] < 0:
                continue
            if crowd.samples[first + q] > people.offsets[b + 1] - people.offsets[b]:
                a, b = b, a
            fill_near(field, digest, a, scale)
            pairs[used, 0], pairs[used, 1] = a, b
            totals[used] = exact(people, digest, field.near, a, b, scale, np.int64(2**62))
            samples[used] = people.offsets[b + 1] - people.offsets[b]
            used += 1
    return pairs[:used], totals[:used], samples[:used]
