"""Discrete Laplace noise for whole numbers, exact: as often as the law says, and not only nearly as often.

What is computed with floats, `numpy.random.laplace` for instance, leaves gaps between the values that noise can take,
and those tell what it was added to (Mironov 2012). So a uniform number is drawn digit by digit and compared with the
borders of the law. Its first 64 binary digits nearly always tell; where they do not, further ones are drawn.
"""

import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.mechanisms.laplace.law import NoiseLaw

Counts = NDArray[np.int32]
Words = NDArray[np.uint64]
Source = Callable[[int], Words]
Told = Callable[[int, int], None]

WORD_BITS = 64

PIECE = 1 << 16
"""Numbers that are drawn at a time: what is needed for them stays in the processor's cache."""


def from_the_system(words: int) -> Words:
    """Draw words from the operating system: what is released is made from these, and cannot be repeated.

    >>> from_the_system(2).dtype
    dtype('uint64')
    """
    return np.frombuffer(os.urandom(WORD_BITS // 8 * words), np.uint64)


def from_a_seed(seed: int, index: int) -> Source:
    """Draw words that a seed repeats: for tests, and for what is stamped as not for release.

    >>> bool(from_a_seed(1, 0)(1) == from_a_seed(1, 0)(1))
    True
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(b"laplace"), index))
    rng = np.random.default_rng(sequence)
    return lambda words: rng.integers(0, 1 << WORD_BITS, words, np.uint64)


@dataclass(frozen=True)
class Noise:
    """What draws noise of a law.

    >>> from fractions import Fraction
    >>> noise = Noise(NoiseLaw(Fraction(1000), most=1000))
    >>> noise.draw(3, from_the_system).shape
    (3,)
    """

    law: NoiseLaw

    def added_to(self, counts: Counts, source: Source, told: Told) -> Counts:
        """Add noise to whole numbers.

        Parameters
        ----------
        counts
            Whole numbers.
        source
            Of random words.
        told
            Told how many are done, of how many; may raise to interrupt.
        """
        noisy = np.empty_like(counts)
        for start in range(0, counts.size, PIECE):
            stop = min(start + PIECE, counts.size)
            noisy[start:stop] = counts[start:stop] + self.draw(stop - start, source)
            told(stop, counts.size)
        return noisy

    def draw(self, size: int, source: Source) -> Counts:
        """Draw so much noise."""
        words = source(size)
        passed = np.searchsorted(self._borders, words)
        # A word that begins like a border: only in further digits does it lie on one side.
        for unclear in np.flatnonzero(self._borders_and_end[passed] == words):
            passed[unclear] = self._passed(int(words[unclear]), source)
        return (passed - self.law.most).astype(np.int32)

    def _passed(self, digits: int, source: Source) -> int:
        """Count the borders below a uniform number that begins with these digits."""
        bits = WORD_BITS
        while True:
            borders = self.law.borders(bits)
            if digits not in borders:
                return sum(border < digits for border in borders)
            digits = digits << WORD_BITS | int(source(1)[0])
            bits += WORD_BITS

    @cached_property
    def _borders(self) -> Words:
        return np.array(self.law.borders(WORD_BITS), np.uint64)

    @cached_property
    def _borders_and_end(self) -> Words:
        """Borders, and the last of them once more for words beyond it: they are above it, so never equal to it."""
        return np.append(self._borders, self._borders[-1:])
