"""Lower bounds of the stretch to one person, as tables over sites and time bins.

For a person a, called the *owner* of the field:

- ``near[site]``: no sample at that site is nearer in space to any sample of a;
- ``near_region[region]``: the same for all sites of a region;
- ``anywhere[bin]``: no sample in that bin is nearer in time to any sample of a;
- ``rows[site, bin]``: no sample at that site in that bin has a smaller stretch to any sample of a.

Summed over the samples of a longer person b they bound the sum of GLOVE (10) from below, each more sharply than
the one before. Values are costs divided by ``2**shift`` and rounded down, in 16 bits.

What runs once per pair takes bare arrays: to hand a tuple of arrays from one compiled function to the next costs
more than the work that most of them do.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker


class Field(NamedTuple):
    """Memory for the field of one owner after the other."""

    near: NDArray[np.int16]
    near_region: NDArray[np.int16]
    profiles: NDArray[np.int16]
    """Per site of the owner, the time from each bin to the nearest of the owner's samples there."""
    anywhere: NDArray[np.int16]
    """The time from each bin to the nearest of all the owner's samples."""
    rows: NDArray[np.int16]
    """In the order in which they are asked for: those of one owner lie together, and in the cache."""
    row_of: NDArray[np.int16]
    """Of each site its row, or -1: most are never asked for."""
    filled: NDArray[np.int64]
    """How many rows there are, its only entry."""


@maker
def new_field(sites, measures):  # type: ignore[no-untyped-def]
    """Memory that suffices for any owner; what is not used is not touched."""
    return Field(
        np.empty(sites, np.int16),
        np.empty(sites, np.int16),
        np.empty((measures.most_sites, measures.room), np.int16),
        np.empty(measures.room, np.int16),
        np.empty((sites, measures.room), np.int16),
        np.empty(sites, np.int16),
        np.zeros(1, np.int64),
    )


@helper
def fill_near(near, near_region, sites, owned, measures):  # type: ignore[no-untyped-def]
    """Fill ``near`` and ``near_region`` for the owner of the entries ``owned``.

    Every step is cast back to 32 bits: left to itself numba widens to 64 and the loop loses its SIMD lanes.
    """
    width, cap = np.int32(measures.width), np.int32(measures.space_cap)
    weight, shift = np.int32(measures.space_weight), np.int32(measures.shift)
    slack, zero = np.int32(width - 1), np.int32(0)
    x, y = sites.x, sites.y
    near[:] = (measures.space_weight * measures.space_cap) >> measures.shift
    for e in range(owned.shape[0]):
        at_x, at_y = x[owned[e, 0]], y[owned[e, 0]]
        for s in range(near.size):
            gap_x = np.int32(np.int32(np.int32(abs(np.int32(x[s] - at_x))) * width) - slack)
            gap_y = np.int32(np.int32(np.int32(abs(np.int32(y[s] - at_y))) * width) - slack)
            gap = np.int32(max(gap_x, zero) + max(gap_y, zero))
            near[s] = min(near[s], np.int16(np.int32(weight * min(gap, cap)) >> shift))
    near_region[:] = np.int16(32767)
    for s in range(near.size):
        near_region[sites.region[s]] = min(near_region[sites.region[s]], near[s])


@helper
def spread(profile, lo, hi, cells, ends, measures):  # type: ignore[no-untyped-def]
    """Time from each bin to the nearest of the samples in the cells lo..hi, from each cell outward.

    Equal costs do not end a cell's turn: rounded down they may hide that it is the nearer one farther out.
    """
    width, cap, weight = measures.bin_width, measures.time_cap, measures.time_weight
    far = (weight * cap) >> measures.shift
    profile[:] = far
    for c in range(lo, hi):
        at = np.int64(cells[c, 0])
        profile[at] = 0
        b, cost = at + 1, np.int64(0)
        while b < profile.size and cost < far:
            cost = (weight * min(width * b - ends[c, 1], cap)) >> measures.shift
            if cost > profile[b]:
                break
            profile[b] = cost
            b += 1
        b, cost = at - 1, np.int64(0)
        while b >= 0 and cost < far:
            cost = (weight * min(ends[c, 0] - (width * (b + 1) - 1), cap)) >> measures.shift
            if cost > profile[b]:
                break
            profile[b] = cost
            b -= 1


@helper
def fill_profiles(profiles, anywhere, owned, end_cell, digest, measures):  # type: ignore[no-untyped-def]
    """Fill the profiles of the owner of the entries ``owned``, by site and of all of them."""
    last = owned.shape[0] - 1
    spread(anywhere, owned[0, 2], end_cell, digest.cells, digest.ends, measures)
    for e in range(last + 1):
        end = owned[e + 1, 2] if e < last else end_cell
        spread(profiles[e], owned[e, 2], end, digest.cells, digest.ends, measures)


