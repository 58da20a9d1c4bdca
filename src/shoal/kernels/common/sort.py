"""Sorting: numpy's own takes two seconds to compile, this a fraction, and it takes any order.

And a heap of keys, least first: cheaper than sorting where only the first few are looked at.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from shoal.kernels.common.jit import helper, maker


def sorter(no_later: Callable[..., bool]) -> Any:
    """A function ``(data, n)`` for kernels that gives the indices 0..n in order; a stable merge sort, bottom up.

    ``no_later(data, i, j)``, a helper, says whether i may stand before j.
    """

    @maker
    def in_order(data, n):  # type: ignore[no-untyped-def]
        source, target = np.arange(n), np.empty(n, np.int64)
        run = 1
        while run < n:
            for lo in range(0, n, 2 * run):
                middle, hi = min(lo + run, n), min(lo + 2 * run, n)
                i, j = lo, middle
                for out in range(lo, hi):
                    if j >= hi or (i < middle and no_later(data, source[i], source[j])):
                        target[out] = source[i]
                        i += 1
                    else:
                        target[out] = source[j]
                        j += 1
            source, target = target, source
            run *= 2
        return source

    return in_order


@helper
def no_larger(values, i, j):  # type: ignore[no-untyped-def]
    """Whether number i may stand before number j."""
    return values[i] <= values[j]


order_of_numbers = sorter(no_larger)


@maker
def ascending(values):  # type: ignore[no-untyped-def]
    """A sorted copy."""
    order, copy = order_of_numbers(values, values.size), np.empty(values.size, values.dtype)
    for i in range(order.size):
        copy[i] = values[order[i]]
    return copy


@helper
def sift_down(keys, order, root, size):  # type: ignore[no-untyped-def]
    """Let the entry at ``root`` sink until none below it in ``order[:size]`` has a lesser key."""
    entry = order[root]
    while True:
        child = 2 * root + 1
        if child + 1 < size and keys[order[child + 1]] < keys[order[child]]:
            child += 1
        if child >= size or keys[entry] <= keys[order[child]]:
            break
        order[root] = order[child]
        root = child
    order[root] = entry


@helper
def heapify(keys, order, size):  # type: ignore[no-untyped-def]
    """Fill ``order[:size]`` with the indices of ``keys[:size]`` as a heap."""
    for i in range(size):
        order[i] = i
    for root in range(size // 2 - 1, -1, -1):
        sift_down(keys, order, root, size)
