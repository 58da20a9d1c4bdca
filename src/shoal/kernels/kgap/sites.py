"""Sites, and people in the order of their homes.

A *site* is a square of whole cells that somebody visits: one cell wide where positions are few (antennas), wider
where they are many (GPS), so that tables over all sites stay small however far apart they lie. What a bound says
about a site holds for every sample there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel
from shoal.kernels.common.people import People, runs

MOST_SITES = 4096
"""Of all people together: keeps the fields of one person in megabytes."""

MOST_SITES_EACH = 128
"""Of one person, on average: building a person's field takes time in proportion."""


class Sites(NamedTuple):
    """Where the sites are, in their own units, and which one each sample is at."""

    width: int
    """Side of a site, in grid cells."""
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    of_sample: NDArray[np.int16]
    region: NDArray[np.int16]
    """Of every site: the square that it lies in, as wide as the cap in space."""


@kernel
def number_sites(x, y, width, most, of_sample, site_x, site_y):  # type: ignore[no-untyped-def]
    """Number the sites in the order of their first sample; returns how many, or -1 if more than ``most``.

    Parameters
    ----------
    x, y
        Of each sample.
    width
        Side of a site, in grid cells.
    most
        Sites there may be; a power of two.
    of_sample, site_x, site_y
        Written: site of each sample; where each site is, in units of its width.
    """
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
        of_sample[i] = slots[slot]
    return found


@kernel
def count_entries(offsets, of_sample, sites):  # type: ignore[no-untyped-def]
    """Distinct (person, site) pairs."""
    seen = np.full(sites, -1, np.int64)
    entries = 0
    for p in range(offsets.size - 1):
        for i in range(offsets[p], offsets[p + 1]):
            if seen[of_sample[i]] != p:
                seen[of_sample[i]] = p
                entries += 1
    return entries


@kernel
def find_homes(offsets, of_sample, sites, home):  # type: ignore[no-untyped-def]
    """The site with most of a person's samples; of several the one that was visited first.

    Parameters
    ----------
    offsets
        Of people.
    of_sample, sites
        Site of each sample; how many sites there are.
    home
        Written, per person.
    """
    seen, count = np.full(sites, -1, np.int64), np.zeros(sites, np.int64)
    for p in range(offsets.size - 1):
        for i in range(offsets[p], offsets[p + 1]):
            s = of_sample[i]
            if seen[s] != p:
                seen[s], count[s] = p, 0
            count[s] += 1
        best = of_sample[offsets[p]]
        for i in range(offsets[p] + 1, offsets[p + 1]):
            if count[of_sample[i]] > count[best]:
                best = of_sample[i]
        home[p] = best


def find_sites(people: People, space_cap: int) -> Sites:
    """Choose the narrowest sites that are few enough."""
    of_sample = np.empty(people.t.size, np.int16)
    x, y = np.empty(MOST_SITES, np.int32), np.empty(MOST_SITES, np.int32)
    most_entries = MOST_SITES_EACH * (people.offsets.size - 1)
    width = 1
    while True:
        sites = number_sites(people.x, people.y, width, MOST_SITES, of_sample, x, y)
        if sites >= 0 and count_entries(people.offsets, of_sample, sites) <= most_entries:
            break
        width *= 2
    x, y = x[:sites].copy(), y[:sites].copy()
    wide = max(1, space_cap // width)
    _, region = np.unique(np.stack((x // wide, y // wide)), axis=1, return_inverse=True)
    return Sites(width, x, y, of_sample, region.astype(np.int16))


def along_curve(x: NDArray[np.int32], y: NDArray[np.int32]) -> NDArray[np.int64]:
    """Place of every site along a Z-curve, on which what is near stays near, mostly."""
    code = np.zeros(x.size, np.uint64)
    for bit in range(31):
        for axis, v in enumerate((x, y)):
            code |= ((v.astype(np.uint64) >> np.uint64(bit)) & np.uint64(1)) << np.uint64(2 * bit + axis)
    place = np.empty(x.size, np.int64)
    place[np.argsort(code, kind="stable")] = np.arange(x.size)
    return place


def order_by_home(people: People, sites: Sites) -> NDArray[np.int64]:
    """People in the order of their homes along a curve; within a home those with most samples first."""
    home = np.empty(people.offsets.size - 1, np.int16)
    find_homes(people.offsets, sites.of_sample, sites.x.size, home)
    return np.lexsort((-np.diff(people.offsets), along_curve(sites.x, sites.y)[home]))


def rearrange(people: People, sites: Sites, order: NDArray[np.int64]) -> tuple[People, Sites]:
    """The same people in another order: who is looked at together must lie together in memory."""
    offsets, rows = runs(people.offsets[order], np.diff(people.offsets)[order])
    moved = People(offsets, people.t[rows], people.x[rows], people.y[rows])
    return moved, sites._replace(of_sample=sites.of_sample[rows])
