"""How often everybody was at which site, and in which time bins there."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel
from shoal.kernels.common.people import People
from shoal.kernels.common.scale import Scale
from shoal.kernels.kgap.sites import Sites

MOST_BINS = 2048
BINS_PER_CAP = 12
"""Narrow bins make sharp bounds, wide ones make few of them: 40 minutes, unless the data last for months."""

MOST_IN_CELL = 2**16 - 1
"""Samples that one cell can count; for more there is another cell of the same bin."""


class Digest(NamedTuple):
    """Person ``p`` has the entries ``start[p]:start[p + 1]``, one per site, most samples first."""

    start: NDArray[np.int64]
    entries: NDArray[np.int32]
    """Site, number of samples there, first of its cells; one more row at the end."""
    cells: NDArray[np.uint16]
    """Bin, number of samples in it; ascending by bin. Small, as the search reads them all the time."""
    ends: NDArray[np.int32]
    """Per cell the times of its first and its last sample."""
    when: NDArray[np.uint8]
    """Per person and bin the number of samples at the first site, the home, and elsewhere; or less, if it is large.

    Nobody is in it where people are seen in few of the bins: a look at their cells is quicker there.
    """


LANES = 64
"""Tables over bins are filled up to whole multiples of this: what is left over from registers takes its time."""

MOST_COUNTED = 2**16 - 1
"""Samples of one person that `Digest.when` counts, so that what is multiplied with it and added up fits 32 bits."""

OFTEN = 1 / 16
"""So many cells must people have in the mean for every bin of `Digest.when`, so that all of it is looked at."""


class Measures(NamedTuple):
    """What the bounds need to know of the sites, the bins and the cost of a cell."""

    width: int
    """Side of a site, in grid cells."""
    bin_width: int
    bins: int
    room: int
    """Bins and what tables are filled up with."""
    shift: int
    """Bounds are costs divided by ``2**shift``, rounded down, to fit 16 bits."""
    most_sites: int
    """Of one person."""
    space_cap: int
    time_cap: int
    space_weight: int
    time_weight: int


@kernel
def fill_digest(offsets, t, of_sample, sites, bin_width, start, entries, cells, ends):  # type: ignore[no-untyped-def]
    """Write the entries and cells of everybody; returns how many of either.

    Parameters
    ----------
    offsets, t
        Of people.
    of_sample, sites
        Site of each sample; how many sites there are.
    bin_width
        In grid cells.
    start, entries, cells, ends
        Written: as in `Digest`.
    """
    seen, place = np.full(sites, -1, np.int64), np.empty(sites, np.int64)
    longest = np.int64(0)
    for p in range(offsets.size - 1):
        longest = max(longest, offsets[p + 1] - offsets[p])
    times = np.empty(longest, np.int32)
    known, used = np.int64(0), np.int64(0)
    for p in range(offsets.size - 1):
        first, last = offsets[p], offsets[p + 1]
        start[p] = known
        for i in range(first, last):
            s = of_sample[i]
            if seen[s] != p:
                seen[s], place[s] = p, known
                entries[known, 0], entries[known, 1] = s, 0
                known += 1
            entries[place[s], 1] += 1
        for e in range(start[p] + 1, known):  # insertion sort, most samples first: the lists are short
            s, n, f = entries[e, 0], entries[e, 1], e
            while f > start[p] and entries[f - 1, 1] < n:
                entries[f, 0], entries[f, 1] = entries[f - 1, 0], entries[f - 1, 1]
                f -= 1
            entries[f, 0], entries[f, 1] = s, n
        end = 0
        for e in range(start[p], known):
            place[entries[e, 0]] = end
            end += entries[e, 1]
        for i in range(first, last):  # site by site, each in order of time
            times[place[of_sample[i]]] = t[i]
            place[of_sample[i]] += 1
        at = 0
        for e in range(start[p], known):
            entries[e, 2] = used
            for i in range(at, at + entries[e, 1]):
                b = times[i] // bin_width
                if i == at or cells[used - 1, 0] != b or cells[used - 1, 1] == MOST_IN_CELL:
                    cells[used, 0], cells[used, 1], ends[used, 0] = b, 0, times[i]
                    used += 1
                cells[used - 1, 1] += 1
                ends[used - 1, 1] = times[i]
            at += entries[e, 1]
    start[offsets.size - 1] = known
    entries[known, 2] = used
    return known, used


@kernel
def fill_when(start, entries, cells, when):  # type: ignore[no-untyped-def]
    """Count samples by bin, at home and elsewhere.

    Parameters
    ----------
    start, entries, cells, when
        As in `Digest`; the last is written.
    """
    for p in range(when.shape[0]):
        left = np.int64(MOST_COUNTED)
        for e in range(start[p], start[p + 1]):
            place = min(e - start[p], 1)
            for c in range(entries[e, 2], entries[e + 1, 2]):
                b = cells[c, 0]
                more = min(np.int64(cells[c, 1]), left, np.int64(255) - when[p, place, b])
                when[p, place, b] += more
                left -= more


def bins_of(people: People, scale: Scale) -> tuple[int, int]:
    """Choose how wide bins are; returns that and their number."""
    span = int(people.t.max()) + 1
    width = max(1, scale.time_cap // BINS_PER_CAP, -(-span // MOST_BINS))
    return width, -(-span // width)


def digest(people: People, sites: Sites, scale: Scale) -> tuple[Digest, Measures]:
    """Count everybody's samples in sites and bins."""
    samples = people.t.size
    bin_width, bins = bins_of(people, scale)
    start = np.empty(people.offsets.size, np.int64)
    # Room for the worst case: pages that are never written cost nothing.
    entries = np.empty((samples + 1, 3), np.int32)
    cells, ends = np.empty((samples, 2), np.uint16), np.empty((samples, 2), np.int32)
    known, used = fill_digest(
        people.offsets, people.t, sites.of_sample, sites.x.size, bin_width, start, entries, cells, ends
    )
    most_sites, shift = int(np.diff(start).max()), max(0, scale.unit.bit_length() - 15)
    room = -(-bins // LANES) * LANES
    counted = start.size - 1 if used >= OFTEN * room * (start.size - 1) else 0
    when = np.zeros((counted, 2, room), np.uint8)
    fill_when(start, entries, cells, when)
    return (
        Digest(start, entries[: known + 1], cells[:used], ends[:used], when),
        Measures(sites.width, bin_width, bins, room, shift, most_sites, *scale[:4]),
    )
