"""Digests that anybody can compute: without a key, or with one that anybody would try."""

import hashlib
import hmac
import uuid
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

from shoal.auditor.messages import Known, core, many

TOKEN_BYTES = 16

Digest = Callable[[bytes], bytes]

_PLAIN = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512")
_RARE = tuple(name for name in ("ripemd160", "sm3", "sha512_256") if name in hashlib.algorithms_available)
_COMMON = ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b")
_KEYS = (b"", b"secret", b"salt", b"password", b"key", b"shoal")
_SPACES = (uuid.NAMESPACE_DNS, uuid.NAMESPACE_URL, uuid.NAMESPACE_OID, uuid.NAMESPACE_X500)


def _plain(algorithm: str) -> Digest:
    return lambda message: hashlib.new(algorithm, message, usedforsecurity=False).digest()


def _keyed(algorithm: str, key: bytes) -> Digest:
    return lambda message: hmac.digest(key, message, algorithm)


def _by_itself(algorithm: str) -> Digest:
    return lambda message: hmac.digest(message, message, algorithm)


def _after(first: Digest, second: Digest, *, in_hex: bool) -> Digest:
    if in_hex:
        return lambda message: second(first(message).hex().encode())
    return lambda message: second(first(message))


def _blake(kind: Any, size: int, message: bytes) -> bytes:
    digest: bytes = kind(message, digest_size=size).digest()
    return digest


def _uuid(make: Callable[[uuid.UUID, str], uuid.UUID], space: uuid.UUID) -> Digest:
    return lambda message: make(space, message.decode(errors="replace")).bytes


def _as_it_is(message: bytes) -> bytes:
    """Return both ends of the message itself: a name may hold an identifier without any digest."""
    return message[:TOKEN_BYTES].ljust(TOKEN_BYTES, b"\0") + message[-TOKEN_BYTES:].rjust(TOKEN_BYTES, b"\0")


def _checksums(message: bytes) -> bytes:
    return zlib.crc32(message).to_bytes(4, "big") + zlib.adler32(message).to_bytes(4, "big")


def _in_decimals(digest: Digest) -> Digest:
    """Return both ends of a digest as a number, in decimal digits."""

    def digits(message: bytes) -> bytes:
        number = str(int.from_bytes(digest(message), "big")).zfill(2 * TOKEN_BYTES)
        return bytes.fromhex(number[: 2 * TOKEN_BYTES] + number[-2 * TOKEN_BYTES :])

    return digits


_BLAKES: dict[str, Digest] = {
    **{f"blake2b-{size}": partial(_blake, hashlib.blake2b, size) for size in (16, 20, 32, 64)},
    **{f"blake2s-{size}": partial(_blake, hashlib.blake2s, size) for size in (16, 32)},
}

DIGESTS: dict[str, Digest] = {
    **{name: _plain(name) for name in (*_PLAIN, *_RARE)},
    **{f"{name}, twice": _after(_plain(name), _plain(name), in_hex=True) for name in ("md5", "sha1", "sha256")},
    "shake_128": lambda message: hashlib.shake_128(message).digest(TOKEN_BYTES),
    "shake_256": lambda message: hashlib.shake_256(message).digest(TOKEN_BYTES),
    **{f"hmac-{name}": _keyed(name, b"") for name in ("md5", "sha1", "sha256", "sha512", "sha3_256")},
    **_BLAKES,
}
"""The common ones without a key, or with an empty one."""

_ON_MANY: tuple[Digest, ...] = (
    *(_plain(name) for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512")),
    *(_BLAKES[name] for name in ("blake2b-16", "blake2b-32", "blake2b-64", "blake2s-32")),
    *(_as_it_is, _checksums),
)
_ON_CORE: tuple[Digest, ...] = (
    *DIGESTS.values(),
    *(partial(_blake, hashlib.blake2b, size) for size in (24, 28, 48)),
    *(
        _after(_plain(first), _plain(second), in_hex=in_hex)
        for in_hex, first, second in product((True, False), _COMMON, _COMMON)
    ),
    *(_keyed(name, key) for name, key in product(_COMMON, _KEYS)),
    *(_by_itself(name) for name in _COMMON),
    *(_in_decimals(_plain(name)) for name in _COMMON),
    *(_uuid(make, space) for make, space in product((uuid.uuid3, uuid.uuid5), _SPACES)),
)


def answers(known: Known) -> bytes:
    """Return what all rules make of a person, one after the other: always as many bytes, in the same places."""
    return b"".join(_answers(known))


def _answers(known: Known) -> Iterator[bytes]:
    for message in many(known):
        for digest in _ON_MANY:
            yield digest(message)
    for message in core(known):
        for digest in _ON_CORE:
            yield digest(message)
