"""What pages hold, byte for byte: the auditor spells the values itself.

Only two things are left to whoever wrote them: where pages end, which is checked elsewhere, and how they are
compressed.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.auditor.parquet_hybrid import hybrid
from shoal.auditor.parquet_pages import Chunk, Page
from shoal.auditor.parquet_thrift import varint
from shoal.contract.parquet import COMPRESSION, DICTIONARY_BYTES, WRITER


class Contents(NamedTuple):
    """What was found in pages.

    Attributes
    ----------
    broken
        Conditions that do not hold: ``dictionary_unused``, ``dictionary_order``, ``encodings``, ``contents``.
    pages
        How many pages there are, with the dictionaries.
    compressed_otherwise
        How many of them hold what they have to, and are compressed otherwise than the compressor installed here does.
    """

    broken: frozenset[str]
    pages: int
    compressed_otherwise: int


class Reader:
    """Compares the pages of column chunks with the values that are in them."""

    def __init__(self, text: memoryview) -> None:
        self._text, self._codec = text, pa.Codec(COMPRESSION)
        self._broken: set[str] = set()
        self._pages = self._otherwise = 0

    def found(self) -> Contents:
        return Contents(frozenset(self._broken), self._pages, self._otherwise)

    def compare(self, chunk: Chunk, values: pa.Array) -> None:
        """Look at a chunk whose pages are encoded as the writer does."""
        if values.null_count:
            self._broken.add("contents")  # no release has empty values
            return
        listed = sum(page.rows for page in chunk.listed)
        encoded = values.slice(0, listed).dictionary_encode()
        if not self._same_dictionary(chunk.pages[0], encoded.dictionary):
            return
        numbers = encoded.indices.to_numpy()
        if _full_before(encoded.dictionary, numbers):
            self._broken.add("encodings")
        start = entries = 0
        for page in chunk.listed:
            refers = numbers[start : start + page.rows]
            entries = max(entries, int(refers.max(initial=0)) + 1)
            width = max(1, (entries - 1).bit_length())
            self._same(page, _levels(page.rows) + bytes([width]) + hybrid(refers, width))
            start += page.rows
        for page in chunk.plain:
            self._same(page, _levels(page.rows) + plain(values.slice(start, page.rows)))
            start += page.rows

    def _same_dictionary(self, page: Page, dictionary: pa.Array) -> bool:
        expected = plain(dictionary)
        if page.rows == len(dictionary):
            # All values are there, and as many: so if they are others, they stand in another order.
            name = "dictionary_order" if page.unpacked == len(expected) else "contents"
            return self._same(page, expected, name)
        self._broken.add("dictionary_unused")
        return False

    def _same(self, page: Page, expected: bytes, name: str = "contents") -> bool:
        packed = self._text[page.start : page.end]
        same = page.unpacked == len(expected) and self._unpacked(packed, page.unpacked) == expected
        self._pages += 1
        if not same:
            self._broken.add(name)
        elif self._codec.compress(expected, asbytes=True) != packed:
            self._otherwise += 1
        return same

    def _unpacked(self, packed: memoryview, size: int) -> bytes | None:
        try:
            return bytes(self._codec.decompress(packed, size, asbytes=True))
        except (pa.ArrowException, OSError):
            return None


def _full_before(dictionary: pa.Array, numbers: NDArray[np.int32]) -> bool:
    """Tell whether a dictionary was full before the last batch of rows that refer to it."""
    before = numbers[: max(0, numbers.size - WRITER["write_batch_size"])]
    return len(plain(dictionary.slice(0, int(before.max(initial=-1)) + 1))) >= DICTIONARY_BYTES


def _levels(rows: int) -> bytes:
    """Spell that none of the values is empty."""
    run = varint(rows << 1) + b"\1"
    return len(run).to_bytes(4, "little") + run


def plain(values: pa.Array) -> bytes:
    """Spell values one after the other, strings with their length in front.

    >>> plain(pa.array([1, 2], pa.int32())).hex(" "), plain(pa.array(["a", "bc"]))
    ('01 00 00 00 02 00 00 00', b'\\x01\\x00\\x00\\x00a\\x02\\x00\\x00\\x00bc')
    """
    if not len(values):
        return b""
    if not pa.types.is_string(values.type):
        width = values.type.bit_width // 8
        return bytes(values.buffers()[1].slice(values.offset * width, len(values) * width))
    lengths = pc.binary_length(values).to_numpy().astype("<i4")
    fronts = pa.Array.from_buffers(pa.binary(4), lengths.size, [None, pa.py_buffer(lengths)]).cast(pa.binary())
    joined = pc.binary_join_element_wise(fronts, values.cast(pa.binary()), b"")
    return bytes(joined.buffers()[2].slice(0, 4 * lengths.size + int(lengths.sum())))
