"""Marks in names: bits that tell who belongs together, or where somebody stood in the input.

Random names know nothing of each other. So any bit of one agrees with any bit of another half of the time, and no
piece of them rises or falls with a rank. What agrees more often than chance would once in a million times is a mark.
"""

import math

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.auditor.chance import SURE
from shoal.auditor.guesses import digits_of

Bytes = NDArray[np.uint8]
Signs = NDArray[np.float32]

_DIGIT = 4
_PIECE = 8
"""Digits of the pieces that are compared with ranks: 4 bytes."""


def told_by_others(raw: Bytes, belongs: Ints, rng: np.random.Generator) -> int:
    """Count bits and digits of names that tell something of the next name of those who belong together.

    Parameters
    ----------
    raw
        Names, 16 bytes each.
    belongs
        The group, or the person, of each name.
    rng
        Puts names of a group in a random order: theirs is no chance, they are sorted.
    """
    order = np.lexsort((rng.random(belongs.size), belongs))
    one = np.flatnonzero(belongs[order][1:] == belongs[order][:-1])
    first, second = order[one], order[one + 1]
    bits = _signs(np.unpackbits(raw, axis=1))
    found = _unlikely(bits[first].T @ bits[second], first.size)
    digits, agree = digits_of(raw), 0
    count = digits.shape[1]
    for i in range(count):
        same = (digits[first, i, None] == digits[second]).sum(axis=0)
        agree += int((_too_often(same, first.size) * count * count < SURE).sum())
    return found + agree


def told_by_rank(raw: Bytes, rank: Ints) -> int:
    """Count bits of names that follow a bit of a rank, and pieces of four bytes that rise or fall with it."""
    size = rank.size
    if size < 2:
        return 0
    width = max(int(rank.max()).bit_length(), 1)
    bits = _signs(np.unpackbits(raw, axis=1))
    found = 0
    for start in (0, 1):
        counted = _signs(((rank[:, None] + start) >> np.arange(width)) & 1)
        # A rank's own bits are not even, and need not be: those of names are.
        found += _unlikely(bits.T @ counted, size)
    digits = digits_of(raw).astype(np.float64)
    centred = rank - rank.mean()
    spread = math.sqrt(float((centred**2).sum()))
    pieces = digits.shape[1] - _PIECE + 1
    for i in range(pieces):
        value = digits[:, i : i + _PIECE] @ 16.0 ** -np.arange(_PIECE)
        value -= value.mean()
        scale = spread * math.sqrt(float((value**2).sum()))
        z = abs(float(value @ centred)) / scale * math.sqrt(size - 1) if scale else 0.0
        found += math.erfc(z / math.sqrt(2)) * pieces < SURE
    return found


def _signs(bits: NDArray[np.integer]) -> Signs:
    return (2 * bits.astype(np.int8) - 1).astype(np.float32)


def _unlikely(products: NDArray[np.float32], tosses: int) -> int:
    """Count sums of so many fair signs that are too far from nothing (Hoeffding)."""
    if not tosses:
        return 0
    likely = 2 * np.exp(-(products.astype(np.float64) ** 2) / (2 * tosses))
    return int((likely * products.size < SURE).sum())


def _too_often(same: Ints, tries: int) -> NDArray[np.float64]:
    """Bound the probability that digits agree so often (Chernoff): by chance they do once in sixteen times."""
    share, chance = same / max(tries, 1), 1 / 16
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.where(share > 0, share * np.log(share / chance), 0.0)
        less = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - chance)), 0.0)
    return np.where(share > chance, np.exp(-tries * (more + less)), 1.0)
