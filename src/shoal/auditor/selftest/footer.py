"""Parquet footers taken apart and put together again, to hide things in them that no writer offers to.

A footer is a structure in Thrift's compact protocol. Here it is a dictionary of ``{field number: (type, value)}``; a
list is ``(type of its elements, values)``, and whole numbers stay as they are spelled.
"""

from collections.abc import Callable
from typing import Any

_BOOLEANS, _BYTE, _VARINTS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
BINARY, STRUCT, LIST = _BINARY, _STRUCT, 9
CREATED_BY, ROW_GROUPS, CHUNKS, CHUNK_PATH, CHUNK_META, CHUNK_KEY_VALUES = 6, 4, 1, 1, 3, 8
"""Numbers of fields, from Parquet's own definition."""

Struct = dict[int, tuple[int, Any]]


def with_footer(change: Callable[[Struct], None]) -> Callable[[bytes], bytes]:
    """Return what changes the footer of a Parquet file, and nothing else of it."""

    def forge(content: bytes) -> bytes:
        size = int.from_bytes(content[-8:-4], "little")
        body = content[: -size - 8]
        footer, _ = _struct(content, len(body))
        change(footer)
        spelled = _spelled_struct(footer)
        return body + spelled + len(spelled).to_bytes(4, "little") + content[-4:]

    return forge


def first_chunk(footer: Struct) -> Struct:
    """Return the first column chunk of the first row group."""
    _, groups = footer[ROW_GROUPS][1]
    _, chunks = groups[0][CHUNKS][1]
    chunk: Struct = chunks[0]
    return chunk


def _struct(text: bytes, at: int) -> tuple[Struct, int]:
    found: Struct = {}
    number = 0
    while text[at]:
        head, at = text[at], at + 1
        if head >> 4:
            number += head >> 4
        else:
            spelled, at = _varint(text, at)
            number = spelled >> 1
        value, at = _value(head & 15, text, at)
        found[number] = head & 15, value
    return found, at + 1


def _value(kind: int, text: bytes, at: int) -> tuple[Any, int]:
    if kind in _BOOLEANS:
        return None, at
    if kind in _VARINTS:
        return _varint(text, at)
    if kind == _STRUCT:
        return _struct(text, at)
    if kind in _LISTS:
        return _list(text, at)
    size = {_BYTE: 1, _DOUBLE: 8}.get(kind)
    if size is None:
        assert kind == _BINARY
        size, at = _varint(text, at)
    return text[at : at + size], at + size


def _list(text: bytes, at: int) -> tuple[tuple[int, list[Any]], int]:
    head, at = text[at], at + 1
    count, kind, values = head >> 4, head & 15, []
    if count == 15:
        count, at = _varint(text, at)
    for _ in range(count):
        value, at = (text[at : at + 1], at + 1) if kind in _BOOLEANS else _value(kind, text, at)
        values.append(value)
    return (kind, values), at


def _varint(text: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = text[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _spelled_struct(struct: Struct) -> bytes:
    parts, before = [], 0
    for number, (kind, value) in sorted(struct.items()):
        assert 0 < number - before < 16
        parts.append(bytes([(number - before) << 4 | kind]) + _spelled(kind, value))
        before = number
    return b"".join(parts) + b"\0"


def _spelled(kind: int, value: Any) -> bytes:
    if kind in _BOOLEANS:
        return value or b""
    if kind in _VARINTS:
        return _spelled_varint(value)
    if kind == _STRUCT:
        return _spelled_struct(value)
    if kind in _LISTS:
        inner, values = value
        count = len(values)
        head = bytes([count << 4 | inner]) if count < 15 else bytes([15 << 4 | inner]) + _spelled_varint(count)
        return head + b"".join(_spelled(inner, one) for one in values)
    return _spelled_varint(len(value)) + value if kind == _BINARY else bytes(value)


def _spelled_varint(value: int) -> bytes:
    parts = []
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])
