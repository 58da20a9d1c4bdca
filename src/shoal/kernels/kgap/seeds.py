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
    fill_rows,
    forget_rows,
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
def guess(lo, hi, width, window, row_of, candidates, sites, digest, measures):  # type: ignore[no-untyped-def]
    """Likely neighbours of some candidates and of those around them, for each who keeps a list.

    Parameters
    ----------
    lo, hi
        The candidates lo..hi, by their places.
    width
        How many to guess for each.
    window
        People looked at on either side.
    row_of
        Negative for those who keep no list.
    candidates
        Everybody who may be a neighbour.
    sites, digest, measures
        Of all people.

    Returns
    -------
    first, hints
        Row r holds the places of up to ``width`` others for the candidate at first + r, -1 where there are fewer.
    """
    member, samples = candidates.member, candidates.samples
    first, last = max(0, lo - window), min(member.size, hi + window)
    keys, hints = np.empty((last - first, width), np.float64), np.empty((last - first, width), np.int32)
    keys[:], hints[:] = np.inf, -1
    start, entries = digest.start, digest.entries
    field = new_field(sites.x.size, measures)
    near, rows, site_row, cells = field.near, field.rows, field.row_of, digest.cells
    anywhere = field.anywhere
    for i in range(lo, hi):
        a, size_a, ready, pays = member[i], samples[i], False, False
        owned, low, high = entries[start[a] : start[a + 1]], max(first, i - window), min(last, i + window + 1)
        for j in range(low, high):
            b, size_b = member[j], samples[j]
            if j == i or size_b < size_a or (row_of[a] < 0 and row_of[b] < 0):
                continue
            if not ready:
                fill_near(near, field.near_region, sites, owned, measures)
                spread(anywhere, owned[0, 2], entries[start[a + 1], 2], cells, digest.ends, measures)
                entries_around, samples_around = np.int64(0), np.int64(0)
                for other in range(low, high):
                    entries_around += start[member[other] + 1] - start[member[other]]
                    samples_around += samples[other]
                pays = not is_rare(anywhere, measures) and field_pays(
                    measures, near.size, owned.shape[0], np.int64(size_a), entries_around, samples_around
                )
                if pays:
                    fill_profiles(field.profiles, anywhere, owned, entries[start[a + 1], 2], digest, measures)
                    forget_rows(site_row, field.filled)
                ready = True
            limit = -1.0
            if row_of[a] >= 0:
                limit = keys[i - first, width - 1] * size_b
            if row_of[b] >= 0:
                limit = max(limit, keys[j - first, width - 1] * size_b)
            bound = sites_bound(near, entries, start[b], start[b + 1], np.int64(0), limit)
            if bound <= limit and not pays:
                bound += times_bound(anywhere, cells, entries[start[b], 2], entries[start[b + 1], 2], limit - bound)
            elif bound <= limit:
                begin, end = start[b], start[b + 1]
                fill_rows(
                    rows, site_row, field.filled, entries, begin, end, sites, owned, field.profiles, anywhere, measures
                )
                bound = cells_bound(near, rows, site_row, entries, cells, begin, end, bound, limit)
            if bound <= limit:
                if row_of[a] >= 0:
                    hint(keys, hints, i - first, bound / size_b, j)
                if row_of[b] >= 0:
                    hint(keys, hints, j - first, bound / size_b, i)
    return first, hints
