"""The exact stretch of the pairs that no bound has ruled out."""

import numpy as np

from shoal.kernels.fields import fill_near, new_field
from shoal.kernels.jit import kernel
from shoal.kernels.nearest import bar, insert, wanted
from shoal.kernels.stretch import SCAN, pair_sum


@kernel
def settle(owners, pairs, bounds, mine, row_of, bars, rank, people, sites, digest, measures, scale):  # type: ignore[no-untyped-def]
    """Compute pairs exactly, unless earlier ones have made them hopeless.

    Parameters
    ----------
    owners, mine, row_of, bars
        As in `shoal.kernels.cascade.screen`; ``mine`` is private to this call and brought up to date as it goes.
    pairs, bounds
        Rows of (index into owners, person), those of an owner together and the most promising first.

    Returns
    -------
    events, computed
        Rows of (owner, person, total, samples) that a list could take; how many pairs were computed.
    """
    offsets, t, x, y = people
    shift = measures.shift
    field = new_field(sites.x.size, measures)
    events = np.empty((pairs.shape[0], 4), np.int64)
    scratch = np.empty((3, SCAN), t.dtype)
    used, computed, ready = 0, 0, np.int64(-1)
    for f in range(pairs.shape[0]):
        o, b = np.int64(pairs[f, 0]), np.int64(pairs[f, 1])
        a, samples = owners[o], offsets[b + 1] - offsets[b]
        row_a, row_b = o if row_of[owners[o]] >= 0 else -1, row_of[b]
        if not wanted(bounds[f] << shift, samples, a, b, rank, mine, row_a, bars, row_b):
            continue
        if ready != o:
            fill_near(field, sites, digest.entries[digest.start[a] : digest.start[a + 1]], measures)
            ready = o
        computed += 1
        limit = max(bar(mine, row_a, shift), bar(bars, row_b, shift)) * samples
        whole = np.int64(limit * (1 << shift)) + 1 if limit < np.inf else np.int64(2**62)
        forth, back = pair_sum(
            offsets, t, x, y, a, b, scale, whole, field.near, sites.of_sample, np.int64(1) << shift, scratch
        )
        total = min(forth, back)
        if total > whole or not wanted(total, samples, a, b, rank, mine, row_a, bars, row_b):
            continue
        if row_a >= 0:
            insert(mine, row_a, b, total, samples, rank)
        events[used, 0], events[used, 1], events[used, 2], events[used, 3] = a, b, total, samples
        used += 1
    return events[:used], computed
