"""Whose boxes cover what: the boxes of each person in the order of time, and an index of all over time and place."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kte.draw import Drawing
from shoal.kernels.kte.lives import Lives

LEAST_SIDE = 8
"""Side of the index's smallest cells, in those of the grid."""

FINEST = 4096
"""Most of the smallest cells in one epoch."""


class Shown(NamedTuple):
    """Boxes of person p: rows ``at[p]:at[p + 1]``, in the order of time: t0, t1, x0, x1, y0, y1, ends included."""

    at: NDArray[np.int64]
    box: NDArray[np.int32]


class Index(NamedTuple):
    """Boxes by epoch, size and place: bucket b holds the rows ``start[b]:start[b + 1]`` of owners and boxes.

    Every epoch has the same buckets: on level l for cells of ``side << l`` from (x, y) on, ``columns[l] * lines[l]`` of
    them from ``level[l]`` on. A box lies on the first level whose cells are no smaller than itself, so in four at most.
    """

    start: NDArray[np.int64]
    owner: NDArray[np.int32]
    box: NDArray[np.int32]
    x: int
    y: int
    side: int
    level: NDArray[np.int64]
    lines: NDArray[np.int64]


def shown(drawing: Drawing, lives: Lives) -> Shown:
    """The boxes that are drawn, without the empty places between them."""
    places = np.flatnonzero(drawing.is_box)
    return Shown(np.searchsorted(places, lives.offsets), drawing.box[places])


@helper
def inside(box, t, x, y):  # type: ignore[no-untyped-def]
    """Whether a sample lies in a box."""
    return box[0] <= t <= box[1] and box[2] <= x <= box[3] and box[4] <= y <= box[5]


@helper
def first_not_before(boxes, p, t):  # type: ignore[no-untyped-def]
    """The first box of p that does not end before t, or the first of the next person."""
    low, high = boxes.at[p], boxes.at[p + 1]
    while low < high:
        middle = (low + high) // 2
        if boxes.box[middle, 1] < t:
            low = middle + 1
        else:
            high = middle
    return low


@helper
def covers(boxes, p, t, x, y):  # type: ignore[no-untyped-def]
    """Whether a box of p covers a sample."""
    row = first_not_before(boxes, p, t)
    return row < boxes.at[p + 1] and inside(boxes.box[row], t, x, y)


@helper
def covers_any(boxes, p, samples, lives):  # type: ignore[no-untyped-def]
    """Whether a box of p covers any of some samples, which are in the order of time."""
    row, end = boxes.at[p], boxes.at[p + 1]
    for s in samples:
        while row < end and boxes.box[row, 1] < lives.t[s]:
            row += 1
        if row < end and inside(boxes.box[row], lives.t[s], lives.x[s], lives.y[s]):
            return True
    return False


@helper
def bucket_of(index, epoch, level, column, line):  # type: ignore[no-untyped-def]
    """The bucket of a cell of the index."""
    return np.int64(epoch) * index.level[-1] + index.level[level] + column * index.lines[level] + line


@kernel
def fill_index(boxes, first, length, index):  # type: ignore[no-untyped-def]
    """Count the boxes of each bucket into ``start``, one place further; or fill them in, where there is room.

    Parameters
    ----------
    boxes
        All boxes.
    first, length
        First slot of the first epoch, slots of each.
    index
        Written. When boxes are filled in, ``start`` moves on by one bucket.
    """
    for p in range(boxes.at.size - 1):
        for row in range(boxes.at[p], boxes.at[p + 1]):
            box = boxes.box[row]
            epoch, level = (box[0] - first) // length, 0
            while index.side << level < max(box[3] - box[2], box[5] - box[4]):
                level += 1
            side = index.side << level
            for column in range((box[2] - index.x) // side, (box[3] - index.x) // side + 1):
                for line in range((box[4] - index.y) // side, (box[5] - index.y) // side + 1):
                    bucket = bucket_of(index, epoch, level, column, line)
                    if index.owner.size:
                        index.owner[index.start[bucket]] = p
                        index.box[index.start[bucket]] = box
                        index.start[bucket] += 1
                    else:
                        index.start[bucket + 1] += 1


def index_of(boxes: Shown, lives: Lives, first: int, length: int, epochs: int) -> Index:
    """Index all boxes; about as many buckets as boxes, however long the data and however wide the land."""
    x, y = int(lives.x.min()), int(lives.y.min())
    wide, high = int(lives.x.max()) - x + 1, int(lives.y.max()) - y + 1
    cells = max(1, min(FINEST, len(boxes.box) // epochs))
    side = max(LEAST_SIDE, int(np.ceil(np.sqrt(wide * high / cells))))
    levels = range(max(1, (max(wide, high) // side).bit_length() + 1))
    lines = np.array([-(-high // (side << level)) for level in levels])
    columns = np.array([-(-wide // (side << level)) for level in levels])
    level = np.concatenate(([0], np.cumsum(columns * lines)))
    start = np.zeros(epochs * level[-1] + 1, np.int64)
    for counted in (False, True):
        rows = int(start[-1]) if counted else 0
        owner, box = np.empty(rows, np.int32), np.empty((rows, 6), np.int32)
        index = Index(start, owner, box, x, y, side, level, lines)
        fill_index(boxes, first, length, index)
        if not counted:
            np.cumsum(start, out=start)
    start[1:] = start[:-1].copy()
    start[0] = 0
    return index
