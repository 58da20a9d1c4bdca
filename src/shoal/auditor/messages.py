"""Ways to write an identifier before it is hashed: what people type, what programs do with text and numbers."""

import base64
import binascii
from collections.abc import Iterator
from typing import NamedTuple

_PREFIXES = (b"uid:", b"user:", b"id:", b"user_", b"user-", b"uid_", b"id_", b"person:", b"u")
_SALTS = (b"salt", b"secret", b"password", b"pepper", b"key", b"shoal")
_INT_BYTES = (4, 8, 16)


class Known(NamedTuple):
    """What anybody may know of a person: the identifier, and numbers such as that of their row."""

    name: bytes
    numbers: tuple[int, ...] = ()


def spellings(name: bytes) -> set[bytes]:
    """Return the likely ways to write an identifier.

    >>> sorted(spellings(b"a1"))[:3]
    [b'"a1"', b'1', b'A1']
    """
    digits = _digits(name)
    ends = (b"", b"\n", b"\r\n", b" ")
    others = (name.upper(), name.lower(), name.strip(), b'"' + name + b'"', *([digits] if digits else []))
    return {*(name + end for end in ends), *others}


def core(known: Known) -> list[bytes]:
    """Return a few ways, always as many: those that the rarer digests are tried on."""
    name, digits = known.name, _digits(known.name)
    return [name, name + b"\n", name.upper(), name.lower(), digits, str(_number(digits)).encode()]


def many(known: Known) -> list[bytes]:
    """Return all ways, always as many and in the same order; one that does not apply to an identifier is empty."""
    name = known.name
    ways = [*core(known), name + b"\r\n", name + b" ", name + b"\0", name.strip(), name + name, name[::-1]]
    ways += [b'"%b"' % name, b"'%b'" % name, b"b'%b'" % name, name.hex().encode(), name.hex().upper().encode()]
    text = name.decode(errors="replace")
    ways += [text.encode(code) for code in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le")]
    coded = base64.b64encode(name)
    ways += [coded, coded.rstrip(b"="), base64.urlsafe_b64encode(name), base64.b32encode(name), _unhexed(name)]
    ways += _as_bytes(_number(_digits(name)))
    ways += [prefix + name for prefix in _PREFIXES]
    for salt in _SALTS:
        ways += [salt + name, name + salt, salt + b":" + name, name + b":" + salt]
    for number in known.numbers:
        digits = b"%d" % number
        ways += [digits, digits + b"\n", b"user_" + digits, b"user" + digits, *_as_bytes(number)]
    return ways


def _digits(name: bytes) -> bytes:
    return bytes(byte for byte in name if 48 <= byte < 58)


def _number(digits: bytes) -> int:
    # Longer ones are no numbers that fit anything; and turning them into one takes its time.
    return int(digits) if 0 < len(digits) < 39 else 0


def _as_bytes(number: int) -> Iterator[bytes]:
    for size in _INT_BYTES:
        big = (number % 256**size).to_bytes(size, "big")
        yield from (big, big[::-1])


def _unhexed(name: bytes) -> bytes:
    try:
        return binascii.unhexlify(name.replace(b"-", b""))
    except binascii.Error:
        return b""
