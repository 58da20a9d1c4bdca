"""The exact stretch of the pairs that no bound has ruled out."""

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kgap.fields import (
    cells_bound,
    field_pays,
    fill_near,
    fill_profiles,
    fill_rows,
    forget_rows,
    new_field,
    sites_bound,
)
from shoal.kernels.kgap.nearest import SLACK, insert, precedes
from shoal.kernels.kgap.stretch import SCANNED_SAMPLES, floored_sum, pair_sum


@helper
def worth_rows(pairs, f, owned_sites, size, candidates, digest, sites, measures):  # type: ignore[no-untyped-def]
    """Whether to fill rows for the pairs of one owner, the first of which is ``f``, costs less than it may spare."""
    entries, samples, o = np.int64(0), np.int64(0), pairs[f, 0]
    while f < pairs.shape[0] and pairs[f, 0] == o:
        b = candidates.member[pairs[f, 1]]
        entries += digest.start[b + 1] - digest.start[b]
        samples += candidates.samples[pairs[f, 1]]
        f += 1
    return size <= SCANNED_SAMPLES and field_pays(measures, sites, owned_sites, size, entries, samples)


@kernel
def settle(owners, pairs, bounds, mine, bars, candidates, rank, people, sites, digest, measures, scale):  # type: ignore[no-untyped-def]
    """Compute pairs exactly, unless earlier ones have made them hopeless.

    Parameters
    ----------
    owners, mine, bars, candidates
        As in `shoal.kernels.kgap.cascade.screen`; ``mine`` is private to this call and brought up to date as it goes.
    pairs, bounds
        Rows of (index into owners, place among the candidates), those of an owner together and the most promising
        first.

    Returns
    -------
    events, computed
        Rows of (owner, member, total, samples) that a list could take; how many pairs were computed.
    """
    offsets, t, x, y = people
    shift, last = measures.shift, mine.other.shape[1] - 1
    field, scratch = new_field(sites.x.size, measures), np.empty((3, SCANNED_SAMPLES), t.dtype)
    events = np.empty((pairs.shape[0], 4), np.int64)
    near, rows, row_of, filled, profiles, anywhere = (
        field.near,
        field.rows,
        field.row_of,
        field.filled,
        field.profiles,
        field.anywhere,
    )
    start, entries, of_sample = digest.start, digest.entries, sites.of_sample
    unit, bin_width = np.int64(1) << shift, np.int64(measures.bin_width)
    used, computed, ready, pays = 0, 0, np.int64(-1), False
    for f in range(pairs.shape[0]):
        o, p = np.int64(pairs[f, 0]), pairs[f, 1]
        a, b, samples = owners[o], np.int64(candidates.member[p]), np.int64(candidates.samples[p])
        total, exact_limit = bounds[f] << shift, np.int64(2**62)
        for turn in range(2):  # first with the bound; if that passes, with the sum
            total_a, samples_a, rank_a = mine.total[o, last], mine.samples[o, last], rank[mine.other[o, last]]
            if total > exact_limit or not (
                precedes(total, samples, candidates.rank[p], total_a, samples_a, rank_a)
                or precedes(total, samples, rank[a], bars.total[p], bars.samples[p], bars.rank[p])
            ):
                break
            if turn == 1:
                insert(mine, o, b, total, samples, rank)
                events[used, 0], events[used, 1], events[used, 2], events[used, 3] = a, b, total, samples
                used += 1
                break
            owned, lo, hi = entries[start[a] : start[a + 1]], start[b], start[b + 1]
            if ready != o:
                fill_near(near, field.near_region, sites, owned, measures)
                size = offsets[a + 1] - offsets[a]
                pays, ready = worth_rows(pairs, f, owned.shape[0], size, candidates, digest, near.size, measures), o
                if pays:
                    fill_profiles(profiles, anywhere, owned, entries[start[a + 1], 2], digest, measures)
                    forget_rows(row_of, filled)
            limit = bars.limit[p]
            limit = max(limit, total_a / samples_a / (1 << shift) * (1 + SLACK) * samples) if samples_a > 0 else np.inf
            if limit < np.inf:
                exact_limit = np.int64(limit * (1 << shift)) + 1
            forth = np.int64(-1)
            if pays:
                fill_rows(rows, row_of, filled, entries, lo, hi, sites, owned, profiles, anywhere, measures)
                known = sites_bound(near, entries, lo, hi, np.int64(0), np.inf)
                known = cells_bound(near, rows, row_of, entries, digest.cells, lo, hi, known, np.inf) << shift
                forth = floored_sum(people, b, a, scale, exact_limit, known, field, of_sample, bin_width, unit, scratch)
            forth, back = pair_sum(offsets, t, x, y, a, b, scale, exact_limit, forth, near, of_sample, unit, scratch)
            total = min(forth, back)
            computed += 1
    return events[:used], computed
