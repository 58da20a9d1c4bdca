"""A k-d tree over people of one class, searched for those nearest by taxicab who were not met before.

General trees (scipy's) give the nearest, met or not. Whoever is near today was near yesterday, and after some days all
of the nearest are met: so the search itself passes them over.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kte.cover import covers_any
from shoal.kernels.kte.used import is_used

LEAF = 8
"""Most points of a leaf."""

DEEPEST = 64
"""Levels that a search has room for; twice as many people with each."""


class Tree(NamedTuple):
    """Node v holds ``order[low[v]:high[v]]``; its children are 2 v and 2 v + 1, the root is 1; boxes hold points."""

    points: NDArray[np.float32]
    order: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    least: NDArray[np.float32]
    most: NDArray[np.float32]


@helper
def split(points, axis, order, low, high, middle):  # type: ignore[no-untyped-def]
    """Sort ``order[low:high]`` along an axis just so far that nothing before the middle is beyond what follows."""
    high -= 1
    while low < high:
        pivot = points[order[(low + high) // 2], axis]
        i, j = low, high
        while i <= j:
            while points[order[i], axis] < pivot:
                i += 1
            while points[order[j], axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel
def build_tree(points):  # type: ignore[no-untyped-def]
    """The tree over the rows of points, of which there is at least one."""
    n, axes = points.shape
    inner = 1
    while n > inner * LEAF:
        inner *= 2
    order = np.arange(n).astype(np.int32)
    low, high = np.zeros(2 * inner, np.int64), np.zeros(2 * inner, np.int64)
    least, most = np.empty((2 * inner, axes), np.float32), np.empty((2 * inner, axes), np.float32)
    high[1] = n
    for v in range(1, 2 * inner):
        widest, width = 0, np.float32(-1)
        for axis in range(axes):
            a = b = points[order[low[v]], axis]
            for i in range(low[v] + 1, high[v]):
                a, b = min(a, points[order[i], axis]), max(b, points[order[i], axis])
            least[v, axis], most[v, axis] = a, b
            if b - a > width:
                widest, width = axis, b - a
        if v < inner:
            middle = (low[v] + high[v]) // 2
            split(points, widest, order, low[v], high[v], middle)
            low[2 * v], high[2 * v] = low[v], middle
            low[2 * v + 1], high[2 * v + 1] = middle, high[v]
    return Tree(points, order, low, high, least, most)


@helper
def outside(tree, v, point):  # type: ignore[no-untyped-def]
    """Taxicab distance from a point to the box of a node."""
    total = np.float32(0)
    for axis in range(point.size):
        total += max(tree.least[v, axis] - point[axis], point[axis] - tree.most[v, axis], np.float32(0))
    return total


@helper
def nearest_unused(tree, people, person, point, used, avoid, lives, found, distance, stack):  # type: ignore[no-untyped-def]
    """The nearest people with whom a person is in no pair so far; returns how many there are, ``found.size`` at most.

    Parameters
    ----------
    tree, people
        Points, and whose each is.
    person, point
        Who asks, and their point.
    used
        Pairs.
    avoid, lives
        Boxes, samples that whoever is found must not cover, and all samples.
    found, distance
        Written: their numbers in the tree, nearest first, and how far they are.
    stack
        Scratch of `DEEPEST` numbers.
    """
    count, depth, inner = 0, 1, tree.low.size // 2
    stack[0] = 1
    while depth:
        depth -= 1
        v = stack[depth]
        if count == found.size and outside(tree, v, point) >= distance[count - 1]:
            continue
        if v < inner:
            near, far = 2 * v, 2 * v + 1
            if outside(tree, far, point) < outside(tree, near, point):
                near, far = far, near
            stack[depth], stack[depth + 1] = far, near
            depth += 2
            continue
        for i in range(tree.low[v], tree.high[v]):
            q = tree.order[i]
            apart = np.float32(0)
            for axis in range(point.size):
                apart += abs(tree.points[q, axis] - point[axis])
            if count == found.size and apart >= distance[count - 1]:
                continue
            if people[q] == person or is_used(used, people[q], person):
                continue
            if avoid[1].size and covers_any(avoid[0], people[q], avoid[1], lives):
                continue
            place = count if count < found.size else count - 1
            count = place + 1
            while place > 0 and distance[place - 1] > apart:
                found[place], distance[place] = found[place - 1], distance[place - 1]
                place -= 1
            found[place], distance[place] = q, apart
    return count
