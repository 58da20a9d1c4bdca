"""Lower bounds of the stretch between a group and raw people, as tables over sites and time bins.

The owner of the field is a group, raw or merged, of n people; a raw person weighs 1, so w = n + 1. As in
`shoal.kernels.kgap.fields`, with boxes instead of samples: what a sample pays to grow to the size of a box counts too.
Values are costs times w, divided by ``2**shift`` and rounded down, in 16 bits.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker
from shoal.kernels.glove.boxes import T0, T1
from shoal.kernels.glove.outline import EXTENT, X_END, X_START, Y_END, Y_START


class Ground(NamedTuple):
    """Sites and bins of the raw people, and what a cell costs."""

    sites: NDArray[np.signedinteger]
    """Latest start and earliest end per site, scaled."""
    start: NDArray[np.int64]
    entries: NDArray[np.int32]
    cells: NDArray[np.uint16]
    bin_width: int
    """Scaled, as all that follows."""
    bins: int
    cell_space: int
    cell_time: int
    half: int


class GroupField(NamedTuple):
    """The tables of one owner."""

    distance: NDArray[np.int16]
    """Per site: stretch in space of a sample there to the nearest rectangle."""
    table: NDArray[np.int16]
    """Per site and rectangle."""
    main: NDArray[np.int16]
    """Per site: to the most frequent rectangle."""
    profiles: NDArray[np.int16]
    """Per rectangle and bin: stretch in time to the nearest box with that rectangle."""
    anywhere: NDArray[np.int16]
    """Per bin: the least of all rectangles."""
    rows: NDArray[np.int16]
    """Per site and bin: both together; filled when first needed."""
    filled: NDArray[np.int64]
    """Per site: the last owner that its row was filled for; the last place: the same for the profiles."""
    histogram: NDArray[np.int16]
    """Boxes of a raw owner per bin."""
    nearest: NDArray[np.int16]
    """Per rectangle: stretch in space to the nearest site of one person."""


@maker
def new_group_field(sites, bins, rectangles):  # type: ignore[no-untyped-def]
    """Room for owners with so many rectangles at most."""
    return GroupField(
        np.empty(sites, np.int16),
        np.empty((sites, rectangles), np.int16),
        np.empty(sites, np.int16),
        np.empty((rectangles, bins), np.int16),
        np.empty(bins, np.int16),
        np.empty((sites, bins), np.int16),
        np.full(sites + 1, -1, np.int64),
        np.empty(bins, np.int16),
        np.empty(rectangles, np.int16),
    )


@helper
def fill_space(field, ground, outlines, target, n, shift):  # type: ignore[no-untyped-def]
    """Fill ``table``, ``main`` and ``distance`` for the group ``target`` of n people."""
    sites, rectangles = ground.sites, outlines.rectangles
    narrow = sites.dtype.type
    lo = outlines.start[target]
    hi = lo + outlines.kinds[target]
    x0, x1, extent = rectangles[X_START, lo:hi], rectangles[X_END, lo:hi], rectangles[EXTENT, lo:hi]
    y0, y1 = rectangles[Y_START, lo:hi], rectangles[Y_END, lo:hi]
    w, zero, own = narrow(n + 1), narrow(0), narrow(2 * ground.cell_space)
    cap = narrow(w * narrow(ground.half))
    for s in range(field.distance.size):
        at_x0, at_x1, at_y0, at_y1 = sites[X_START, s], sites[X_END, s], sites[Y_START, s], sites[Y_END, s]
        row = field.table[s]
        best = cap
        for e in range(x0.size):
            in_x = narrow(max(x1[e], at_x1) - min(x0[e], at_x0))
            in_y = narrow(max(y1[e], at_y1) - min(y0[e], at_y0))
            cost = narrow(narrow(narrow(w * narrow(in_x + in_y)) - narrow(narrow(n) * extent[e])) - own)
            cost = min(max(cost, zero), cap)
            row[e] = np.int16(cost >> narrow(shift))
            best = min(best, cost)
        field.distance[s], field.main[s] = np.int16(best >> narrow(shift)), row[0]


@helper
def fill_time(field, ground, arena, outlines, target, n, shift):  # type: ignore[no-untyped-def]
    """Fill ``profiles`` and ``anywhere`` for the group ``target`` of n people."""
    profiles, anywhere = field.profiles, field.anywhere
    boxes, first = arena.boxes, arena.start[target]
    w, width, cell = np.int64(n + 1), np.int64(ground.bin_width), np.int64(ground.cell_time)
    cap = w * ground.half
    far = np.int16(cap >> shift)
    anywhere[:] = far
    for e in range(outlines.kinds[target]):
        profiles[e, :] = far
    for i in range(first, first + arena.length[target]):
        start, end = np.int64(boxes[T0, i]), np.int64(boxes[T1, i])
        inside = (end - start) - cell  # w (end - start) - n (end - start) - cell
        reach = (cap - inside) // w
        if reach <= 0:
            continue
        profile = profiles[outlines.label[i]]
        low = max((start - reach) // width - 1, np.int64(0))
        high = min((end + reach) // width + 1, np.int64(ground.bins))
        for b in range(low, high):
            union = max(end, b * width + cell) - min(start, (b + 1) * width - cell)
            cost = min(w * union - n * (end - start) - cell, cap)
            profile[b] = min(profile[b], np.int16(cost >> shift))
    for e in range(outlines.kinds[target]):
        profile = profiles[e]
        for b in range(anywhere.size):
            anywhere[b] = min(anywhere[b], profile[b])


@helper
def fill_site_row(row, distances, profiles, anywhere, far):  # type: ignore[no-untyped-def]
    """The field at one site: the nearest in space and time together."""
    for b in range(row.size):
        row[b] = np.int16(far + anywhere[b])
    for e in range(distances.size):
        distance = distances[e]
        if distance < far:
            profile = profiles[e]
            for b in range(row.size):
                row[b] = min(row[b], np.int16(distance + profile[b]))
