"""Sorting numbers: numpy's own sort takes two seconds to compile, this one a fraction."""

import numpy as np

from shoal.kernels.jit import helper


@helper
def ascending(values):  # type: ignore[no-untyped-def]
    """A sorted copy; a merge sort from the bottom up."""
    n = values.size
    source, target = np.empty(n, values.dtype), np.empty(n, values.dtype)
    for i in range(n):
        source[i] = values[i]
    run = 1
    while run < n:
        for lo in range(0, n, 2 * run):
            middle, hi = min(lo + run, n), min(lo + 2 * run, n)
            i, j = lo, middle
            for out in range(lo, hi):
                if j >= hi or (i < middle and source[i] <= source[j]):
                    target[out] = source[i]
                    i += 1
                else:
                    target[out] = source[j]
                    j += 1
        source, target = target, source
        run *= 2
    return source
