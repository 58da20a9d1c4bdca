"""Every byte of data.parquet accounted for: the conditions, from the magic at its start to the one at its end."""

import re
from collections.abc import Sequence

from shoal.auditor.conditions import Hold
from shoal.auditor.parquet_contents import Contents, Reader
from shoal.auditor.parquet_footer import (
    CREATED_BY,
    NEVER,
    SCHEMA,
    described,
    group_rows,
    says_what_follows,
    unnumbered,
    unwritten,
)
from shoal.auditor.parquet_pages import MAGIC, ZSTD, Chunk, GapError, header_as_written, walk
from shoal.auditor.parquet_thrift import BINARY, MalformedError, Struct, parts, read, spelled
from shoal.auditor.parquet_zstd import is_plain
from shoal.auditor.table import Table
from shoal.contract.parquet import ROWS_PER_GROUP

FOOTER = ("magic", "footer_readable", "footer_spelling", "footer_fields", *sorted(set(NEVER.values())), "writer")
COLUMNS = ("column_metadata", "schema_elements", "row_groups")
PAGES = (
    *("gaps", "pages", "rows", "page_headers", "compression", "frames", "encodings", "page_rows", "footer_values"),
    *("dictionary_unused", "dictionary_order", "contents"),
)

_END = 8
"""Bytes after the footer: its length, and the magic again."""

_WRITER = re.compile(r"parquet-cpp-arrow version ((0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){2})(-SNAPSHOT)?")
_CARRIES = {
    "key_values": "key-value entries",
    "statistics": "statistics",
    "page_index": "a page index",
    "chunk_metadata": "metadata of column chunks",
    "chunk_path": "a path to another file",
    "sorting_order": "a sorting order",
    "footer_fields": "fields in its footer that its writer does not write",
}
_HOLDS = {
    "dictionary_unused": "dictionaries with values that no row has",
    "dictionary_order": "dictionaries in another order than that of first use",
    "encodings": "dictionaries that went on after they were full",
    "contents": "pages that hold more than their values, or spell them in an unusual way",
}


def footer_of(text: memoryview, hold: Hold) -> Struct | None:
    """Read the footer, and see that it is the plain spelling of known fields; None where it cannot be read."""
    start = _footer_at(text)
    framed = start >= len(MAGIC) and text[: len(MAGIC)] == MAGIC == text[-len(MAGIC) :]
    if not hold("magic", framed, "data.parquet does not start and end as such files do"):
        return None
    try:
        footer, _ = read(text[:-_END], start)
    except MalformedError:
        hold("footer_readable", False, "the footer of data.parquet cannot be read")
        return None
    plain = spelled(footer) == text[start:-_END]
    hold("footer_spelling", plain, "the footer of data.parquet is not spelled as its writer does")
    found = unwritten(footer)
    for name, words in _CARRIES.items():
        hold(name, name not in found, f"data.parquet carries {words}")
    return footer


def _footer_at(text: memoryview) -> int:
    return len(text) - _END - int.from_bytes(text[-_END : -len(MAGIC)], "little")


def writer_of(footer: Struct, hold: Hold) -> str | None:
    """Return what the footer says of its writer; only the version of the one writer is free."""
    type_, said = footer.get(CREATED_BY, (None, b""))
    found = said.decode("latin-1") if type_ == BINARY else ""
    return found if hold("writer", bool(_WRITER.fullmatch(found)), "data.parquet names an unexpected writer") else None


def version_in(writer: str) -> str:
    """Return the version in the name of a writer.

    >>> version_in("parquet-cpp-arrow version 26.0.1")
    '26.0.1'
    """
    match = _WRITER.fullmatch(writer)
    assert match is not None
    return match[1]


def columns(footer: Struct, table: Table, hold: Hold) -> bool:
    """See that columns are described as the table's are, and row groups have the fixed size; say if so."""
    elements, total = parts(footer, SCHEMA), table.rows
    plain = [unnumbered(element) for element in elements]
    hold("column_metadata", plain == elements, "data.parquet carries numbers of columns")
    same = hold("schema_elements", plain == described(table.schema), "columns are not described as its writer does")
    sizes = [min(ROWS_PER_GROUP, total - start) for start in range(0, max(total, 1), ROWS_PER_GROUP)]
    hold("row_groups", group_rows(footer) == sizes, f"row groups that do not have {ROWS_PER_GROUP:,} rows")
    return same


def pages(text: memoryview, footer: Struct, table: Table, hold: Hold) -> list[list[Chunk]] | None:
    """Find all pages, and see that there is nothing else; None where what they hold cannot be looked at."""
    try:
        groups = walk(text, footer, _footer_at(text))
    except GapError:
        hold("gaps", False, "data.parquet has bytes that belong to no column")
        return None
    except MalformedError:
        hold("pages", False, "data.parquet has bytes in its columns that are not pages of its writer")
        return None
    if not hold("rows", _rows_agree(footer, table, groups), "columns have other rows than the footer says"):
        return None
    chunks = [chunk for group in groups for chunk in group]
    found = [page for chunk in chunks for page in chunk.pages]
    odd = min(sum(not header_as_written(text, p, empty_statistics=way) for p in found) for way in (True, False))
    hold.none("page_headers", odd, "pages with another header than its writer writes")
    sound = hold("compression", all(chunk.codec == ZSTD for chunk in chunks), "columns are not compressed with zstd")
    if sound:
        odd = sum(not is_plain(text[page.start : page.end], page.unpacked) for page in found)
        sound &= hold.none("frames", odd, "pages with something beside their compressed content")
    odd = sum(not chunk.encoded_as_written for chunk in chunks)
    sound &= hold.none("encodings", odd, "columns that are not encoded as its writer does")
    odd = sum(not chunk.cut_as_written for chunk in chunks)
    hold.none("page_rows", odd, "columns that are not cut into pages as its writer does")
    if sound:
        follows = says_what_follows(footer, table, groups)
        hold("footer_values", follows, "the footer of data.parquet says what does not follow from its pages")
    return groups if sound else None


def _rows_agree(footer: Struct, table: Table, groups: Sequence[Sequence[Chunk]]) -> bool:
    rows = group_rows(footer)
    return (
        sum(rows) == table.rows
        and len(table.columns) > 0
        and all(len(chunks) == len(table.columns) for chunks in groups)
        and all(chunk.rows == n for n, chunks in zip(rows, groups, strict=True) for chunk in chunks)
    )


def contents(text: memoryview, table: Table, groups: Sequence[Sequence[Chunk]], hold: Hold) -> Contents:
    """Spell what all pages have to hold, and compare."""
    reader, start = Reader(text), 0
    for chunks in groups:
        rows = table.between(start, chunks[0].rows)
        for column, chunk in zip(rows.columns, chunks, strict=True):
            reader.compare(chunk, column.combine_chunks())
        start += chunks[0].rows
    found = reader.found()
    for name, words in _HOLDS.items():
        hold(name, name not in found.broken, f"data.parquet has {words}")
    return found
