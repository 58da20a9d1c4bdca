"""A first guess of everybody's nearest, so that the cascade has something to measure against from the start.

People who live near each other and have about as many samples are the likeliest neighbours, and they stand side
by side in the order of homes. Among so many on either side the best by bound are computed exactly, for every person
in either role. Nothing depends on how good the guess is, except the time.
"""

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kgap.fields import (
    cells_bound,
    field_pays,
    fill_near,
    fill_profiles,
    fill_row,
    is_rare,
    new_field,
    sites_bound,
    spread,
    times_bound,
)

WINDOW = 128
"""People looked at on either side."""


@helper
def hint(keys, hints, row, key, other):  # type: ignore[no-untyped-def]
    """Keep the least keys of a row, ascending."""
    place = keys.shape[1] - 1
    if key >= keys[row, place]:
        return
    while place > 0 and keys[row, place - 1] > key:
        keys[row, place], hints[row, place] = keys[row, place - 1], hints[row, place - 1]
        place -= 1
    keys[row, place], hints[row, place] = key, other


@kernel
def guess(lo, hi, width, window, row_of, offsets, sites, digest, measures):  # type: ignore[no-untyped-def]
    """Likely neighbours of some people and of those around them, for each who keeps a list.

    Parameters
    ----------
    lo, hi
        The people lo..hi, in the order of homes.
    width
        How many to guess for each.
    window
        People looked at on either side.
    row_of
        Negative for those who keep no list.
    offsets, sites, digest, measures
        Of everybody.

    Returns
    -------
    first, hints, tally
        Row r holds up to ``width`` others for person first + r, -1 where there are fewer; counts as in
        `shoal.kernels.kgap.cascade.PAIR_TALLY`.
    """
    first, last = max(0, lo - window), min(offsets.size - 1, hi + window)
    keys, hints = np.empty((last - first, width), np.float64), np.empty((last - first, width), np.int32)
    keys[:], hints[:] = np.inf, -1
    start, entries, tally = digest.start, digest.entries, np.zeros(4, np.int64)
    field = new_field(sites.x.size, measures)
    near, rows, filled, cells = field.near, field.rows, field.filled, digest.cells
    anywhere = field.anywhere
    for a in range(lo, hi):
        owned, ready, size_a = entries[start[a] : start[a + 1]], False, offsets[a + 1] - offsets[a]
        low, high, pays = max(first, a - window), min(last, a + window + 1), False
        for b in range(low, high):
            size_b = offsets[b + 1] - offsets[b]
            if b == a or size_b < size_a or (row_of[a] < 0 and row_of[b] < 0):
                continue
            if not ready:
                fill_near(field, sites, owned, measures)
                spread(anywhere, owned[0, 2], entries[start[a + 1], 2], cells, digest.ends, measures)
                around = (start[high] - start[low], offsets[high] - offsets[low])
                pays = not is_rare(anywhere, measures) and field_pays(
                    measures, near.size, owned.shape[0], size_a, around[0], around[1]
                )
                if pays:
                    fill_profiles(field.profiles, owned, entries[start[a + 1], 2], digest, measures)
                ready = True
            limit = -1.0
            if row_of[a] >= 0:
                limit = keys[a - first, width - 1] * size_b
            if row_of[b] >= 0:
                limit = max(limit, keys[b - first, width - 1] * size_b)
            tally[0] += 1
            tally[1] += 1
            bound = sites_bound(near, entries, start[b], start[b + 1], limit)
            if bound <= limit and not pays:
                bound += times_bound(anywhere, cells, entries[start[b], 2], entries[start[b + 1], 2], limit - bound)
            elif bound <= limit:
                tally[2] += 1
                for e in range(start[b], start[b + 1]):
                    if filled[entries[e, 0]] != a:
                        filled[entries[e, 0]] = a
                        fill_row(field, entries[e, 0], sites, owned, measures)
                bound = cells_bound(near, rows, entries, cells, start[b], start[b + 1], bound, limit)
            if bound <= limit:
                if row_of[a] >= 0:
                    hint(keys, hints, a - first, bound / size_b, b)
                if row_of[b] >= 0:
                    hint(keys, hints, b - first, bound / size_b, a)
    return first, hints, tally
