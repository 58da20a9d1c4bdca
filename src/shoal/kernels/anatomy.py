"""What a k-gap is made of: the sample stretches behind it, in space and in time (anonymizability §4.3; GLOVE §5.3)."""

import numpy as np

from shoal.kernels.dispersion import gini, quotient, tail_weight
from shoal.kernels.jit import helper, kernel
from shoal.kernels.sort import ascending

COLUMNS = (
    "spatial",
    "temporal",
    "ratio",
    "gini_spatial",
    "gini_temporal",
    "gini_total",
    "twi_spatial",
    "twi_temporal",
    "twi_total",
)


@helper
def whole(values):  # type: ignore[no-untyped-def]
    """The sum, in 64 bits."""
    total = np.int64(0)
    for i in range(values.size):
        total += values[i]
    return total


@kernel
def anatomy(offsets, space, time, sizes, unit, out):  # type: ignore[no-untyped-def]
    """Fill ``out[row, i]`` with `COLUMNS` for each person (row) and crowd size ``sizes[i]`` (ascending).

    The sample stretches of pair p, in whole numbers of ``1 / unit``, are ``space[offsets[p]:offsets[p + 1]]`` and
    ``time[…]``; each person has as many pairs as the largest crowd has others, nearest first. Parts are means over
    the nearest of means over samples, so that they add up to the k-gap; ratio and dispersion pool all stretches.
    """
    width = sizes[-1] - 1
    for row in range(out.shape[0]):
        first, done = row * width, 0
        sum_space = sum_time = 0.0
        for i in range(sizes.size):
            for p in range(first + done, first + sizes[i] - 1):
                n = (offsets[p + 1] - offsets[p]) * unit
                sum_space += whole(space[offsets[p] : offsets[p + 1]]) / n
                sum_time += whole(time[offsets[p] : offsets[p + 1]]) / n
            done = sizes[i] - 1
            pooled = slice(offsets[first], offsets[first + done])
            ordered_space, ordered_time = ascending(space[pooled]), ascending(time[pooled])
            ordered_total = ascending(space[pooled] + time[pooled])
            out[row, i, 0] = sum_space / done
            out[row, i, 1] = sum_time / done
            out[row, i, 2] = quotient(float(whole(ordered_time)), float(whole(ordered_space)))
            out[row, i, 3] = gini(ordered_space)
            out[row, i, 4] = gini(ordered_time)
            out[row, i, 5] = gini(ordered_total)
            out[row, i, 6] = tail_weight(ordered_space)
            out[row, i, 7] = tail_weight(ordered_time)
            out[row, i, 8] = tail_weight(ordered_total)
