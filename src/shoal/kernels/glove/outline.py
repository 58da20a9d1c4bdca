"""Where the boxes of a group lie, in short: its distinct rectangles and how many boxes have each.

A group's bound in space is a sum over its rectangles instead of its boxes. Where there are too many different ones,
similar ones count as one: it keeps the latest start and the earliest end along each axis and the largest extent,
so that w (Ux + Uy) - n_a d_a - n_b d_b computed from them never exceeds the true value for any of its boxes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.common.scale import Scale
from shoal.kernels.glove.boxes import X0, X1, Y0, Y1, Arena
from shoal.kernels.kgap.digest import Digest
from shoal.kernels.kgap.sites import Sites

X_START, X_END, Y_START, Y_END, EXTENT, NUMBER = range(6)
"""Rows of ``Outlines.rectangles``."""

MOST = 64
"""Rectangles of a merged group."""


class Outlines(NamedTuple):
    """Rectangles of all groups, one group after the other, each with the most frequent first."""

    rectangles: NDArray[np.signedinteger]
    """Six rows, in the scaled coordinates and the type of the boxes."""
    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    """Number of rectangles."""
    sharp: NDArray[np.bool_]
    """Whether every rectangle is just that of its boxes, none counting as a similar one."""
    label: NDArray[np.int16]
    """Of each box of the arena: which of its group's rectangles it has."""


@kernel
def label_sites(offsets, of_sample, sites, start, entries, label):  # type: ignore[no-untyped-def]
    """Say of each raw sample which of its person's entries it belongs to.

    Parameters
    ----------
    offsets
        Of people.
    of_sample, sites
        Site of each sample; how many sites there are.
    start, entries
        As in `shoal.kernels.kgap.digest.Digest`.
    label
        Written, per sample.
    """
    place = np.zeros(sites, np.int16)
    for p in range(offsets.size - 1):
        for e in range(start[p], start[p + 1]):
            place[entries[e, 0]] = e - start[p]
        for i in range(offsets[p], offsets[p + 1]):
            label[i] = place[of_sample[i]]


def site_bounds(sites: Sites, scale: Scale, dtype: np.dtype[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Latest start and earliest end of a cell at each site, scaled: the first four rows of a rectangle."""
    low_x, low_y = sites.x.astype(np.int64) * sites.width, sites.y.astype(np.int64) * sites.width
    rows = (low_x + sites.width - 1, low_x + 1, low_y + sites.width - 1, low_y + 1)
    return (np.stack(rows) * scale.space_weight).astype(dtype)


def outlines_of_people(
    arena: Arena, offsets: NDArray[np.int64], sites: Sites, digest: Digest, scale: Scale, room: int
) -> Outlines:
    """Rectangles of raw people: the sites where they were.

    Parameters
    ----------
    arena
        Everybody as a group of one.
    offsets, sites, digest
        Of the same people.
    scale
        What a cell costs.
    room
        For so many rectangles more.
    """
    known = digest.entries.shape[0] - 1
    rectangles = np.empty((6, known + room), arena.boxes.dtype)
    rectangles[:4, :known] = site_bounds(sites, scale, arena.boxes.dtype)[:, digest.entries[:-1, 0]]
    rectangles[EXTENT, :known] = 2 * scale.space_weight
    rectangles[NUMBER, :known] = digest.entries[:-1, 1]
    label = np.empty(arena.boxes.shape[1], np.int16)
    label_sites(offsets, sites.of_sample, sites.x.size, digest.start, digest.entries, label)
    kinds = np.diff(digest.start).astype(np.int32)
    return Outlines(rectangles, digest.start[:-1].copy(), kinds, np.full(kinds.size, sites.width == 1), label)


@helper
def same_rectangle(keys, c, boxes, i, grain):  # type: ignore[no-untyped-def]
    """Whether box i has the rectangle of key c, in units of ``grain``."""
    return (
        keys[0, c] == boxes[X0, i] // grain
        and keys[1, c] == boxes[X1, i] // grain
        and keys[2, c] == boxes[Y0, i] // grain
        and keys[3, c] == boxes[Y1, i] // grain
    )


@maker
def outline(arena, g, outlines, cell):  # type: ignore[no-untyped-def]
    """Write the rectangles of group g, whose ``start`` is set and has room for min(boxes, MOST)."""
    boxes = arena.boxes
    first, last = arena.start[g], arena.start[g] + arena.length[g]
    keys = np.empty((4, MOST), boxes.dtype)
    found = np.empty((6, MOST), boxes.dtype)
    grain, used = boxes.dtype.type(cell), 0
    i = first
    while i < last:
        c = np.int64(0)
        while c < used and not same_rectangle(keys, c, boxes, i, grain):
            c += 1
        if c == MOST:  # too many: start again with what is similar taken together
            grain, used, i = boxes.dtype.type(2 * grain), 0, first
            continue
        extent = boxes[X1, i] - boxes[X0, i] + boxes[Y1, i] - boxes[Y0, i]
        if c == used:
            keys[0, c], keys[1, c] = boxes[X0, i] // grain, boxes[X1, i] // grain
            keys[2, c], keys[3, c] = boxes[Y0, i] // grain, boxes[Y1, i] // grain
            found[X_START, c], found[X_END, c] = boxes[X0, i], boxes[X1, i]
            found[Y_START, c], found[Y_END, c] = boxes[Y0, i], boxes[Y1, i]
            found[EXTENT, c], found[NUMBER, c] = extent, 0
            used += 1
        found[X_START, c], found[X_END, c] = max(found[X_START, c], boxes[X0, i]), min(found[X_END, c], boxes[X1, i])
        found[Y_START, c], found[Y_END, c] = max(found[Y_START, c], boxes[Y0, i]), min(found[Y_END, c], boxes[Y1, i])
        found[EXTENT, c] = max(found[EXTENT, c], extent)
        found[NUMBER, c] += 1
        outlines.label[i] = c
        i += 1
    order, place = np.empty(used, np.int64), np.empty(used, np.int64)
    for kind in range(used):  # the most frequent first; they are few
        p = kind
        while p > 0 and found[NUMBER, order[p - 1]] < found[NUMBER, kind]:
            order[p] = order[p - 1]
            p -= 1
        order[p] = kind
    out = outlines.start[g]
    for p in range(used):
        place[order[p]] = p
        for row in range(6):
            outlines.rectangles[row, out + p] = found[row, order[p]]
    for i in range(first, last):
        outlines.label[i] = place[outlines.label[i]]
    outlines.kinds[g], outlines.sharp[g] = used, grain == cell
