"""Many words in much text: where does any of them occur, in any byte?

The first six bytes of all words go into a table of bits, and all windows of the text are looked up at once; what is
left is compared in full. So the time depends on the text, hardly on the number of words.
"""

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.packing import is_in
from shoal.workers import workers

SHORTEST = 6
"""Shorter words occur everywhere by chance; they are compared with whole values only."""

_TABLE_BITS = 24
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_CHUNK = 1 << 18
"""Bytes of the text: their windows stay close to a processor."""

_PIECE = 1 << 25
"""Bytes of a file that are looked through at once."""


class Needles:
    """Words of six bytes or more.

    >>> Needles([b"person-1", b"person-22"]).hits(b"xxperson-22yy")
    [b'person-22']
    """

    def __init__(self, words: Iterable[bytes]) -> None:
        self.words = frozenset(word for word in words if len(word) >= SHORTEST)
        self.lengths = sorted({len(word) for word in self.words})
        starts = b"".join(word[:SHORTEST] for word in self.words)
        self._starts = np.unique(_windows(np.frombuffer(starts, np.uint8))[::SHORTEST]).astype(np.int64)
        self._table = np.zeros(1 << _TABLE_BITS, np.bool_)
        self._table[_slots(self._starts.astype(np.uint64))] = True

    def hits(self, text: bytes) -> list[bytes]:
        """Return each word as often as it occurs."""
        return [word for _, word in self.places(text)]

    def places(self, text: bytes) -> list[tuple[int, bytes]]:
        """Return where each word occurs, and which."""
        if not self.words:
            return []
        with workers() as some:
            parts = list(
                some.pool.map(partial(self._likely, np.frombuffer(text, np.uint8)), range(0, len(text), _CHUNK))
            )
        found: list[tuple[int, bytes]] = []
        for at in chain.from_iterable(parts):
            for length in self.lengths:
                word = text[at : at + length]
                if word in self.words and len(word) == length:
                    found.append((at, word))
        return found

    def hits_in(self, file: BinaryIO, size: int) -> list[bytes]:
        """Return each word as often as it occurs in so many bytes of a file, of which a piece at a time is read.

        >>> from io import BytesIO
        >>> Needles([b"person-1"]).hits_in(BytesIO(b"xxperson-1person-1"), 15)
        [b'person-1']
        """
        beyond, found = max(self.lengths, default=1) - 1, list[bytes]()
        for start in range(0, size, _PIECE):
            file.seek(start)
            text = file.read(min(_PIECE + beyond, size - start))
            found += [word for at, word in self.places(text) if at < _PIECE]
        return found

    def _likely(self, text: NDArray[np.uint8], low: int) -> list[int]:
        """Return where a word may start in the chunk from there: its first bytes do."""
        windows = _windows(text[low : low + _CHUNK + SHORTEST - 1])
        likely = np.flatnonzero(self._table[_slots(windows)])
        likely = likely[is_in(windows[likely].astype(np.int64), self._starts)]
        return (likely + low).tolist()

    def by_chance(self, size: int, alphabet: int, among: frozenset[int] | None = None) -> float:
        """Return how many hits to expect in so many random characters of an alphabet of that size.

        Only words made of ``among`` can occur there; None means any.
        """
        usable = self.words if among is None else [word for word in self.words if among.issuperset(word)]
        return sum(size * float(alphabet) ** -len(word) for word in usable)


def _windows(text: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return all six bytes in a row, as one number each."""
    count = max(text.size - SHORTEST + 1, 0)
    result = np.zeros(count, np.uint64)
    for i in range(SHORTEST):
        result |= text[i : i + count].astype(np.uint64) << np.uint64(8 * i)
    return result


def _slots(windows: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.asarray((windows * _SPREAD) >> np.uint64(64 - _TABLE_BITS))
