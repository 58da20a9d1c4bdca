"""How unequal sample stretches are: Gini coefficient and tail weight index (anonymizability §4.3.2).

Both take whole numbers sorted in ascending order; the unit does not matter, as both are ratios.
"""

import numpy as np

from shoal.kernels.jit import helper

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
