"""Who can still be among the nearest: a cascade of lower bounds.

The pair of a shorter person a and a longer (or equally long) person b is looked at once, by the shorter as the
owner of the field, for the lists of both. From cheap to dear: the distance of the homes of a block of people from a's
sites; the distance of b's sites; the same and time, each by itself, but together for samples at b's home where people
are seen often; the field over b's cells; the exact sum, which is left to `shoal.kernels.kgap.settle`. A pair is dropped
as soon as neither list could take it.

With equal cardinalities the smaller direction counts (GLOVE's formula leaves it open). Both have their turn as
owner then, each with the bound of its own direction: a pair that is dropped in the dearer direction is found in
the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.kgap.candidates import GLANCE, SKETCHED
from shoal.kernels.kgap.fields import (
    cells_bound,
    field_pays,
    fill_near,
    fill_profiles,
    fill_row,
    fill_rows,
    forget_rows,
    new_field,
    sites_bound,
    times_bound,
    when_bound,
)
from shoal.kernels.kgap.nearest import SLACK, precedes

PAIR_TALLY = ("pairs", "times", "cells", "exact", "guessed")
"""What is counted: pairs not dropped with their block, and those that came to the bound over times, over cells, to the
exact sum; exact sums of first guesses."""

ABREAST = 8
"""Owners who go through the candidates side by side: each block is fetched from memory once for all of them."""


class Abreast(NamedTuple):
    """What a sweep through the candidates needs to know of each owner, and what it finds."""

    near: NDArray[np.int16]
    near_region: NDArray[np.int16]
    anywhere: NDArray[np.int16]
    profiles: NDArray[np.int16]
    """All as in `shoal.kernels.kgap.fields.Field`."""
    home: NDArray[np.int64]
    """The site for which there is a row."""
    row: NDArray[np.int16]
    """That row, less the distance of the site."""
    size: NDArray[np.int64]
    """How many samples the owner has."""
    bar: NDArray[np.float64]
    """How far, per sample, a newcomer to the owner's list may be away, and a trifle more."""
    kept: NDArray[np.int64]
    """How many candidates passed..."""
    place: NDArray[np.int32]
    """...which..."""
    bound: NDArray[np.int64]
    """...and by which bound."""


@maker
def new_abreast(sites, room, measures):  # type: ignore[no-untyped-def]
    """Memory for so many sites and candidates; what is not used is not touched."""
    return Abreast(
        np.empty((ABREAST, sites), np.int16),
        np.empty((ABREAST, sites), np.int16),
        np.empty((ABREAST, measures.room), np.int16),
        np.empty((ABREAST, measures.most_sites, measures.room), np.int16),
        np.empty(ABREAST, np.int64),
        np.empty((ABREAST, measures.room), np.int16),
        np.empty(ABREAST, np.int64),
        np.empty(ABREAST, np.float64),
        np.empty(ABREAST, np.int64),
        np.empty((ABREAST, room), np.int32),
        np.empty((ABREAST, room), np.int64),
    )


@helper
def sweep(abreast, owners, limits, block_bar, candidates, sites, digest, measures, near, near_region, tally):  # type: ignore[no-untyped-def]
    """Go through the candidates once with some owners, by blocks, sites and times.

    ``near`` and ``near_region`` are the least of all of theirs: a block that is too far for these is too far for each.
    One long function, as most of what it does takes less time than a call.
    """
    samples, sketch, member = candidates.samples, candidates.sketch, candidates.member
    block_start, block_home, block_region = candidates.block_start, candidates.block_home, candidates.block_region
    at_home, around = candidates.at_home, candidates.around
    start, entries, cells, when = digest.start, digest.entries, digest.cells, digest.when
    often = when.shape[0] > 0
    each_near, each_region, anywhere, rows = abreast.near, abreast.near_region, abreast.anywhere, abreast.row
    each_size, each_bar, place, bounds, kept = abreast.size, abreast.bar, abreast.place, abreast.bound, abreast.kept
    bar, size = np.float32(-1), np.int64(2**62)
    for j in range(owners.size):
        bar, size = max(bar, np.float32(each_bar[j])), min(size, each_size[j])
    seen, timed = np.int64(0), np.int64(0)
    for g in range(block_home.size):
        lo, home, region = block_start[g], block_home[g], block_region[g]
        most, stay, roam = max(bar, block_bar[g]), at_home[g], around[g]
        if samples[lo] < size or stay * np.float32(near[home]) > most or roam * np.float32(near_region[region]) > most:
            continue
        for j in range(owners.size):
            most, own_size, own_bar = max(np.float32(each_bar[j]), block_bar[g]), each_size[j], each_bar[j]
            if stay * np.float32(each_near[j, home]) > most or roam * np.float32(each_region[j, region]) > most:
                continue
            for p in range(lo, block_start[g + 1]):
                if samples[p] < own_size:
                    break
                seen += 1
                limit, bound = max(own_bar * samples[p], limits[p]), np.int64(0)
                for i in range(GLANCE):
                    bound += np.int64(each_near[j, sketch[p, 0, i]]) * np.int64(sketch[p, 1, i])
                if bound > limit:
                    continue
                for i in range(GLANCE, SKETCHED):
                    bound += np.int64(each_near[j, sketch[p, 0, i]]) * np.int64(sketch[p, 1, i])
                if bound > limit:
                    continue
                # Where everybody is equally far, time is not worth looking at: ties will decide.
                if bound < limit * (1 - 3 * SLACK):
                    timed += 1
                    b = member[p]
                    if not often:
                        lo_cell, hi_cell = entries[start[b], 2], entries[start[b + 1], 2]
                        bound += times_bound(anywhere[j], cells, lo_cell, hi_cell, limit - bound)
                    else:
                        if abreast.home[j] != home:
                            abreast.home[j] = home
                            owned, base = entries[start[owners[j]] : start[owners[j] + 1]], each_near[j, home]
                            site, profiles = np.int32(home), abreast.profiles[j]
                            fill_row(rows[j], site, base, sites, owned, profiles, anywhere[j], measures)
                        bound += when_bound(when[b, 0], rows[j])
                        if bound <= limit:
                            bound += when_bound(when[b, 1], anywhere[j])
                    if bound > limit:
                        continue
                place[j, kept[j]], bounds[j, kept[j]] = p, bound
                kept[j] += 1
    tally[0] += seen
    tally[1] += timed


