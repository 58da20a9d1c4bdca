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
    filled: NDArray[np.int64]
    """The owner for whom the row of a site was filled: most rows are never asked for."""


@maker
def new_field(sites, measures):  # type: ignore[no-untyped-def]
    """Memory that suffices for any owner; what is not used is not touched."""
    filled = np.empty(sites, np.int64)
    filled[:] = -1
    return Field(
        np.empty(sites, np.int16),
        np.empty(sites, np.int16),
        np.empty((measures.most_sites, measures.bins), np.int16),
        np.empty(measures.bins, np.int16),
        np.empty((sites, measures.bins), np.int16),
        filled,
    )


@helper
def fill_near(field, sites, owned, measures):  # type: ignore[no-untyped-def]
    """Fill ``near`` and ``near_region`` for the owner of the entries ``owned``.

    Every step is cast back to 32 bits: left to itself numba widens to 64 and the loop loses its SIMD lanes.
    """
    width, cap = np.int32(measures.width), np.int32(measures.space_cap)
    weight, shift = np.int32(measures.space_weight), np.int32(measures.shift)
    slack, zero = np.int32(width - 1), np.int32(0)
    near, near_region, x, y = field.near, field.near_region, sites.x, sites.y
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
def fill_profiles(profiles, owned, end_cell, digest, measures):  # type: ignore[no-untyped-def]
    """Fill the profiles of the owner of the entries ``owned``."""
    last = owned.shape[0] - 1
    for e in range(last + 1):
        spread(profiles[e], owned[e, 2], owned[e + 1, 2] if e < last else end_cell, digest.cells, digest.ends, measures)


@helper
def fill_row(field, s, sites, owned, measures):  # type: ignore[no-untyped-def]
    """Fill the row of site s: the nearest in space and time together, over the owner's sites."""
    width, cap = np.int64(measures.width), measures.space_cap
    far = np.int16((measures.space_weight * cap) >> measures.shift)
    row, anywhere, x, y = field.rows[s], field.anywhere, sites.x, sites.y
    for b in range(row.size):
        row[b] = np.int16(far + anywhere[b])
    for e in range(owned.shape[0]):
        gap_x = abs(np.int64(x[s]) - x[owned[e, 0]]) * width - (width - 1)
        gap_y = abs(np.int64(y[s]) - y[owned[e, 0]]) * width - (width - 1)
        gap = min(max(gap_x, 0) + max(gap_y, 0), cap)
        distance = np.int16((measures.space_weight * gap) >> measures.shift)
        if distance < far:
            profile = field.profiles[e]
            for b in range(row.size):
                row[b] = min(row[b], np.int16(distance + profile[b]))


@helper
def sites_bound(near, entries, lo, hi, limit):  # type: ignore[no-untyped-def]
    """Bound for the person of these entries by the distance of its sites; above limit if it is."""
    bound = np.int64(0)
    for e in range(lo, hi):
        bound += np.int64(entries[e, 1]) * np.int64(near[entries[e, 0]])
        if bound > limit:
            break
    return bound


@helper
def times_bound(anywhere, cells, lo, hi, limit):  # type: ignore[no-untyped-def]
    """Time from the samples in the cells lo..hi to the owner's, wherever these are; above limit if it is.

    Adds to any bound in space and needs no rows: sharp where people are seen a few times a month, of no use where
    it is many times a day.
    """
    bound = np.int64(0)
    for c in range(np.uint64(lo), np.uint64(hi)):
        bound += np.int64(cells[c, 1]) * np.int64(anywhere[cells[c, 0]])
        if bound > limit:
            break
    return bound


@helper
def cells_bound(near, rows, entries, cells, lo, hi, bound, limit):  # type: ignore[no-untyped-def]
    """Sharpen the bound over sites by the time bins at each site; above limit if it is.

    What the sites give is in ``bound`` from the start, and the cells add what they have beyond it: so it passes
    the limit as early as it can. Indices are unsigned, as numba would check each for being negative.
    """
    for e in range(lo, hi):
        s, more = np.uint32(entries[e, 0]), np.int64(0)
        base = np.int32(near[s])
        for c in range(np.uint64(entries[e, 2]), np.uint64(entries[e + 1, 2])):
            more += np.int64(np.int32(cells[c, 1]) * np.int32(np.int32(rows[s, cells[c, 0]]) - base))
        bound += more
        if bound > limit:
            break
    return bound


@helper
def is_rare(anywhere, measures):  # type: ignore[no-untyped-def]
    """Whether the owner is so seldom seen that time alone keeps most samples of others away."""
    total = np.int64(0)
    for b in range(anywhere.size):
        total += anywhere[b]
    return 2 * total > anywhere.size * ((measures.time_weight * measures.time_cap) >> measures.shift)


@helper
def field_pays(measures, sites, owned_sites, size, entries, samples):  # type: ignore[no-untyped-def]
    """Whether to fill rows for so many entries costs less than the exact sums that they may spare.

    A value of a row takes about 0.08 ns per site of the owner; an exact sum 12 ns and 0.16 ns per sample of the
    owner, for each sample of the other.
    """
    return min(sites, entries) * measures.bins * owned_sites < samples * (150 + 2 * size)
