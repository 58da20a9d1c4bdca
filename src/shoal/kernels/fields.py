"""Lower bounds of the stretch to one person, as tables over sites and time bins.

For a person a, called the *owner* of the field:

- ``near[site]``: no sample at that site is nearer in space to any sample of a;
- ``row(site)[bin]``: no sample at that site in that bin has a smaller stretch to any sample of a.

Summed over the samples of a longer person b they bound the sum of GLOVE (10) from below, the second one more
sharply. Values are costs divided by ``2**shift`` and rounded down, in 16 bits.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class Field(NamedTuple):
    """Memory for the field of one owner at a time; rows are filled when first asked for."""

    near: NDArray[np.int16]
    profile: NDArray[np.int16]
    """Per site of the owner, the time from each bin to the owner's nearest sample there."""
    anywhere: NDArray[np.int16]
    """The least of all profiles."""
    rows: NDArray[np.int16]
    filled: NDArray[np.int64]
    """Owner for whom the row of a site is filled."""


@njit(cache=True, nogil=True)
def new_field(digest, owners):  # type: ignore[no-untyped-def]
    """Memory for the fields of these owners."""
    sites, most = digest.site_x.size, 1
    for a in owners:
        most = max(most, digest.start[a + 1] - digest.start[a])
    return Field(
        np.empty(sites, np.int16),
        np.empty((most, digest.bins), np.int16),
        np.empty(digest.bins, np.int16),
        np.empty((sites, digest.bins), np.int16),
        np.full(sites, -1, np.int64),
    )


@njit(cache=True, nogil=True)
def site_distance(digest, s, r, scale):  # type: ignore[no-untyped-def]
    """Bound of the spatial part between a sample at site s and one at site r."""
    width = np.int64(digest.width)
    gap_x = max(0, abs(np.int64(digest.site_x[s]) - digest.site_x[r]) * width - (width - 1))
    gap_y = max(0, abs(np.int64(digest.site_y[s]) - digest.site_y[r]) * width - (width - 1))
    return (scale.space_weight * min(gap_x + gap_y, scale.space_cap)) >> digest.shift


@njit(cache=True, nogil=True)
def fill_near(field, digest, a, scale):  # type: ignore[no-untyped-def]
    """Fill ``near`` for owner a."""
    width, cap, weight = np.int32(digest.width), np.int32(scale.space_cap), np.int32(scale.space_weight)
    slack, shift = np.int32(width - 1), np.int32(digest.shift)
    near = field.near
    near[:] = (scale.space_weight * scale.space_cap) >> digest.shift
    for e in range(digest.start[a], digest.start[a + 1]):
        at_x, at_y = digest.site_x[digest.site[e]], digest.site_y[digest.site[e]]
        for s in range(near.size):
            gap_x = np.int32(np.int32(np.int32(abs(np.int32(digest.site_x[s] - at_x))) * width) - slack)
            gap_y = np.int32(np.int32(np.int32(abs(np.int32(digest.site_y[s] - at_y))) * width) - slack)
            gap = np.int32(max(gap_x, np.int32(0)) + max(gap_y, np.int32(0)))
            near[s] = min(near[s], np.int16(np.int32(weight * min(gap, cap)) >> shift))


@njit(cache=True, nogil=True)
def fill_profiles(field, digest, a, scale):  # type: ignore[no-untyped-def]
    """Fill ``profile`` and ``anywhere`` for owner a: sweeps forward and backward over the bins."""
    width, bins = np.int64(digest.bin_width), digest.bins
    far = (scale.time_weight * scale.time_cap) >> digest.shift
    field.anywhere[:] = far
    first = digest.start[a]
    for e in range(first, digest.start[a + 1]):
        row = field.profile[e - first]
        row[:] = far
        for c in range(digest.cell[e], digest.cell[e + 1]):
            at = np.int64(digest.cell_bin[c])
            row[at] = 0
            # A bin later starts at width * b, after the cell's last sample; up to where the cap holds anyway.
            b = at + 1
            while b < bins:
                cost = (scale.time_weight * min(width * b - digest.cell_last[c], scale.time_cap)) >> digest.shift
                if cost >= row[b]:
                    break
                row[b] = cost
                b += 1
            b = at - 1
            while b >= 0:
                gap = digest.cell_first[c] - (width * (b + 1) - 1)
                cost = (scale.time_weight * min(gap, scale.time_cap)) >> digest.shift
                if cost >= row[b]:
                    break
                row[b] = cost
                b -= 1
        for b in range(bins):
            field.anywhere[b] = min(field.anywhere[b], row[b])


@njit(cache=True, nogil=True)
def fill_row(field, digest, a, s, scale):  # type: ignore[no-untyped-def]
    """Fill the row of site s for owner a."""
    far = (scale.space_weight * scale.space_cap) >> digest.shift
    row, first = field.rows[s], digest.start[a]
    for b in range(row.size):
        row[b] = np.int16(np.int16(far) + field.anywhere[b])
    for e in range(first, digest.start[a + 1]):
        distance = np.int16(site_distance(digest, s, digest.site[e], scale))
        if distance < far:
            profile = field.profile[e - first]
            for b in range(row.size):
                row[b] = min(row[b], np.int16(distance + profile[b]))
    field.filled[s] = a
