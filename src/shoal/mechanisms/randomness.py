"""Randomness that protects people: words from the operating system, as many as are asked for.

No generator stands between the operating system and what is published: whoever learns the state of one can repeat all
of its draws. There is one exception. On many machines work may be done twice, when one of them is lost, and has to give
the same both times: two draws for one person would average out. There a key of 256 bits is drawn for the run, kept
nowhere, and everybody's words are a keyed function of the person (SHAKE-256), as published names are: without the key
nobody can tell them from chance.
"""

import hashlib
import os
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.layout import Ints64

Words = NDArray[np.uint64]

_AT_ONCE = 1 << 20
"""Words that are asked for at a time: the operating system may give fewer than 32 MB in one call."""

_WORD_BYTES = 8


class Chance(NamedTuple):
    """Where words come from: the operating system, or a key that repeats them for each person."""

    key: bytes | None = None

    @classmethod
    def of_seed(cls, seed: int | None) -> "Chance":
        """Repeatable words, for tests and for what is stamped as not for release; without a seed others each time."""
        return cls(None if seed is None else hashlib.blake2b(str(seed).encode(), digest_size=32).digest())

    @classmethod
    def drawn(cls) -> "Chance":
        """Words of a run whose work may be done twice."""
        return cls(os.urandom(32))

    def words(self, name: str, people: pa.Array, counts: Ints64) -> Words:
        """Return random words of 64 bits, so many for each person, one person after the other.

        Parameters
        ----------
        name
            What they are for: with a key, every name has words of its own.
        people
            Identifiers.
        counts
            How many words each of them gets.

        Examples
        --------
        >>> two, one = Chance.of_seed(1), pa.array(["a"])
        >>> both = two.words("x", pa.array(["a", "b"]), np.array([2, 3]))
        >>> both.size, (both[:2] == two.words("x", one, np.array([2]))).all()
        (5, np.True_)
        >>> Chance().words("x", one, np.array([0])).size
        0
        """
        if self.key is None:
            return random_words(int(counts.sum()))
        start = hashlib.shake_256(self.key + len(name).to_bytes(2) + name.encode()).copy
        found = []
        for person, count in zip(people.cast(pa.large_binary()).to_pylist(), counts.tolist(), strict=True):
            stream = start()
            stream.update(person)
            found.append(stream.digest(_WORD_BYTES * count))
        return np.frombuffer(b"".join(found), "<u8").astype(np.uint64)


def random_words(count: int) -> Words:
    """Return so many random words of 64 bits from the operating system.

    >>> random_words(2).size, random_words(0).size
    (2, 0)
    """
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
