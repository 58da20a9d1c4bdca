"""Who can still be among the nearest: a cascade of lower bounds.

The pair of a shorter person a and a longer (or equally long) person b is looked at once, by the shorter as the
owner of the field, for the lists of both. From cheap to dear: the distance of b's home and of its region from a's
sites, for the samples there; the same over all of b's sites; the field over b's cells; the exact sum, which is
left to `shoal.kernels.kgap.settle`. A pair is dropped as soon as neither list could take it.

With equal cardinalities the smaller direction counts (GLOVE's formula leaves it open). Both have their turn as
owner then, each with the bound of its own direction: a pair that is dropped in the dearer direction is found in
the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from shoal.kernels.kgap.nearest import SLACK, precedes

PAIR_TALLY = ("pairs", "sites", "cells", "exact")
"""What is counted: pairs looked at, and those that came to the bound over sites, over cells, to the exact sum."""


class Candidates(NamedTuple):
    """Candidates by home, the site with most of their samples; within a home the longest fingerprints first.

    Whatever is needed to drop most of them lies here in their order: who is looked up elsewhere has to be waited for.
    """

    member: NDArray[np.int32]
    rank: NDArray[np.int32]
    """Of the member's content."""
    samples: NDArray[np.int32]
    at_home: NDArray[np.int32]
    around: NDArray[np.int32]
    """Samples at other sites of the home's region."""
    home_start: NDArray[np.int64]
    """Where each home's members start; one more at the end."""
    home: NDArray[np.int16]


@helper
def screen_homes(place, bounds, bar_a, size_a, limit, candidates, region, near, near_region):  # type: ignore[no-untyped-def]
    """Candidates that pass the bound by home and region; returns how many, and how many there were."""
    samples, at_home, around = candidates.samples, candidates.at_home, candidates.around
    left, seen = np.int64(0), np.int64(0)
    for g in range(candidates.home.size):
        home = candidates.home[g]
        here, there = np.int64(near[home]), np.int64(near_region[region[home]])
        for p in range(candidates.home_start[g], candidates.home_start[g + 1]):
            if samples[p] < size_a:
                break
            seen += 1
            bound = here * at_home[p] + there * around[p]
            # Written first, then kept or not: a branch here could not be predicted.
            place[left], bounds[left] = p, bound
            left += np.int64(bound <= max(bar_a * samples[p], limit[p]))
    return left, seen


@kernel
def screen(owners, mine, bars, candidates, rank, sites, digest, measures):  # type: ignore[no-untyped-def]
    """Find every pair of an owner and a candidate that the list of either could take.

    Parameters
    ----------
    owners
        People whose fields are built, against members with as many samples or more.
    mine
        The owners' lists, row by row.
    bars
        Of the candidates, at some earlier time: nobody writes them while this runs, and an old bar only means more
        work.

    Returns
    -------
    pairs, bounds, tally
        Rows of (index into owners, place among the candidates), in the order of the owners; bounds of the sum;
        counts as in `PAIR_TALLY`.
    """
    start, entries, shift = digest.start, digest.entries, measures.shift
    tally = np.zeros(4, np.int64)
    field = new_field(sites.x.size, measures)
    near, rows, filled, cells, anywhere = field.near, field.rows, field.filled, digest.cells, field.anywhere
    room, last = candidates.member.size, mine.other.shape[1] - 1
    place, bounds = np.empty(room, np.int32), np.empty(room, np.int64)
    pairs, pair_bounds, used = np.empty((room, 2), np.int32), np.empty(room, np.int64), np.int64(0)
    for o in range(owners.size):
        a, owned = owners[o], entries[start[owners[o]] : start[owners[o] + 1]]
        total_a, samples_a, rank_a = mine.total[o, last], mine.samples[o, last], rank[mine.other[o, last]]
        bar_a = total_a / samples_a / (1 << shift) * (1 + SLACK) if samples_a > 0 else np.inf
        fill_near(field, sites, owned, measures)
        spread(anywhere, owned[0, 2], entries[start[a + 1], 2], cells, digest.ends, measures)
        rare = is_rare(anywhere, measures)
        size_a = np.int64(0)
        for e in range(owned.shape[0]):
            size_a += owned[e, 1]
        left, seen = screen_homes(
            place, bounds, bar_a, size_a, bars.limit, candidates, sites.region, near, field.near_region
        )
        tally[0] += seen
        kept, entries_left, samples_left = np.int64(0), np.int64(0), np.int64(0)
        for f in range(left):
            p, bound, in_time = place[f], bounds[f], np.int64(0)
            b, samples, limit = (
                candidates.member[p],
                candidates.samples[p],
                max(bar_a * candidates.samples[p], bars.limit[p]),
            )
            if b == a:
                continue
            if bound < limit * (1 - 3 * SLACK):
                tally[1] += 1
                if rare:
                    cell, end = entries[start[b], 2], entries[start[b + 1], 2]
                    in_time = times_bound(anywhere, cells, cell, end, limit - bound)
                if bound + in_time <= limit:
                    bound = sites_bound(near, entries, start[b], start[b + 1], limit - in_time)
            # Where everybody is equally far, ties decide, and they must not go on to the dear bounds.
            least_total = (bound + in_time) << shift
            if bound + in_time > limit or (
                bound + in_time >= limit * (1 - 3 * SLACK)
                and not precedes(least_total, samples, candidates.rank[p], total_a, samples_a, rank_a)
                and not precedes(least_total, samples, rank[a], bars.total[p], bars.samples[p], bars.rank[p])
            ):
                continue
            place[kept], bounds[kept] = p, bound
            kept += 1
            entries_left += start[b + 1] - start[b]
            samples_left += samples
        pays = kept > 0 and field_pays(measures, near.size, owned.shape[0], size_a, entries_left, samples_left)
        if pays:
            tally[2] += kept
            fill_profiles(field.profiles, owned, entries[start[a + 1], 2], digest, measures)
        if used + kept > pair_bounds.size:
            more = np.empty((2 * (used + kept), 2), np.int32)
            more_bounds = np.empty(2 * (used + kept), np.int64)
            for f in range(used):  # a loop: numba takes seconds to compile the assignment of a slice
                more[f, 0], more[f, 1], more_bounds[f] = pairs[f, 0], pairs[f, 1], pair_bounds[f]
            pairs, pair_bounds = more, more_bounds
        for f in range(kept):
            p, bound = place[f], bounds[f]
            b, limit = candidates.member[p], max(bar_a * candidates.samples[p], bars.limit[p])
            if pays:
                for e in range(start[b], start[b + 1]):
                    if filled[entries[e, 0]] != a:
                        filled[entries[e, 0]] = a
                        fill_row(field, entries[e, 0], sites, owned, measures)
                bound = cells_bound(near, rows, entries, cells, start[b], start[b + 1], bound, limit)
            pairs[used, 0], pairs[used, 1], pair_bounds[used] = o, p, bound
            used += np.int64(bound <= limit)
    return pairs[:used], pair_bounds[:used], tally
