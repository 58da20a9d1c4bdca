"""Points in blocks of neighbours, with boxes around them: what a search can pass over as a whole.

A tree by halves puts points into an order in which neighbours stand together; every `BLOCK` of them in a row are a
block. The shape of the tree changes how long a search takes, and never what it finds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel
from shoal.kernels.primule.groups import Floats, Ints

BLOCK = 64
"""Points of a block."""


class Blocks(NamedTuple):
    """Some groups, block by block, in float32: coarse, for a filter.

    Attributes
    ----------
    ids
        Groups in order; the last block is filled up with -1.
    points
        ``points[block, cell, place]``; infinite where there is no group.
    low, high
        ``low[cell, block]``, ``high[cell, block]``: the box around each block.
    """

    ids: Ints
    points: NDArray[np.float32]
    low: NDArray[np.float32]
    high: NDArray[np.float32]


def ordered(points: Floats, ids: Ints) -> Ints:
    """Put groups into an order in which neighbours stand together."""
    order = ids.copy()
    _halve(points, order)
    return order


def blocks_of(points: Floats, order: Ints) -> Blocks:
    """Cut groups that stand in order into blocks."""
    cells, count = points.shape[1], -(-order.size // BLOCK)
    ids = np.full(count * BLOCK, -1)
    ids[: order.size] = order
    coarse = np.full((count * BLOCK, cells), np.inf, np.float32)
    coarse[: order.size] = points[order]
    by_block = coarse.reshape(count, BLOCK, cells).transpose(0, 2, 1)
    low = by_block.min(axis=2).T
    coarse[order.size :] = -np.inf
    high = by_block.max(axis=2).T
    coarse[order.size :] = np.inf
    return Blocks(ids, np.ascontiguousarray(by_block), np.ascontiguousarray(low), np.ascontiguousarray(high))


@kernel
def _halve(points, order):  # type: ignore[no-untyped-def]
    """Halve by the coordinate that varies most, again and again, down to blocks."""
    cells = points.shape[1]
    starts, stops = [0], [order.size]
    mean, spread = np.empty(cells), np.empty(cells)
    while len(starts) > 0:
        start, stop = starts.pop(), stops.pop()
        size = stop - start
        if size <= BLOCK:
            continue
        mean[:] = 0.0
        spread[:] = 0.0
        for i in range(start, stop):
            for cell in range(cells):
                mean[cell] += points[order[i], cell]
        for cell in range(cells):
            mean[cell] /= size
        for i in range(start, stop):
            for cell in range(cells):
                off = points[order[i], cell] - mean[cell]
                spread[cell] += off * off
        widest = np.argmax(spread)
        values = np.empty(size)
        for i in range(size):
            values[i] = points[order[start + i], widest]
        order[start:stop] = order[start:stop][np.argsort(values)]
        middle = start + (size // 2 + BLOCK - 1) // BLOCK * BLOCK
        starts.append(start)
        stops.append(middle)
        starts.append(middle)
        stops.append(stop)
