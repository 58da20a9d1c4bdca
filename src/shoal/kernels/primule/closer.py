"""Which of two groups is nearer to a third, exactly.

Squared distances are rational: with sums S and sizes n that of q and g is ``sum((S_q n_g - S_g n_q)²) / (n_q n_g)²``.
They are computed in float64, cell by cell in order, with an error that `slack` bounds. Only where that is too coarse
to tell two of them apart, and not known to be none, whole numbers of 192 bits decide. Distances that are equal are
everywhere: whoever breaks such ties by rounding errors gets other groups.
"""

import math

import numpy as np

from shoal.kernels.common.jit import helper, kernel

_EPSILON = 2.0**-53
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ZERO, _ONE = np.uint64(0), np.uint64(1)

MOST_BITS = 127
"""Of ``cells * (scale * k * people)²``: what the exact comparison has room for."""


@helper
def slack(squared, cells, scale):  # type: ignore[no-untyped-def]
    """How far a computed squared distance may be from the true one, twice over.

    A coordinate is wrong by at most ``scale`` times 2^-53, a difference of two by thrice that: the vector of
    differences by ``sqrt(cells)`` times as much. Each square and each sum adds 2^-53 of its value.
    """
    off = 3 * _EPSILON * scale * math.sqrt(cells)
    return 2 * (off * (2 * math.sqrt(squared) + off) + (cells + 4) * 2 * _EPSILON * squared)


@kernel
def slacks(squared, cells, scale, found):  # type: ignore[no-untyped-def]
    """`slack` of many squared distances, written to ``found``."""
    for i in range(squared.size):
        found[i] = slack(squared[i], cells, scale)


@helper
def squared_distance(points, one, other):  # type: ignore[no-untyped-def]
    """The squared distance in float64, cell by cell in order."""
    total = 0.0
    for cell in range(points.shape[1]):
        off = points[one, cell] - points[other, cell]
        total += off * off
    return total


@helper
def is_nearer(query, one, d_one, other, d_other, sums, sizes, plain, scale):  # type: ignore[no-untyped-def]
    """Whether ``one`` comes before ``other`` for a query, by (squared distance, size, number).

    Parameters
    ----------
    query, one, other
        Groups.
    d_one, d_other
        Computed squared distances of the two.
    sums, sizes, plain
        As in `Groups`.
    scale
        As everywhere.
    """
    exact = plain[query] and plain[one] and plain[other]
    gap = 0.0 if exact else slack(max(d_one, d_other), sums.shape[1], scale)
    if abs(d_one - d_other) > gap:
        return d_one < d_other
    sign = 0 if exact else _compared(query, one, other, sums, sizes)
    if sign != 0:
        return sign < 0
    if sizes[one] != sizes[other]:
        return sizes[one] < sizes[other]
    return one < other


@helper
def _compared(query, one, other, sums, sizes):  # type: ignore[no-untyped-def]
    """-1, 0 or 1 as the first of two is nearer, equally far, or farther: in whole numbers."""
    high, low = _numerator(query, one, sums, sizes)
    size = np.uint64(sizes[other])
    a2, a1, a0 = _times(high, low, size * size)
    high, low = _numerator(query, other, sums, sizes)
    size = np.uint64(sizes[one])
    b2, b1, b0 = _times(high, low, size * size)
    if a2 != b2:
        return -1 if a2 < b2 else 1
    if a1 != b1:
        return -1 if a1 < b1 else 1
    if a0 != b0:
        return -1 if a0 < b0 else 1
    return 0


@helper
def _numerator(one, other, sums, sizes):  # type: ignore[no-untyped-def]
    """``sum((S_one n_other - S_other n_one)²)`` in two words."""
    high, low = _ZERO, _ZERO
    for cell in range(sums.shape[1]):
        off = np.uint64(abs(sums[one, cell] * sizes[other] - sums[other, cell] * sizes[one]))
        more_high, more_low = _product(off, off)
        low += more_low
        high += more_high + (_ONE if low < more_low else _ZERO)
    return high, low


@helper
def _product(a, b):  # type: ignore[no-untyped-def]
    """The product of two words, in two words."""
    a0, a1, b0, b1 = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    low, cross = a0 * b0, a0 * b1
    middle = a1 * b0 + (low >> _HALF)
    carry = middle >> _HALF
    middle = (middle & _LOW) + cross
    return a1 * b1 + carry + (middle >> _HALF), (middle << _HALF) | (low & _LOW)


@helper
def _times(high, low, factor):  # type: ignore[no-untyped-def]
    """Two words times one, in three words."""
    carry, last = _product(low, factor)
    first, middle = _product(high, factor)
    middle += carry
    return first + (_ONE if middle < carry else _ZERO), middle, last
