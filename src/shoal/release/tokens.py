"""Published names of people: random-looking tokens that nobody can recompute.

A counter would show the order of the input, and an unkeyed hash of a phone number falls to a list of all
phone numbers in minutes. So each token is a keyed hash under a key that is drawn for the run, held in memory
while the tokens are made, and kept nowhere: the secret mapping is the only way back.
"""

import hashlib
import os

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.layout import Ints64

TOKEN_BYTES = 16
"""128 bits: among a million people, two equal tokens have a chance of about 1e-27."""

Digests = NDArray[np.uint8]


class Tokens:
    """Distinct tokens in the order of their messages, and the order that sorts them."""

    __slots__ = ("_digests", "order")

    def __init__(self, digests: Digests) -> None:
        order = order_of(digests)
        sorted_ = digests[order]
        if (sorted_[1:] == sorted_[:-1]).all(axis=1).any():
            raise AssertionError("two published uids are equal: the rows to be named are not distinct")
        self._digests = digests
        self.order = order
        """The index that sorts the tokens."""

    def __len__(self) -> int:
        return len(self._digests)

    def __repr__(self) -> str:
        return f"Tokens({len(self):,})"

    def to_arrow(self) -> pa.StringArray:
        """Return the tokens as 32 lower-case hexadecimal digits each."""
        count = len(self)
        offsets = np.arange(count + 1, dtype=np.int32) * np.int32(2 * TOKEN_BYTES)
        text = self._digests.tobytes().hex().encode()
        return pa.StringArray.from_buffers(count, pa.py_buffer(offsets.tobytes()), pa.py_buffer(text))


def draw_tokens(*columns: pa.Array, seed: int | None = None, key: bytes | None = None) -> Tokens:
    """Draw one token per row; a row's message is its values in all columns.

    Of several values each goes in with its length before it, so that ``("a", "bc")`` and ``("ab", "c")`` stay
    apart.

    Parameters
    ----------
    columns
        String columns of equal length, for instance the person, or the person and the municipality. Rows must
        be distinct: two equal tokens are a fault of the caller and stop everything.
    seed
        Makes the tokens repeatable, hence guessable: for tests and for what is stamped not for release.
    key
        That of a run whose tokens are drawn in several places; one is drawn here by default.

    >>> draw_tokens(pa.array(["a", "b"]), seed=1).to_arrow().to_pylist() == (
    ...     draw_tokens(pa.array(["a", "b"]), seed=1).to_arrow().to_pylist())
    True
    >>> len(draw_tokens(pa.array([], pa.string())))
    0
    """
    return Tokens(keyed_digests(key_of(seed) if key is None else key, *columns))


def order_of(digests: Digests) -> Ints64:
    """Return the index that sorts digests, which is also the order of their hexadecimal form."""
    halves = digests.view(">u8").astype(np.uint64)
    return np.lexsort((halves[:, 1], halves[:, 0])).astype(np.int64)


def keyed_digests(key: bytes, *columns: pa.Array) -> Digests:
    """Hash each row under the key: an array of rows × 16 bytes."""
    values: list[list[bytes]] = [column.cast(pa.large_binary()).to_pylist() for column in columns]
    if len(values) == 1:
        messages = values[0]
    else:
        rows = zip(*values, strict=True)
        messages = [b"".join(b"%d:%b" % (len(value), value) for value in row) for row in rows]
    # Copying a hash that has taken in the key saves half of the work of each.
    keyed = hashlib.blake2b(digest_size=TOKEN_BYTES, key=key).copy
    digests = []
    for message in messages:
        hash_ = keyed()
        hash_.update(message)
        digests.append(hash_.digest())
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, TOKEN_BYTES)


def key_of(seed: int | None) -> bytes:
    """Draw the key of a run; with a seed always the same one."""
    if seed is None:
        return os.urandom(32)
    return hashlib.blake2b(str(seed).encode(), digest_size=32, person=b"shoal-seed").digest()
