"""Every person in short: how many samples at which site, and in which time bins there.

A *site* is a square of whole cells that somebody visits: one cell wide where positions are few (antennas), wider
where they are many (GPS), so that tables over all sites stay small however far apart they lie. A *bin* is a
stretch of time. What the bounds of `shoal.kernels.fields` say about a site or a bin holds for every sample in
it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.kernels.people import People
from shoal.kernels.scale import Scale

MOST_SITES = 4096
"""Of all people together: keeps the fields of one person in megabytes."""

MOST_SITES_EACH = 128
"""Of one person, on average: building a person's field takes time in proportion."""

MOST_BINS = 2048
BINS_PER_CAP = 12
"""Narrow bins make sharp bounds, wide ones make few of them: 40 minutes, unless the data last for months."""


class Digest(NamedTuple):
    """Sites and bins of everybody. Person ``p`` has the entries ``start[p]:start[p + 1]``, most samples first;
    entry ``e`` is a site with the cells ``cell[e]:cell[e + 1]``, in the order of their bins.
    """

    width: int
    """Side of a site, in grid cells."""
    bin_width: int
    bins: int
    shift: int
    """Bounds are costs divided by ``2**shift``, rounded down, to fit 16 bits."""
    site_x: NDArray[np.int32]
    site_y: NDArray[np.int32]
    sample_site: NDArray[np.int16]
    start: NDArray[np.int64]
    site: NDArray[np.int16]
    count: NDArray[np.int32]
    cell: NDArray[np.int64]
    cell_bin: NDArray[np.int16]
    cell_count: NDArray[np.int32]
    cell_first: NDArray[np.int32]
    """Time of the first sample in the cell, and of the last."""
    cell_last: NDArray[np.int32]


@njit(cache=True, nogil=True)
def find_sites(x, y, width, most, sample_site, site_x, site_y):  # type: ignore[no-untyped-def]
    """Number the sites in the order of their first sample; returns how many, or -1 if more than ``most``."""
    size = 4 * most  # a power of two; a quarter full at most, so that probing stays short
    slots = np.full(size, -1, np.int32)
    found = 0
    for i in range(x.size):
        at_x, at_y = np.int64(x[i]) // width, np.int64(y[i]) // width
        slot = ((at_x * 73856093) ^ (at_y * 19349663)) & (size - 1)
        while slots[slot] >= 0 and (site_x[slots[slot]] != at_x or site_y[slots[slot]] != at_y):
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            if found == most:
                return -1
            slots[slot] = found
            site_x[found], site_y[found] = at_x, at_y
            found += 1
        sample_site[i] = slots[slot]
    return found


@njit(cache=True, nogil=True)
def count_entries(offsets, sample_site, sites):  # type: ignore[no-untyped-def]
    """Distinct (person, site) pairs."""
    seen = np.full(sites, -1, np.int64)
    entries = 0
    for p in range(offsets.size - 1):
        for i in range(offsets[p], offsets[p + 1]):
            if seen[sample_site[i]] != p:
                seen[sample_site[i]] = p
                entries += 1
    return entries


@njit(cache=True, nogil=True)
def fill(offsets, t, sample_site, sites, bin_width, start, site, count, cell, cells):  # type: ignore[no-untyped-def]
    """Write the entries and cells of everybody; ``cells`` are the four cell arrays. Returns how many of either."""
    cell_bin, cell_count, cell_first, cell_last = cells
    seen, place = np.full(sites, -1, np.int64), np.empty(sites, np.int64)
    longest = 0
    for p in range(offsets.size - 1):
        longest = max(longest, offsets[p + 1] - offsets[p])
    times = np.empty(longest, t.dtype)
    entries, used = 0, 0
    for p in range(offsets.size - 1):
        first, last = offsets[p], offsets[p + 1]
        start[p] = entries
        for i in range(first, last):
            s = sample_site[i]
            if seen[s] != p:
                seen[s], place[s] = p, entries
                site[entries], count[entries] = s, 0
                entries += 1
            count[place[s]] += 1
        for e in range(start[p] + 1, entries):  # insertion sort by count, most first: lists are short
            s, n = site[e], count[e]
            f = e
            while f > start[p] and count[f - 1] < n:
                site[f], count[f] = site[f - 1], count[f - 1]
                f -= 1
            site[f], count[f] = s, n
        end = 0
        for e in range(start[p], entries):
            place[site[e]] = end
            end += count[e]
        for i in range(first, last):  # site by site, each in order of time
            times[place[sample_site[i]]] = t[i]
            place[sample_site[i]] += 1
        at = 0
        for e in range(start[p], entries):
            cell[e] = used
            for i in range(at, at + count[e]):
                b = times[i] // bin_width
                if i == at or cell_bin[used - 1] != b:
                    cell_bin[used], cell_count[used], cell_first[used] = b, 0, times[i]
                    used += 1
                cell_count[used - 1] += 1
                cell_last[used - 1] = times[i]
            at += count[e]
    start[offsets.size - 1] = entries
    cell[entries] = used
    return entries, used


def digest(people: People, scale: Scale) -> Digest:
    """Choose sites and bins for these people and count their samples in them."""
    samples, n = people.t.size, people.offsets.size - 1
    sample_site = np.empty(samples, np.int16)
    site_x, site_y = np.empty(MOST_SITES, np.int32), np.empty(MOST_SITES, np.int32)
    width = 1
    while True:
        sites = find_sites(people.x, people.y, width, MOST_SITES, sample_site, site_x, site_y)
        if sites >= 0 and count_entries(people.offsets, sample_site, sites) <= MOST_SITES_EACH * n:
            break
        width *= 2
    span = int(people.t.max()) + 1
    bin_width = max(1, scale.time_cap // BINS_PER_CAP, -(-span // MOST_BINS))
    # Room for the worst case: pages that are never written cost nothing.
    start, site, count = np.empty(n + 1, np.int64), np.empty(samples, np.int16), np.empty(samples, np.int32)
    cell = np.empty(samples + 1, np.int64)
    cells = (
        np.empty(samples, np.int16),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
    )
    entries, used = fill(people.offsets, people.t, sample_site, sites, bin_width, start, site, count, cell, cells)
    return Digest(
        width,
        bin_width,
        -(-span // bin_width),
        max(0, scale.unit.bit_length() - 15),
        site_x[:sites].copy(),
        site_y[:sites].copy(),
        sample_site,
        start,
        site[:entries],
        count[:entries],
        cell[: entries + 1],
        *(v[:used] for v in cells),
    )
