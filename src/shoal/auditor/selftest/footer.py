"""Parquet files taken apart and put together again, to hide things in them that no writer offers to."""

from collections.abc import Callable

from shoal.auditor.parquet_pages import CHUNK_META, CHUNKS, GROUPS
from shoal.auditor.parquet_thrift import I32, Struct, number, parts, read, spelled, whole

Forge = Callable[[bytes], bytes]
"""Changes the bytes of a Parquet file."""

_GROUP_OFFSETS, _CHUNK_OFFSETS = (5,), (9, 11)
_GROUP_SIZES, _CHUNK_SIZES = (2, 6), (6, 7)
"""Numbers of fields: where row groups and columns start; how many bytes they have, unpacked and packed."""


def with_footer(change: Callable[[Struct], None]) -> Forge:
    """Return what changes the footer of a Parquet file, and nothing else of it."""

    def forge(content: bytes) -> bytes:
        body, footer = taken_apart(content)
        change(footer)
        return together(body, spelled(footer))

    return forge


def with_spelling(change: Callable[[bytes], bytes]) -> Forge:
    """Return what changes the bytes of the footer of a Parquet file."""

    def forge(content: bytes) -> bytes:
        body, footer = taken_apart(content)
        return together(body, change(spelled(footer)))

    return forge


def taken_apart(content: bytes) -> tuple[bytes, Struct]:
    """Return what is in front of the footer, and the footer."""
    body = content[: -int.from_bytes(content[-8:-4], "little") - 8]
    return body, read(memoryview(content), len(body))[0]


def together(body: bytes, footer: bytes) -> bytes:
    return body + footer + len(footer).to_bytes(4, "little") + body[:4]


def first_chunk(footer: Struct) -> Struct:
    """Return the first column chunk of the first row group."""
    chunk: Struct = parts(parts(footer, GROUPS)[0], CHUNKS)[0]
    return chunk


def first_meta(footer: Struct) -> Struct:
    """Return its metadata."""
    meta: Struct = first_chunk(footer)[CHUNK_META][1]
    return meta


def last_page(content: bytes) -> tuple[int, int, int]:
    """Return where the header, the content and the end of the first column's last page are."""
    meta = first_meta(taken_apart(content)[1])
    at, end = number(meta, 11), number(meta, 11) + number(meta, 7)
    while True:
        header, start = read(memoryview(content), at)
        stop = start + number(header, 3)
        if stop == end:
            return at, start, stop
        at = stop


def replaced(content: bytes, start: int, end: int, new: bytes, *, unpacked: int | None = None) -> bytes:
    """Put other bytes in place of some of the first column, or after it; the footer tells where all the rest is.

    Parameters
    ----------
    content, start, end, new
        The file, and which of its bytes are replaced.
    unpacked
        How many bytes there are more in the column once it is unpacked; None: the footer says nothing of the change.
    """
    body, footer = taken_apart(content)
    more = len(new) - (end - start)
    for group in parts(footer, GROUPS):
        _move(group, _GROUP_OFFSETS, end, more)
        for chunk in parts(group, CHUNKS):
            _move(chunk[CHUNK_META][1], _CHUNK_OFFSETS, end, more)
    if unpacked is not None:
        for struct, sizes in ((parts(footer, GROUPS)[0], _GROUP_SIZES), (first_meta(footer), _CHUNK_SIZES)):
            for field, growth in zip(sizes, (unpacked, more), strict=True):
                struct[field] = whole(number(struct, field) + growth)
    return together(body[:start] + new + body[end:], spelled(footer))


def _move(struct: Struct, fields: tuple[int, ...], end: int, more: int) -> None:
    for field in fields:
        if number(struct, field) >= end:
            struct[field] = whole(number(struct, field) + more)


def with_last_page(change: Callable[[Struct, bytes], tuple[Struct, bytes]]) -> Forge:
    """Return what changes the last page of the first column: its header and its content, as it is packed.

    The header says afterwards how long the content is; how long it is unpacked is for the change to say.
    """

    def forge(content: bytes) -> bytes:
        at, start, end = last_page(content)
        header, _ = read(memoryview(content), at)
        before = number(header, 2)
        header, packed = change(header, content[start:end])
        header[3] = whole(len(packed), I32)
        new = spelled(header)
        growth = len(new) - (start - at) + number(header, 2) - before
        return replaced(content, at, end, new + packed, unpacked=growth)

    return forge
