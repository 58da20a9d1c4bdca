"""Stretch and anatomy of given pairs of people.

`stretch_pairs` is the plain way to GLOVE (10), without bounds: every sample of the longer against every sample of the
shorter, as fast as the machine compares integers (only in fingerprints of more than `SCANNED_SAMPLES` it looks
around the sample's own time first). It is what the search for neighbours is measured against.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.kernels.common.content import compare_content
from shoal.kernels.common.jit import kernel
from shoal.kernels.common.people import People
from shoal.kernels.common.scale import Scale
from shoal.kernels.kgap.stretch import SCANNED_SAMPLES, match_samples, pair_sum


class Matches(NamedTuple):
    """Pair ``p`` has the entries ``offsets[p]:offsets[p + 1]``, one per sample of ``longer[p]`` in its order."""

    offsets: NDArray[np.int64]
    longer: NDArray[np.int32]
    """Whose samples the stretch averages (GLOVE (10): the one with more of them)."""
    best: NDArray[np.int32]
    """Index of the best match among the samples of the other."""
    space: NDArray[np.int32]
    """Spatial part ws phi_s of the sample stretch, in units of ``1 / scale.unit``."""
    time: NDArray[np.int32]
    """Temporal part wt phi_t likewise."""


@kernel
def sum_pairs(people, first, second, scale, total, longer):  # type: ignore[no-untyped-def]
    """The fingerprint stretch of each pair.

    Parameters
    ----------
    people, scale
        Packed, and what a cell costs.
    first, second
        The pairs.
    total, longer
        Written: as `stretch_pairs` returns them.
    """
    offsets, t, x, y = people
    scratch = np.empty((3, SCANNED_SAMPLES), t.dtype)
    no_floor = np.empty(0, np.int16)
    for p in range(first.size):
        a, b = np.int64(first[p]), np.int64(second[p])
        if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
            a, b = b, a
        forth, back = pair_sum(
            offsets, t, x, y, a, b, scale, np.int64(2**62), np.int64(-1), no_floor, no_floor, np.int64(0), scratch
        )
        b_plays = forth < back
        if forth == back:
            b_plays = offsets[a + 1] - offsets[a] < offsets[b + 1] - offsets[b] or compare_content(people, b, a) <= 0
        total[p], longer[p] = min(forth, back), b if b_plays else a


@kernel
def match_all(people, longer, shorter, starts, scale, best, space, time):  # type: ignore[no-untyped-def]
    """The matches of each pair.

    Parameters
    ----------
    people, scale
        Packed, and what a cell costs.
    longer, shorter
        The pairs.
    starts
        Where each pair's entries start; one more at the end.
    best, space, time
        Written: as in `Matches`.
    """
    offsets, t, x, y = people
    scratch = np.empty((3, SCANNED_SAMPLES), t.dtype)
    for p in range(longer.size):
        lo, hi = starts[p], starts[p + 1]
        a, b = np.int64(longer[p]), np.int64(shorter[p])
        match_samples(offsets, t, x, y, a, b, scale, best[lo:hi], space[lo:hi], time[lo:hi], scratch)


def as_people(indices: ArrayLike, people: People) -> NDArray[np.int32]:
    """Indices of people, checked: a kernel would read beyond the arrays."""
    checked = np.ascontiguousarray(indices, dtype=np.int32)
    if checked.ndim != 1 or (
        checked.size and not 0 <= int(checked.min()) <= int(checked.max()) < people.offsets.size - 1
    ):
        raise ValueError("indices of people form a flat array and lie between 0 and their number")
    return checked


def stretch_pairs(
    people: People, scale: Scale, first: ArrayLike, second: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Fingerprint stretch of each pair (GLOVE §4.2), on one core.

    Parameters
    ----------
    people, scale
        Packed, and what a cell costs.
    first, second
        Pair p is ``(first[p], second[p])``, indices of people.

    Returns
    -------
    total, longer
        Delta is ``total / (scale.unit * samples of longer)``. With equal cardinalities (GLOVE leaves them open) it is
        the smaller direction; of equal ones the person of smaller content plays the longer.
    """
    first, second = as_people(first, people), as_people(second, people)
    if first.size != second.size:
        raise ValueError("pairs need as many first as second people")
    total, longer = np.empty(first.size, np.int64), np.empty(first.size, np.int32)
    sum_pairs(people, first, second, scale, total, longer)
    return total, longer


def match_pairs(people: People, scale: Scale, first: ArrayLike, second: ArrayLike) -> Matches:
    """Best match and parts of the stretch, sample by sample, of each pair (anonymizability §4.3; GLOVE §5.3, §6.2).

    Ties in delta go to the least uncapped stretch, then to the least (t, x, y): they decide which part of a
    stretch counts as spatial, and later who is merged with whom.

    Parameters
    ----------
    people, scale, first, second
        As in `stretch_pairs`.
    """
    first, second = as_people(first, people), as_people(second, people)
    samples = np.diff(people.offsets)
    longer = np.where(samples[first] > samples[second], first, second)
    even = np.flatnonzero(samples[first] == samples[second])
    # Only among equals the stretch itself decides who plays the longer.
    longer[even] = stretch_pairs(people, scale, first[even], second[even])[1]
    shorter = np.where(longer == first, second, first)
    lengths = samples[longer]
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    matches = Matches(offsets, longer, *(np.empty(offsets[-1], np.int32) for _ in range(3)))
    match_all(people, longer, shorter, offsets, scale, matches.best, matches.space, matches.time)
    return matches
