"""Who can still be among the nearest: a cascade of lower bounds, then the exact stretch.

The pair of a shorter person a and a longer (or equally long) person b is looked at once, by the shorter as the
owner of the field, for the lists of both. Bounds from cheap to dear: the distance of b's home from a's sites,
for the samples there; the same over all of b's sites; the field over b's cells; the exact sum. A pair is dropped
as soon as neither list could take it. With equal cardinalities both have their turn as owner, each with the bound
of its own direction: that the smaller direction counts is exact, as a pair dropped in one direction only
is found in the other.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.kernels.fields import fill_near, fill_profiles, fill_row, new_field
from shoal.kernels.nearest import insert, precedes
from shoal.kernels.stretch import SCAN, scan_sum, search_sum

SLACK = 1e-9
"""Floats only sort out what is clear by more than this share; the rest is compared in integers."""

LEVELS = ("pairs", "home", "sites", "cells", "exact")
"""What the tally counts: pairs looked at, then those that reached each bound and the exact sum."""


class Crowd(NamedTuple):
    """Candidates by home, the site with most of their samples; within a home the longest fingerprints first."""

    member: NDArray[np.int32]
    samples: NDArray[np.int32]
    at_home: NDArray[np.int32]
    group: NDArray[np.int64]
    """Where each home's members start; one more at the end."""
    home: NDArray[np.int16]


@njit(cache=True, nogil=True)
def sites_bound(near, digest, b, limit):  # type: ignore[no-untyped-def]
    """Bound by the distance of b's sites from the owner's; above limit if it is."""
    bound = np.int64(0)
    for e in range(digest.start[b], digest.start[b + 1]):
        bound += np.int64(digest.count[e]) * np.int64(near[digest.site[e]])
        if bound > limit:
            break
    return bound


@njit(cache=True, nogil=True)
def cells_bound(field, digest, a, b, scale, bound, limit):  # type: ignore[no-untyped-def]
    """Sharpen the bound of `sites_bound` by b's time bins at each site; above limit if it is."""
    for e in range(digest.start[b], digest.start[b + 1]):
        s = digest.site[e]
        if field.filled[s] != a:
            fill_row(field, digest, a, s, scale)
        row, near = field.rows[s], np.int64(field.near[s])
        for c in range(digest.cell[e], digest.cell[e + 1]):
            bound += np.int64(digest.cell_count[c]) * (np.int64(row[digest.cell_bin[c]]) - near)
        if bound > limit:
            break
    return bound


@njit(cache=True, nogil=True)
def exact(people, digest, near, a, b, scale, limit):  # type: ignore[no-untyped-def]
    """Sum of GLOVE (10) for owner a and an equally long or longer b; above limit if it is."""
    size_a = people.offsets[a + 1] - people.offsets[a]
    size_b = people.offsets[b + 1] - people.offsets[b]
    if size_a <= SCAN:
        total = scan_sum(people, b, a, scale, limit)
    else:
        total = search_sum(people, b, a, scale, limit, near, digest.sample_site, digest.shift)
    if size_a == size_b:
        if size_a <= SCAN:
            total = min(total, scan_sum(people, a, b, scale, limit))
        else:
            nothing = np.zeros_like(near)
            total = min(total, search_sum(people, a, b, scale, limit, nothing, digest.sample_site, 0))
    return total


@njit(cache=True, nogil=True)
def wanted(bound, samples, a, b, rank, mine, row_a, bars, row_b):  # type: ignore[no-untyped-def]
    """Whether a pair of this stretch, or of at least this bound, could enter the list of a or of b."""
    if row_a >= 0 and precedes(bound, samples, b, rank, mine, row_a, mine.other.shape[1] - 1):
        return True
    return row_b >= 0 and precedes(bound, samples, a, rank, bars, row_b, 0)


@njit(cache=True, nogil=True)
def bar(lists, row, shift):  # type: ignore[no-untyped-def]
    """Stretch of the last in the list, in the bounds' unit and a trifle more; infinite while there is room."""
    last = lists.other.shape[1] - 1
    if row < 0:
        return -1.0
    if lists.other[row, last] < 0:
        return np.inf
    return lists.total[row, last] / lists.samples[row, last] / (1 << shift) * (1 + SLACK)


