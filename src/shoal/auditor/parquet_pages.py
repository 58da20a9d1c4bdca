"""The pages of a Parquet file, one after the other up to the footer: nothing may stand between them."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.auditor.parquet_thrift import (
    FALSE,
    I32,
    MISSING,
    STRUCT,
    MalformedError,
    Struct,
    number,
    parts,
    read,
    spelled,
    whole,
)
from shoal.contract.parquet import DICTIONARY_BYTES, ROWS_PER_PAGE

MAGIC = b"PAR1"
DATA_PAGE, DICTIONARY_PAGE = 0, 2
PLAIN, RLE, BY_DICTIONARY = 0, 3, 8
ZSTD = 6
"""Numbers of Parquet's own: kinds of pages, encodings, the compression."""

GROUPS, CHUNKS, CHUNK_META = 4, 1, 3
"""Fields of the file, of a row group, of a column chunk."""

CODEC, CHUNK_BYTES, DATA_AT, DICTIONARY_AT = 4, 7, 9, 11
"""Fields of a column chunk's metadata."""

_DETAILS = {DATA_PAGE: 5, DICTIONARY_PAGE: 7}


@dataclass(frozen=True, slots=True)
class Page:
    """A page: where its header and its content start and end, and what the header says."""

    at: int
    start: int
    end: int
    kind: int
    unpacked: int
    rows: int
    encoding: int

    @property
    def whole(self) -> int:
        """Its bytes, unpacked, with its header: as Parquet counts them."""
        return self.start - self.at + self.unpacked


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column of a row group: its pages."""

    pages: tuple[Page, ...]
    codec: int

    @property
    def rows(self) -> int:
        return sum(page.rows for page in self.pages if page.kind == DATA_PAGE)

    @property
    def listed(self) -> tuple[Page, ...]:
        """The pages that refer to the dictionary."""
        return tuple(p for p in self.pages if p.kind == DATA_PAGE and p.encoding == BY_DICTIONARY)

    @property
    def plain(self) -> tuple[Page, ...]:
        return tuple(p for p in self.pages if p.kind == DATA_PAGE and p.encoding == PLAIN)

    @property
    def encoded_as_written(self) -> bool:
        """A dictionary, pages that refer to it and, only once it is full, pages that do not."""
        if not self.pages or self.pages[1:] != (*self.listed, *self.plain):
            return False
        first = self.pages[0]
        room = first.unpacked < DICTIONARY_BYTES
        return (first.kind, first.encoding) == (DICTIONARY_PAGE, PLAIN) and not (room and self.plain)

    @property
    def cut_as_written(self) -> bool:
        """Pages of the fixed number of rows."""
        return all(_cut([page.rows for page in pages]) for pages in (self.listed, self.plain))


def _cut(rows: Sequence[int]) -> bool:
    return all(n == ROWS_PER_PAGE for n in rows[:-1]) and all(0 < n <= ROWS_PER_PAGE for n in rows[-1:])


class GapError(MalformedError):
    """There are bytes that belong to nothing."""


def walk(text: memoryview, footer: Struct, end: int) -> list[list[Chunk]]:
    """Read the headers of all pages, the columns of each row group in order, from the magic to the footer at ``end``.

    Raises
    ------
    GapError
        Where a column starts elsewhere than the one before it ends, or the footer does.
    MalformedError
        Where the bytes of a column are not pages.
    """
    at = len(MAGIC)
    groups = []
    for group in parts(footer, GROUPS):
        chunks = []
        for chunk in parts(group, CHUNKS):
            meta = meta_of(chunk)
            start = number(meta, DICTIONARY_AT if DICTIONARY_AT in meta else DATA_AT)
            size = number(meta, CHUNK_BYTES)
            if start != at or size < 0 or at + size > end:
                raise GapError
            pages = []
            while at < start + size:
                pages.append(_page(text, at, start + size))
                at = pages[-1].end
            chunks.append(Chunk(tuple(pages), number(meta, CODEC)))
        groups.append(chunks)
    if at != end:
        raise GapError
    return groups


def meta_of(chunk: Struct) -> Struct:
    """Return the metadata of a column chunk; empty where they are missing."""
    type_, meta = chunk.get(CHUNK_META, MISSING)
    return dict(meta) if type_ == STRUCT else {}


def _page(text: memoryview, at: int, end: int) -> Page:
    header, start = read(text[:end], at)
    kind = number(header, 1)
    type_, details = header.get(_DETAILS.get(kind, 0), MISSING)
    if type_ != STRUCT:
        raise MalformedError
    packed = number(header, 3)
    page = Page(at, start, start + packed, kind, number(header, 2), number(details, 1), number(details, 2))
    if min(packed, page.unpacked, page.rows) < 0 or page.end > end:
        raise MalformedError
    return page


def header_as_written(text: memoryview, page: Page, *, empty_statistics: bool) -> bool:
    """Tell whether a page's header says what it has to and nothing else, in the only spelling of that.

    Statistics that are empty are spelled out by some versions of the writer.
    """
    details = {1: whole(page.rows, I32), 2: whole(page.encoding, I32)}
    if page.kind == DICTIONARY_PAGE:
        details[3] = FALSE, None
    else:
        details[3] = details[4] = whole(RLE, I32)
        if empty_statistics:
            details[5] = STRUCT, {}
    numbers = {n: whole(v, I32) for n, v in ((1, page.kind), (2, page.unpacked), (3, page.end - page.start))}
    return text[page.at : page.start] == spelled({**numbers, _DETAILS[page.kind]: (STRUCT, details)})
