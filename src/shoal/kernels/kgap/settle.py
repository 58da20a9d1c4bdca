"""The exact stretch of the pairs that no bound has ruled out."""

import numpy as np

from shoal.kernels.common.jit import kernel
from shoal.kernels.kgap.fields import fill_near, new_field
from shoal.kernels.kgap.nearest import SLACK, insert, precedes
from shoal.kernels.kgap.stretch import SCANNED_SAMPLES, pair_sum


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
    used, computed, ready = 0, 0, np.int64(-1)
    for f in range(pairs.shape[0]):
        o, p = np.int64(pairs[f, 0]), pairs[f, 1]
        a, b, samples = owners[o], np.int64(candidates.member[p]), candidates.samples[p]
        total, exact_limit = bounds[f] << shift, np.int64(2**62)
        for turn in range(2):  # first with the bound; if that passes, with the sum
            total_a, samples_a, rank_a = mine.total[o, last], mine.samples[o, last], rank[mine.other[o, last]]
            if total > exact_limit or not (
                precedes(total, samples, candidates.rank[p], total_a, samples_a, rank_a)
                or precedes(total, samples, rank[a], bars.total[p], bars.samples[p], bars.rank[p])
            ):
                break
            if turn == 1:
                insert(mine, o, b, total, np.int64(samples), rank)
                events[used, 0], events[used, 1], events[used, 2], events[used, 3] = a, b, total, samples
                used += 1
                break
            if ready != o:
                fill_near(field, sites, digest.entries[digest.start[a] : digest.start[a + 1]], measures)
                ready = o
            limit = bars.limit[p]
            limit = max(limit, total_a / samples_a / (1 << shift) * (1 + SLACK) * samples) if samples_a > 0 else np.inf
            if limit < np.inf:
                exact_limit = np.int64(limit * (1 << shift)) + 1
            forth, back = pair_sum(
                offsets, t, x, y, a, b, scale, exact_limit, field.near, sites.of_sample, np.int64(1) << shift, scratch
            )
            total = min(forth, back)
            computed += 1
    return events[:used], computed
