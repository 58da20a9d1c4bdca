"""Names that are no secrets: digests of identifiers that anybody can compute, and tokens drawn from a guessable seed.

A token under a rule that is not tried here cannot be told from a random one: that nothing was found proves nothing.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

TOKEN_BYTES = 16
HALF = TOKEN_BYTES // 2
SEEDS = 2_000
"""Seeds from 0 that are tried: what people type when they want something repeatable."""

_PLAIN = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512")
_RARE = ("ripemd160", "sm3", "sha512_256")
_TWICE = ("md5", "sha1", "sha256")
_KEYED = ("md5", "sha1", "sha256", "sha512", "sha3_256")

Digest = Callable[[bytes], bytes]


def _plain(algorithm: str) -> Digest:
    return lambda message: hashlib.new(algorithm, message, usedforsecurity=False).digest()


def _with_an_empty_key(algorithm: str) -> Digest:
    return lambda message: hmac.digest(b"", message, algorithm)


def _twice(algorithm: str) -> Digest:
    once = _plain(algorithm)
    return lambda message: once(once(message).hex().encode())


def _blake(kind: Any, size: int, message: bytes) -> bytes:
    digest: bytes = kind(message, digest_size=size).digest()
    return digest


DIGESTS: dict[str, Digest] = {
    **{name: _plain(name) for name in (*_PLAIN, *(name for name in _RARE if name in hashlib.algorithms_available))},
    **{f"{name}, twice": _twice(name) for name in _TWICE},
    "shake_128": lambda message: hashlib.shake_128(message).digest(TOKEN_BYTES),
    "shake_256": lambda message: hashlib.shake_256(message).digest(TOKEN_BYTES),
    **{f"hmac-{name}": _with_an_empty_key(name) for name in _KEYED},
    **{f"blake2b-{size}": partial(_blake, hashlib.blake2b, size) for size in (16, 20, 32, 64)},
    **{f"blake2s-{size}": partial(_blake, hashlib.blake2s, size) for size in (16, 32)},
}
"""The common ones without a key, or with an empty one."""


def spellings(name: bytes) -> set[bytes]:
    """Ways to write an identifier before it is hashed."""
    digits = bytes(byte for byte in name if 48 <= byte < 58)
    ends = (b"", b"\n", b"\r\n", b" ")
    others = (name.upper(), name.lower(), name.strip(), b'"' + name + b'"', *([digits] if digits else []))
    return {*(name + end for end in ends), *others}


def cuts(digest: bytes) -> Iterator[bytes]:
    """Ways to make a token of a digest: its pieces and its tail, decimal digits alone."""
    padded = digest if len(digest) >= TOKEN_BYTES else digest.ljust(TOKEN_BYTES, b"\0")
    for start in range(0, len(padded) - TOKEN_BYTES + 1, TOKEN_BYTES):
        yield padded[start : start + TOKEN_BYTES]
    yield padded[-TOKEN_BYTES:]
    number = str(int.from_bytes(digest, "big")).zfill(2 * TOKEN_BYTES)
    yield bytes.fromhex(number[: 2 * TOKEN_BYTES])
    yield bytes.fromhex(number[-2 * TOKEN_BYTES :])


def guessed(names: Iterable[bytes], tokens: frozenset[bytes]) -> int:
    """Count the tokens that are a digest of one of these identifiers.

    >>> token = hashlib.sha3_256(b"ann\\n").digest()[-16:]
    >>> guessed([b"ann"], frozenset([token])), guessed([b"bob"], frozenset([token]))
    (1, 0)
    """
    # Half a token is enough: 64 bits do not agree by chance, and the rest may have been filled up or doubled.
    halves = {token[start : start + HALF]: token for token in tokens for start in (0, HALF)}
    found: set[bytes] = set()
    for name in names:
        for message in spellings(name):
            for digest in DIGESTS.values():
                for cut in cuts(digest(message)):
                    for start in (0, HALF):
                        token = halves.get(cut[start : start + HALF])
                        if token is not None:
                            found.add(token)
    return len(found)


def seeded(messages: Iterable[tuple[bytes, ...]], tokens: frozenset[bytes]) -> int:
    """Count the small seeds under which our own rule gives one of these tokens."""
    known = [_as_one(message) for message in messages]
    return sum(any(_token(seed, message) in tokens for message in known) for seed in range(SEEDS))


def _token(seed: int, message: bytes) -> bytes:
    key = hashlib.blake2b(str(seed).encode(), digest_size=32, person=b"shoal-seed").digest()
    return hashlib.blake2b(message, digest_size=TOKEN_BYTES, key=key).digest()


def _as_one(parts: tuple[bytes, ...]) -> bytes:
    return parts[0] if len(parts) == 1 else b"".join(b"%d:%b" % (len(part), part) for part in parts)