@kernel
def screen(owners, mine, bars, block_bar, candidates, rank, sites, digest, measures):  # type: ignore[no-untyped-def]
    """Find every pair of an owner and a candidate that the list of either could take.

    Parameters
    ----------
    owners
        People whose fields are built, against members with as many samples or more.
    mine
        The owners' lists, row by row.
    bars, block_bar
        Of the candidates and of their blocks, at some earlier time: nobody writes them while this runs, and an old bar
        only means more work.

    Returns
    -------
    pairs, bounds, tally
        Rows of (index into owners, place among the candidates), in the order of the owners; bounds of the sum;
        counts as in `PAIR_TALLY`.
    """
    start, entries, cells, shift = digest.start, digest.entries, digest.cells, measures.shift
    tally, last, room = np.zeros(5, np.int64), mine.other.shape[1] - 1, candidates.member.size
    abreast, field = new_abreast(sites.x.size, room, measures), new_field(sites.x.size, measures)
    near, near_region, rows, row_of, filled = field.near, field.near_region, field.rows, field.row_of, field.filled
    pairs, pair_bounds, used = np.empty((room, 2), np.int32), np.empty(room, np.int64), np.int64(0)
    for first in range(0, owners.size, ABREAST):
        count = min(ABREAST, owners.size - first)
        near[:], near_region[:] = np.int16(32767), np.int16(32767)
        for j in range(count):
            a, o = owners[first + j], first + j
            owned = entries[start[a] : start[a + 1]]
            fill_near(abreast.near[j], abreast.near_region[j], sites, owned, measures)
            fill_profiles(abreast.profiles[j], abreast.anywhere[j], owned, entries[start[a + 1], 2], digest, measures)
            abreast.home[j], abreast.kept[j], abreast.size[j] = -1, 0, 0
            for e in range(owned.shape[0]):
                abreast.size[j] += owned[e, 1]
            total_a, samples_a = mine.total[o, last], mine.samples[o, last]
            abreast.bar[j] = total_a / samples_a / (1 << shift) * (1 + SLACK) if samples_a > 0 else np.inf
            for s in range(near.size):
                near[s] = min(near[s], abreast.near[j, s])
                near_region[s] = min(near_region[s], abreast.near_region[j, s])
        some = owners[first : first + count]
        sweep(abreast, some, bars.limit, block_bar, candidates, sites, digest, measures, near, near_region, tally)
        for j in range(count):
            a, o, bar_a = owners[first + j], first + j, abreast.bar[j]
            owned, place, bounds = entries[start[a] : start[a + 1]], abreast.place[j], abreast.bound[j]
            own_near, profiles, anywhere = abreast.near[j], abreast.profiles[j], abreast.anywhere[j]
            total_a, samples_a, rank_a = mine.total[o, last], mine.samples[o, last], rank[mine.other[o, last]]
            kept, entries_left, samples_left = np.int64(0), np.int64(0), np.int64(0)
            for f in range(abreast.kept[j]):
                p, bound = place[f], bounds[f]
                b, samples = candidates.member[p], np.int64(candidates.samples[p])
                limit = max(bar_a * samples, bars.limit[p])
                # What the sketch has no room for. Ties must not go on to the dear bounds.
                bound = sites_bound(
                    own_near, entries, min(start[b] + SKETCHED, start[b + 1]), start[b + 1], bound, limit
                )
                least_total = bound << shift
                if (
                    b == a
                    or bound > limit
                    or (
                        bound >= limit * (1 - 3 * SLACK)
                        and not precedes(least_total, samples, candidates.rank[p], total_a, samples_a, rank_a)
                        and not precedes(least_total, samples, rank[a], bars.total[p], bars.samples[p], bars.rank[p])
                    )
                ):
                    continue
                place[kept], bounds[kept] = p, bound
                kept += 1
                entries_left += start[b + 1] - start[b]
                samples_left += samples
            pays = kept > 0 and field_pays(
                measures, near.size, owned.shape[0], abreast.size[j], entries_left, samples_left
            )
            if pays:
                tally[2] += kept
                forget_rows(row_of, filled)
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
                    lo, hi = start[b], start[b + 1]
                    fill_rows(rows, row_of, filled, entries, lo, hi, sites, owned, profiles, anywhere, measures)
                    bound = sites_bound(own_near, entries, lo, hi, np.int64(0), limit)
                    bound = cells_bound(own_near, rows, row_of, entries, cells, lo, hi, bound, limit)
                pairs[used, 0], pairs[used, 1], pair_bounds[used] = o, p, bound
                used += np.int64(bound <= limit)
    return pairs[:used], pair_bounds[:used], tally
