"""Thrift's compact protocol, in which Parquet spells its footer and the headers of its pages.

A structure is a dictionary of ``{number of a field: (type, value)}``; a list is ``(type of its elements, values)``;
whole numbers stay in zigzag form. There is one shortest spelling of a structure (:func:`spelled`), with its fields in
order, and writers use it. Any other hides something.
"""

from collections.abc import Sequence
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, BINARY, LIST, STRUCT = 1, 2, 3, 4, 5, 6, 8, 9, 12
"""The types that Parquet needs. No fractions, sets and maps: it has none."""

_VARINTS = (I16, I32, I64)
_DEEPEST = 12
_LONGEST_VARINT = 10

Field = tuple[int, Any]
Struct = dict[int, Field]

MISSING: Field = (0, None)
"""In place of a field that is not there."""


class MalformedError(Exception):
    """The bytes are not what they should be."""


def whole(value: int, type_: int = I64) -> Field:
    """A whole number as a field.

    >>> whole(-1), whole(7, I32)
    ((6, 1), (5, 14))
    """
    return type_, value << 1 if value >= 0 else (-value << 1) - 1


def listed(type_: int, values: Sequence[Any]) -> Field:
    """A list as a field; whole numbers in zigzag form."""
    return LIST, (type_, list(values))


def number(struct: Struct, field: int) -> int:
    """Return the whole number of a field, or -1 where there is none: no size, count or offset is negative."""
    type_, value = struct.get(field, MISSING)
    return value >> 1 if type_ in _VARINTS and not value & 1 else -1


def parts(struct: Struct, field: int) -> list[Any]:
    """Return the elements of a field that is a list of structures, none where it is something else."""
    type_, value = struct.get(field, MISSING)
    return list(value[1]) if type_ == LIST and value[0] == STRUCT else []


def read(text: memoryview, at: int, deep: int = 0) -> tuple[Struct, int]:
    """Read a structure; return it and where it ends.

    >>> read(memoryview(bytes([0x15, 4, 0x48, 1, 65, 0])), 0)
    ({1: (5, 4), 5: (8, b'A')}, 6)
    """
    if deep > _DEEPEST:
        raise MalformedError
    found: Struct = {}
    field = 0
    while head := _byte(text, at):
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            spelled_field, at = _varint(text, at)
            field = spelled_field >> 1
        value, at = _value(head & 15, text, at, deep)
        found[field] = head & 15, value
    return found, at + 1


def _value(type_: int, text: memoryview, at: int, deep: int) -> tuple[Any, int]:
    if type_ in (TRUE, FALSE):
        return None, at
    if type_ in _VARINTS:
        return _varint(text, at)
    if type_ == STRUCT:
        return read(text, at, deep + 1)
    if type_ == LIST:
        return _list(text, at, deep)
    if type_ == BYTE:
        return _byte(text, at), at + 1
    if type_ != BINARY:
        raise MalformedError
    size, at = _varint(text, at)
    if at + size > len(text):
        raise MalformedError
    return bytes(text[at : at + size]), at + size


def _list(text: memoryview, at: int, deep: int) -> tuple[tuple[int, list[Any]], int]:
    head = _byte(text, at)
    count, type_, values, at = head >> 4, head & 15, [], at + 1
    if count == 15:
        count, at = _varint(text, at)
    if type_ in (TRUE, FALSE):
        type_ = BYTE  # no list of Parquet's has them; spelled again, they show as something else
    for _ in range(count):
        value, at = _value(type_, text, at, deep)
        values.append(value)
    return (type_, values), at


def _byte(text: memoryview, at: int) -> int:
    if at >= len(text):
        raise MalformedError
    return text[at]


def _varint(text: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for position in range(_LONGEST_VARINT):
        byte = _byte(text, at + position)
        value |= (byte & 127) << 7 * position
        if byte < 128:
            return value, at + position + 1
    raise MalformedError


def spelled(struct: Struct) -> bytes:
    """Spell a structure the shortest way.

    >>> spelled({1: (I32, 4), 5: (BINARY, b"A")}).hex(" ")
    '15 04 48 01 41 00'
    """
    found, before = [], 0
    for field, (type_, value) in sorted(struct.items()):
        step = field - before
        found.append(bytes([step << 4 | type_]) if 0 < step < 16 else bytes([type_]) + varint(field << 1))
        found.append(_spelled(type_, value))
        before = field
    return b"".join(found) + b"\0"


def _spelled(type_: int, value: Any) -> bytes:
    if type_ in (TRUE, FALSE):
        return b""
    if type_ in _VARINTS:
        return varint(value)
    if type_ == STRUCT:
        return spelled(value)
    if type_ == BYTE:
        return bytes([value])
    if type_ == BINARY:
        return varint(len(value)) + bytes(value)
    inner, values = value
    count = len(values)
    head = bytes([count << 4 | inner]) if count < 15 else bytes([15 << 4 | inner]) + varint(count)
    return head + b"".join(_spelled(inner, one) for one in values)


def varint(value: int) -> bytes:
    """Spell a number in groups of seven bits, the lowest first.

    >>> varint(300).hex(" ")
    'ac 02'
    """
    found = []
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