@helper
def forget_rows(row_of, filled):  # type: ignore[no-untyped-def]
    """There is no row yet."""
    row_of[:] = -1
    filled[0] = 0


@helper
def fill_rows(rows, row_of, filled, entries, lo, hi, sites, owned, profiles, anywhere, measures):  # type: ignore[no-untyped-def]
    """Fill the rows of the sites in the entries lo..hi, as far as they are not filled."""
    for e in range(lo, hi):
        s = entries[e, 0]
        if row_of[s] < 0:
            row_of[s] = filled[0]
            fill_row(rows[filled[0]], s, np.int16(0), sites, owned, profiles, anywhere, measures)
            filled[0] += 1


@helper
def fill_row(row, s, base, sites, owned, profiles, anywhere, measures):  # type: ignore[no-untyped-def]
    """Fill the row of site s: the nearest in space and time together, over the owner's sites; less ``base``."""
    width, cap = np.int64(measures.width), measures.space_cap
    far, x, y = np.int16((measures.space_weight * cap) >> measures.shift), sites.x, sites.y
    for b in range(row.size):
        row[b] = np.int16(np.int16(far - base) + anywhere[b])
    for e in range(owned.shape[0]):
        gap_x = abs(np.int64(x[s]) - x[owned[e, 0]]) * width - (width - 1)
        gap_y = abs(np.int64(y[s]) - y[owned[e, 0]]) * width - (width - 1)
        gap = min(max(gap_x, 0) + max(gap_y, 0), cap)
        distance = np.int16((measures.space_weight * gap) >> measures.shift)
        if distance < far:
            profile, more = profiles[e], np.int16(distance - base)
            for b in range(row.size):
                row[b] = min(row[b], np.int16(more + profile[b]))


@helper
def when_bound(when, row):  # type: ignore[no-untyped-def]
    """Sum over bins of samples times cost: many bins in one go, be there samples in them or not."""
    bound = np.int32(0)
    for b in range(when.size):
        bound = np.int32(bound + np.int32(np.int32(when[b]) * np.int32(row[b])))
    return np.int64(bound)


@helper
def sites_bound(near, entries, lo, hi, bound, limit):  # type: ignore[no-untyped-def]
    """Add to a bound what the distance of the sites in these entries gives; above limit if it is."""
    for e in range(lo, hi):
        bound += np.int64(entries[e, 1]) * np.int64(near[entries[e, 0]])
        if bound > limit:
            break
    return bound


@helper
def times_bound(anywhere, cells, lo, hi, limit):  # type: ignore[no-untyped-def]
    """Time from the samples in the cells lo..hi to the owner's, wherever these are; above limit if it is.

    Adds to any bound in space and needs no rows.
    """
    bound, most = np.int64(0), np.int64(min(limit, np.float64(2**62)))
    for c in range(np.uint64(lo), np.uint64(hi)):
        bound += np.int64(np.int32(cells[c, 1]) * np.int32(anywhere[cells[c, 0]]))
        if bound > most:
            break
    return bound


@helper
def cells_bound(near, rows, row_of, entries, cells, lo, hi, bound, limit):  # type: ignore[no-untyped-def]
    """Sharpen the bound over sites by the time bins at each site; above limit if it is.

    What the sites give is in ``bound`` from the start, and the cells add what they have beyond it: so it passes
    the limit as early as it can. Indices are unsigned, as numba would check each for being negative.
    """
    for e in range(lo, hi):
        s, more = np.uint32(entries[e, 0]), np.int64(0)
        base, row = np.int32(near[s]), np.uint32(row_of[s])
        for c in range(np.uint64(entries[e, 2]), np.uint64(entries[e + 1, 2])):
            more += np.int64(np.int32(cells[c, 1]) * np.int32(np.int32(rows[row, cells[c, 0]]) - base))
        bound += more
        if bound > limit:
            break
    return bound


@helper
def is_rare(anywhere, measures):  # type: ignore[no-untyped-def]
    """Whether the owner is so seldom seen that time alone keeps most samples of others away."""
    total = np.int64(0)
    for b in range(measures.bins):
        total += anywhere[b]
    return 2 * total > measures.bins * ((measures.time_weight * measures.time_cap) >> measures.shift)


@helper
def field_pays(measures, sites, owned_sites, size, entries, samples):  # type: ignore[no-untyped-def]
    """Whether to fill rows for so many entries costs less than the exact sums that they may spare.

    A value of a row takes about 0.08 ns per site of the owner; an exact sum 12 ns and 0.16 ns per sample of the
    owner, for each sample of the other.
    """
    return min(sites, entries) * measures.bins * owned_sites < samples * (150 + 2 * size)
