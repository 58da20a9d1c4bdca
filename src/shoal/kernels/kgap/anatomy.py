"""What a k-gap is made of: the sample stretches behind it, in space and in time (anonymizability §4.3; GLOVE §5.3).

How unequal they are is said by the Gini coefficient and the tail weight index (anonymizability §4.3.2). Both take
whole numbers sorted in ascending order; the unit does not matter, as both are ratios.
"""

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.common.sort import ascending

FIGURES = (
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

NORMAL_TAIL = 0.6744897501960817 / 2.3263478740408408
"""Of the normal distribution: (75 % quantile - median) / (99 % quantile - median)."""


@helper
def gini(ordered):  # type: ignore[no-untyped-def]
    """Gini coefficient; 0 where all are equal or zero, (N-1)/N where all but one are zero.

    The printed (6) has a wrong sign: 2 sum(i s_i) / (N sum(s)) - (N + 1) / N.
    """
    total, weighted = np.int64(0), 0.0
    for i in range(ordered.size):
        total += ordered[i]
        weighted += float(i + 1) * float(ordered[i])
    if total == 0:
        return 0.0
    n = ordered.size
    return max(0.0, 2.0 * weighted / (n * float(total)) - (n + 1.0) / n)


@helper
def quantile(ordered, per_cent):  # type: ignore[no-untyped-def]
    """Inverse of the empirical distribution function: the least value that so many per cent do not exceed."""
    return ordered[(per_cent * ordered.size + 99) // 100 - 1]


@helper
def tail_weight(ordered):  # type: ignore[no-untyped-def]
    """Tail weight index (7): 1 for the normal distribution, 1.6 exponential, 14 Pareto of shape 1."""
    middle = quantile(ordered, np.int64(50))
    return (
        quotient(float(quantile(ordered, np.int64(99)) - middle), float(quantile(ordered, np.int64(75)) - middle))
        * NORMAL_TAIL
    )


@helper
def quotient(above, below):  # type: ignore[no-untyped-def]
    """Divide; x/0 is infinite and 0/0 is 0."""
    if below == 0.0:
        return 0.0 if above == 0.0 else np.inf
    return above / below


@helper
def sum_of(values):  # type: ignore[no-untyped-def]
    """The sum, in 64 bits."""
    total = np.int64(0)
    for i in range(values.size):
        total += values[i]
    return total


@kernel
def anatomy(offsets, space, time, sizes, unit, out):  # type: ignore[no-untyped-def]
    """Take the k-gaps of people apart.

    Parts are means over the nearest of means over samples, so that they add up to the k-gap; ratio and dispersion pool
    all stretches.

    Parameters
    ----------
    offsets, space, time
        The sample stretches of pair p are ``space[offsets[p]:offsets[p + 1]]`` and ``time[…]``. Each person has as
        many pairs as the largest crowd has others, nearest first.
    sizes
        Crowd sizes k, ascending.
    unit
        Stretches are whole numbers of ``1 / unit``.
    out
        Written: ``out[row, i]`` are the `FIGURES` of a person and ``sizes[i]``.
    """
    width = sizes[-1] - 1
    for row in range(out.shape[0]):
        first, done = row * width, 0
        sum_space = sum_time = 0.0
        for i in range(sizes.size):
            for p in range(first + done, first + sizes[i] - 1):
                n = (offsets[p + 1] - offsets[p]) * unit
                sum_space += sum_of(space[offsets[p] : offsets[p + 1]]) / n
                sum_time += sum_of(time[offsets[p] : offsets[p + 1]]) / n
            done = sizes[i] - 1
            pooled = slice(offsets[first], offsets[first + done])
            ordered_space, ordered_time = ascending(space[pooled]), ascending(time[pooled])
            ordered_total = ascending(space[pooled] + time[pooled])
            out[row, i, 0] = sum_space / done
            out[row, i, 1] = sum_time / done
            out[row, i, 2] = quotient(float(sum_of(ordered_time)), float(sum_of(ordered_space)))
            out[row, i, 3] = gini(ordered_space)
            out[row, i, 4] = gini(ordered_time)
            out[row, i, 5] = gini(ordered_total)
            out[row, i, 6] = tail_weight(ordered_space)
            out[row, i, 7] = tail_weight(ordered_time)
            out[row, i, 8] = tail_weight(ordered_total)
