"""The footer that pages and columns make: nothing in a footer is free, so it can be said beforehand."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from shoal.auditor.parquet_pages import (
    BY_DICTIONARY,
    CHUNK_META,
    CHUNKS,
    DATA_PAGE,
    DICTIONARY_PAGE,
    GROUPS,
    PLAIN,
    RLE,
    Chunk,
    meta_of,
)
from shoal.auditor.parquet_thrift import (
    BINARY,
    I32,
    I64,
    STRUCT,
    TRUE,
    Field,
    Struct,
    listed,
    number,
    parts,
    whole,
)
from shoal.auditor.table import Table
from shoal.contract.kinds import type_name

FORMAT, SCHEMA, CREATED_BY, COLUMN_ORDERS = 1, 2, 6, 7
GROUP_ROWS = 3

_FIELDS = {
    "file": {FORMAT, SCHEMA, 3, GROUPS, CREATED_BY, COLUMN_ORDERS},
    "group": {CHUNKS, 2, GROUP_ROWS, 5, 6},
    "chunk": {2, CHUNK_META},
    "meta": {1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16},
}
"""What the writer writes, for each structure of the footer: all its versions that ever wrote a release, all of it."""

NEVER = {
    **dict.fromkeys([("file", 5)], "key_values"),
    **dict.fromkeys([("group", 4)], "sorting_order"),
    **dict.fromkeys([("chunk", 1)], "chunk_path"),
    **dict.fromkeys([("chunk", field) for field in (4, 5, 6, 7)], "page_index"),
    **dict.fromkeys([("meta", 8)], "chunk_metadata"),
    **dict.fromkeys([("meta", 12)], "statistics"),
}
"""Fields with a meaning that it never writes, and the conditions that are about them."""

_UTC_MICROS: Struct = {8: (STRUCT, {1: (TRUE, None), 2: (STRUCT, {2: (STRUCT, {})})})}
_TYPES: dict[str, tuple[int, Struct]] = {
    "string": (6, {6: whole(0, I32), 10: (STRUCT, {1: (STRUCT, {})})}),
    "timestamp[us, UTC]": (2, {6: whole(10, I32), 10: (STRUCT, _UTC_MICROS)}),
    "int32": (1, {}),
    "float64": (5, {}),
}
"""Parquet's types for those of the contract: the physical one, and what it means."""

_OPTIONAL_COLUMN, _COLUMN_NUMBER = 1, 9


def described(schema: pa.Schema) -> list[Struct] | None:
    """The footer's description of the columns of a table; None where one has a type that no release has."""
    elements: list[Struct] = [{3: whole(0, I32), 4: (BINARY, b"schema"), 5: whole(len(schema), I32)}]
    for field in schema:
        if type_name(field.type) not in _TYPES:
            return None
        physical, meaning = _TYPES[type_name(field.type)]
        name: Field = (BINARY, field.name.encode())
        elements.append({1: whole(physical, I32), 3: whole(_OPTIONAL_COLUMN, I32), 4: name, **meaning})
    return elements


def unnumbered(element: Struct) -> Struct:
    """Leave out the number that a column may have."""
    return {field: value for field, value in element.items() if field != _COLUMN_NUMBER}


def group_rows(footer: Struct) -> list[int]:
    """How many rows each row group has, as the footer says."""
    return [number(group, GROUP_ROWS) for group in parts(footer, GROUPS)]


def unwritten(footer: Struct) -> set[str]:
    """Name the conditions about fields that the writer never writes; ``footer_fields`` for those that nobody knows."""
    found: list[tuple[str, Struct]] = [("file", footer)]
    for group in parts(footer, GROUPS):
        found.append(("group", group))
        for chunk in parts(group, CHUNKS):
            found += [("chunk", chunk), ("meta", meta_of(chunk))]
    extra = {(name, field) for name, struct in found for field in struct.keys() - _FIELDS[name]}
    return {NEVER.get(field, "footer_fields") for field in extra}


def says_what_follows(footer: Struct, table: Table, groups: Sequence[Sequence[Chunk]]) -> bool:
    """Compare a footer with the one that pages and columns make; its schema and its writer are looked at apart."""
    return all(
        found.get(field) == value
        for found, expected in _pairs(footer, table, groups)
        for field, value in expected.items()
    )


def _pairs(footer: Struct, table: Table, groups: Sequence[Sequence[Chunk]]) -> Iterator[tuple[Struct, Struct]]:
    """Yield every structure of a footer, and what it has to say; structures inside it are left out."""
    orders: list[Struct] = [{1: (STRUCT, {})}] * len(table.columns)
    numbers = {FORMAT: whole(2, I32), 3: whole(table.rows), COLUMN_ORDERS: listed(STRUCT, orders)}
    yield footer, numbers
    start = 0
    for group, chunks in zip(parts(footer, GROUPS), groups, strict=True):
        at, end = chunks[0].pages[0].at, chunks[-1].pages[-1].end
        rows = number(group, GROUP_ROWS)
        unpacked = sum(page.whole for chunk in chunks for page in chunk.pages)
        yield group, {2: whole(unpacked), GROUP_ROWS: whole(rows), 5: whole(at), 6: whole(end - at)}
        here = table.between(start, rows)
        for column, (chunk, pages) in enumerate(zip(parts(group, CHUNKS), chunks, strict=True)):
            yield chunk, {2: whole(0)}
            yield meta_of(chunk), _meta(table.schema.field(column), pages, here.column(column))
        start += rows


def _meta(field: pa.Field, chunk: Chunk, values: pa.ChunkedArray) -> Struct:
    """What the metadata of a column chunk have to say."""
    data = [page for page in chunk.pages if page.kind == DATA_PAGE]
    dictionary = [page for page in chunk.pages if page.kind == DICTIONARY_PAGE]
    kinds = Counter((page.kind, page.encoding) for page in data)
    counts = [((DICTIONARY_PAGE, PLAIN), len(dictionary)), *sorted(kinds.items())]
    stats = [{1: whole(kind, I32), 2: whole(code, I32), 3: whole(n, I32)} for (kind, code), n in counts]
    encodings = (PLAIN, RLE, BY_DICTIONARY) if data else (PLAIN, RLE)
    size = sum(page.whole for page in chunk.pages)
    first = chunk.pages[0]
    meta = {
        1: whole(_TYPES[type_name(field.type)][0], I32),
        2: listed(I32, [whole(code)[1] for code in encodings]),
        3: listed(BINARY, [field.name.encode()]),
        4: whole(chunk.codec, I32),
        5: whole(sum(page.rows for page in data)),
        6: whole(size),
        7: whole(chunk.pages[-1].end - first.at),
        9: whole(data[0].at if data else 0),
        11: whole(first.at),
        13: listed(STRUCT, stats),
    }
    if data:
        nulls = values.null_count
        histogram = [whole(nulls)[1], whole(len(values) - nulls)[1]]
        sizes: Struct = {2: listed(I64, []), 3: listed(I64, histogram)}
        if pa.types.is_string(field.type):
            sizes[1] = whole(pc.sum(pc.binary_length(values)).as_py() or 0)
        meta[16] = STRUCT, sizes
    return meta
