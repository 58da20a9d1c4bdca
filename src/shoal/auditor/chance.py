"""How likely chance is to look like a leak. Statistical checks fail only where it is next to impossible."""

import math

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints

SURE = 1e-6
"""A check that rests on chance fails below this probability only."""


def poisson_tail(observed: int, mean: float) -> float:
    """Bound the probability that a Poisson count reaches what was observed: its first term and a geometric rest.

    >>> poisson_tail(0, 3.0), poisson_tail(20, 1.0) < 1e-15, poisson_tail(1, 1e-9) < 1.1e-9
    (1.0, True, True)
    """
    if observed <= mean:
        return 1.0
    if mean <= 0:
        return 0.0
    first = math.exp(-mean + observed * math.log(mean) - math.lgamma(observed + 1))
    return min(1.0, first / (1 - mean / (observed + 1)))


def coin_tail(heads: int, tosses: int) -> float:
    """Bound the probability that a fair coin deviates so far from one half, either way (Hoeffding).

    >>> coin_tail(40, 40) < 1e-8, coin_tail(5, 10)
    (True, 1.0)
    """
    if not tosses:
        return 1.0
    return min(1.0, 2 * math.exp(-2 * (heads - tosses / 2) ** 2 / tosses))


def binomial_tail(observed: int, tries: int, chance: float) -> float:
    """Return the probability that so many tries succeed at least as often as was observed.

    >>> binomial_tail(0, 5, 0.1), round(binomial_tail(2, 2, 0.5), 6)
    (1.0, 0.25)
    """
    counts = range(observed, tries + 1)
    terms = [math.comb(tries, count) * chance**count * (1 - chance) ** (tries - count) for count in counts]
    return min(1.0, math.fsum(terms))


def mean_tail(mean: float, expected: float, count: int) -> float:
    """Bound the probability that a mean of so many independent shares exceeds what is expected so far (Hoeffding).

    >>> mean_tail(0.59, 0.5, 1000) < 1e-6, mean_tail(0.59, 0.5, 100) < 1e-6, mean_tail(0.4, 0.5, 1000)
    (True, False, 1.0)
    """
    return math.exp(-2 * count * (mean - expected) ** 2) if mean > expected else 1.0


def mean_within(count: int) -> float:
    """How far, next to certainly, a mean of so many independent shares lies from what it estimates.

    >>> round(mean_within(10_000), 4)
    0.0263
    """
    return math.sqrt(-math.log(SURE) / (2 * max(count, 1)))


def ks(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Bound the chance that uniform values, of which each is known to lie between two, are so far from even.

    >>> even = (np.arange(1000) + 0.5) / 1000
    >>> ks(even, even) > 0.9, ks(even / 2, even / 2) < 1e-6, ks(even - 0.3, even + 0.3) > 0.9
    (True, True, True)
    """
    n = low.size
    if not n:
        return 1.0
    rank = np.arange(n)
    above = float(((rank + 1) / n - high).max())
    below = float((low - rank / n).max())
    return min(1.0, 2 * math.exp(-2 * n * max(above, below, 0.0) ** 2))


def kendall(ranks: Ints) -> tuple[float, float]:
    """Return Kendall's tau of a permutation of 0 … n-1 against its positions, and its two-sided p (normal).

    >>> kendall(np.arange(50))[0], kendall(np.arange(50))[1] < 1e-20
    (1.0, True)
    >>> round(kendall(np.array([2, 0, 1, 3]))[0], 3)
    0.333
    """
    n = ranks.size
    if n < 2:
        return 0.0, 1.0
    pairs = n * (n - 1) / 2
    tau = 1 - 2 * _inversions(ranks) / pairs
    z = 3 * tau * math.sqrt(n * (n - 1)) / math.sqrt(2 * (2 * n + 5))
    return tau, math.erfc(abs(z) / math.sqrt(2))


def _inversions(ranks: Ints) -> int:
    """Count pairs in the wrong order, bit by bit from the highest.

    Ranks that agree in all higher bits stand together, in the order of their positions; among them each one with a
    zero bit is out of order with those before it whose bit is one.
    """
    total = 0
    order = ranks.astype(np.int64)
    for bit in reversed(range(int(ranks.size - 1).bit_length())):
        ones = order >> bit & 1
        before = np.concatenate(([0], np.cumsum(ones)))
        block = order >> (bit + 1)
        first = np.flatnonzero(np.concatenate(([True], block[1:] != block[:-1])))
        start = np.repeat(first, np.diff(np.concatenate((first, [order.size]))))
        total += int(((before[:-1] - before[start]) * (1 - ones)).sum())
        order = order[np.argsort(order >> bit, kind="stable")]
    return total
