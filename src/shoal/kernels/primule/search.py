"""The nearest group of many, exactly: tiles of queries visit blocks of points, nearest boxes first.

For each query the nearest so far is kept, and a *bound*: every other group that was looked at, or passed over, has a
computed squared distance of at least that. Blocks, and points within them, are passed over where float32 says that they
are beyond the bound, with a margin for what float32 gets wrong.
"""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.primule.blocks import BLOCK
from shoal.kernels.primule.closer import is_nearer, slack, squared_distance

TILE = 32
"""Queries of a tile."""


@helper
def _reach(bound, cells, scale):  # type: ignore[no-untyped-def]
    """The float32 squared distance beyond which a true one is beyond the bound for certain, near ties included.

    Both coordinates are rounded to float32, and their difference is: the vector of differences is off by no more than
    ``sqrt(cells) * scale * 2^-22``. Squares and sums add a few 2^-24 of their value each.
    """
    if bound == np.inf:
        return np.float32(np.inf)
    off = math.sqrt(cells) * scale * 2.0**-22
    far = math.sqrt(bound + 4 * slack(bound, cells, scale)) + off
    return np.float32(far * far * (1 + (cells + 8) * 2.0**-22))


@kernel
def search(  # type: ignore[no-untyped-def]
    first, last, queries, nearest, distance, bound, ids, blocks, low, high, sums, sizes, points, plain, scale
):
    """Find the nearest group of some queries, among those of the blocks and those that are known already.

    Parameters
    ----------
    first, last
        Which queries: those that stand together should be neighbours.
    queries
        Groups; a group is no neighbour of its own.
    nearest, distance, bound
        For each query: the nearest known so far, or -1, with its squared distance, or infinity; and the bound. Written
        to.
    ids, blocks, low, high
        As in `Blocks`.
    sums, sizes, points, plain
        As in `Groups`.
    scale
        As everywhere.
    """
    cells, count = points.shape[1], low.shape[1]
    lanes = np.empty((cells, TILE), np.float32)
    reach, below = np.empty(TILE, np.float32), np.empty(TILE, np.float32)
    far = np.empty(count, np.float32)
    near = np.empty(BLOCK, np.float32)
    for start in range(first, last, TILE):
        stop = min(start + TILE, last)
        for lane in range(TILE):
            query = queries[min(start + lane, stop - 1)]
            for cell in range(cells):
                lanes[cell, lane] = points[query, cell]
            reach[lane] = _reach(bound[start + lane], cells, scale) if start + lane < stop else np.float32(-1)
        farthest = reach.max()
        far[:] = 0
        for cell in range(cells):
            least, most = lanes[cell].min(), lanes[cell].max()
            for block in range(count):
                off = max(low[cell, block] - most, least - high[cell, block], np.float32(0))
                far[block] += off * off
        for block in np.argsort(far):
            if far[block] > farthest:
                break
            below[:] = 0
            for cell in range(cells):
                least, most = low[cell, block], high[cell, block]
                for lane in range(TILE):
                    off = max(least - lanes[cell, lane], lanes[cell, lane] - most, np.float32(0))
                    below[lane] += off * off
            tightened = False
            for lane in range(stop - start):
                if below[lane] > reach[lane]:
                    continue
                near[:] = 0
                for cell in range(cells):
                    value = lanes[cell, lane]
                    for place in range(BLOCK):
                        off = blocks[block, cell, place] - value
                        near[place] += off * off
                limit, within = reach[lane], 0
                for place in range(BLOCK):
                    within += near[place] <= limit
                if within == 0:
                    continue
                at = start + lane
                query, before = queries[at], bound[at]
                for place in range(BLOCK):
                    group = ids[block * BLOCK + place]
                    if near[place] > reach[lane] or group < 0 or group == query or group == nearest[at]:
                        continue
                    d = squared_distance(points, query, group)
                    known = nearest[at]
                    if known < 0 or is_nearer(query, group, d, known, distance[at], sums, sizes, plain, scale):
                        bound[at] = min(bound[at], distance[at])
                        nearest[at], distance[at] = group, d
                    else:
                        bound[at] = min(bound[at], d)
                if bound[at] < before:
                    reach[lane] = _reach(bound[at], cells, scale)
                    tightened = True
            if tightened:
                farthest = reach.max()