@njit(cache=True, nogil=True)
def whole_limit(limit, shift):  # type: ignore[no-untyped-def]
    """The limit in the unit of exact sums."""
    if limit == np.inf:
        return np.int64(2**62)
    return np.int64(limit * (1 << shift)) + 1


@njit(cache=True, nogil=True)
def search(owners, mine, first_row, row_of, bars, reach, crowd, people, digest, rank, scale, tally):  # type: ignore[no-untyped-def]
    """Find every pair that the list of an owner or of a candidate could take.

    ``mine`` are the owners' own lists, updated here (row ``first_row + i`` hmm). ``bars`` hold the last place of everybody's list as of the
    start, ``reach`` the same as a limit per member of the crowd. Returns the pairs with totals and samples.
    """
    field = new_field(digest, owners)
    found_b = np.empty(crowd.member.size, np.int32)
    found_bound = np.empty(crowd.member.size, np.int64)
    found_key = np.empty(crowd.member.size, np.float64)
    pairs, totals, samples = np.empty((256, 2), np.int32), np.empty(256, np.int64), np.empty(256, np.int32)
    used = 0
    for o in range(owners.size):
        a = owners[o]
        size_a = people.offsets[a + 1] - people.offsets[a]
        row_a = o if row_of[a] >= 0 else -1
        bar_a = bar(mine, row_a, digest.shift)
        fill_near(field, digest, a, scale)
        ready, found = False, 0
        for g in range(crowd.home.size):
            distance = np.int64(field.near[crowd.home[g]])
            for p in range(crowd.group[g], crowd.group[g + 1]):
                size_b = crowd.samples[p]
                if size_b < size_a:
                    break
                tally[0] += 1
                limit = max(bar_a * size_b, reach[p])
                bound = distance * crowd.at_home[p]
                if bound > limit:
                    continue
                b = crowd.member[p]
                if b == a:
                    continue
                row_b = row_of[b]
                if bound >= limit * (1 - 3 * SLACK) and not wanted(
                    bound << digest.shift, size_b, a, b, rank, mine, row_a, bars, row_b
                ):
                    continue
                tally[1] += 1
                bound = sites_bound(field.near, digest, b, limit)
                if bound > limit:
                    continue
                tally[2] += 1
                if not ready:
                    fill_profiles(field, digest, a, scale)
                    ready = True
                bound = cells_bound(field, digest, a, b, scale, bound, limit)
                if bound > limit:
                    continue
                tally[3] += 1
                found_b[found], found_bound[found] = b, bound
                found_key[found] = bound / size_b
                found += 1
        for f in np.argsort(found_key[:found]):
            b, bound = found_b[f], found_bound[f]
            size_b = np.int32(people.offsets[b + 1] - people.offsets[b])
            row_b = row_of[b]
            if not wanted(bound << digest.shift, size_b, a, b, rank, mine, row_a, bars, row_b):
                continue
            tally[4] += 1
            limit = bar(mine, row_a, digest.shift) * size_b
            if row_b >= 0:
                limit = max(limit, bar(bars, row_b, digest.shift) * size_b)
            limit = whole_limit(limit, digest.shift)
            total = exact(people, digest, field.near, a, b, scale, limit)
            if total > limit or not wanted(total, size_b, a, b, rank, mine, row_a, bars, row_b):
                continue
            if row_a >= 0:
                insert(mine, row_a, b, total, size_b, rank)
            if used == totals.size:
                pairs = np.concatenate((pairs, np.empty_like(pairs)))
                totals = np.concatenate((totals, np.empty_like(totals)))
                samples = np.concatenate((samples, np.empty_like(samples)))
            pairs[used, 0], pairs[used, 1] = a, b
            totals[used], samples[used] = total, size_b
            used += 1
    return pairs[:used], totals[:used], samples[:used]
