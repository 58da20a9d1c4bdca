"""Randomness that protects people: words from the operating system, as many as are asked for.

No generator stands between the operating system and what is published: whoever learns the state of one can repeat all
of its draws.
"""

import os
import zlib

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

_AT_ONCE = 1 << 20
"""Words that are asked for at a time: the operating system may give fewer than 32 MB in one call."""


def random_words(count: int, *, seed: int | None = None, name: str = "", index: int = 0) -> Words:
    """Return so many random words of 64 bits.

    Parameters
    ----------
    count
        How many.
    seed
        Repeatable ones, for tests and for what is stamped as not for release; None takes the operating system's.
    name, index
        What they are for: with a seed, every name and index has a stream of its own.

    >>> random_words(2, seed=1, name="x").tolist() == random_words(2, seed=1, name="x").tolist()
    True
    >>> random_words(0).size
    0
    """
    if seed is not None:
        sequence = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()), index))
        return np.random.default_rng(sequence).integers(0, 2**64, count, dtype=np.uint64)
    words = np.empty(count, np.uint64)
    for start in range(0, count, _AT_ONCE):
        part = words[start : start + _AT_ONCE]
        part[:] = np.frombuffer(os.urandom(part.nbytes), np.uint64)
    return words


def uniform(words: Words) -> NDArray[np.float64]:
    """Turn words into numbers from 0 to below 1, multiples of 2^-53.

    >>> uniform(np.array([0, 2**63, 2**64 - 1], np.uint64)).tolist()
    [0.0, 0.5, 0.9999999999999999]
    """
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
