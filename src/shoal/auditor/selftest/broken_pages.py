"""Broken in the pages of the data: bytes between and inside them, and values that are spelled in another way."""

import pyarrow as pa

from shoal.auditor.parquet_thrift import BINARY, I32, Struct, number, spelled, whole
from shoal.auditor.selftest.broken import Broken, set_
from shoal.auditor.selftest.footer import last_page, replaced, taken_apart, together, with_last_page
from shoal.auditor.selftest.rewritten import rewritten
from shoal.contract.parquet import COMPRESSION

_HIDDEN = b"something"
_SKIPPED = bytes.fromhex("502a4d18") + len(_HIDDEN).to_bytes(4, "little") + _HIDDEN
"""A frame that readers of Zstandard skip."""

_NO_PAGE = b"\xff" * 9
_UNKNOWN = 15


def _before_the_footer(content: bytes) -> bytes:
    body, footer = taken_apart(content)
    return together(body + _HIDDEN, spelled(footer))


def _between_columns(content: bytes) -> bytes:
    *_, end = last_page(content)
    return replaced(content, end, end, _HIDDEN)


def _after_the_pages(content: bytes) -> bytes:
    *_, end = last_page(content)
    return replaced(content, end, end, _NO_PAGE, unpacked=0)


def _field_of_a_header(header: Struct, packed: bytes) -> tuple[Struct, bytes]:
    return {**header, _UNKNOWN: (BINARY, _HIDDEN)}, packed


def _skipped_frame(header: Struct, packed: bytes) -> tuple[Struct, bytes]:
    return header, packed + _SKIPPED


def _after_the_values(header: Struct, packed: bytes) -> tuple[Struct, bytes]:
    return _packed(header, _unpacked(header, packed) + _HIDDEN)


def _run_in_two(header: Struct, packed: bytes) -> tuple[Struct, bytes]:
    """Spell the first run of a name, eight rows long, as two runs of four."""
    content = _unpacked(header, packed)
    run = 4 + int.from_bytes(content[:4], "little") + 1
    count, value = content[run], content[run + 1]
    assert count == 8 << 1
    return _packed(header, content[:run] + bytes([count // 2, value]) * 2 + content[run + 2 :])


def _unpacked(header: Struct, packed: bytes) -> bytes:
    return bytes(pa.Codec(COMPRESSION).decompress(packed, number(header, 2), asbytes=True))


def _packed(header: Struct, content: bytes) -> tuple[Struct, bytes]:
    return {**header, 2: whole(len(content), I32)}, pa.Codec(COMPRESSION).compress(content, asbytes=True)


def _names_backwards(table: pa.Table) -> pa.Table:
    """List the names in the order opposite to that of their first use."""
    names = table["uid"].combine_chunks().dictionary_encode()
    last = len(names.dictionary) - 1
    numbers = pa.array(last - names.indices.to_numpy(), pa.int32())
    return table.set_column(0, "uid", pa.DictionaryArray.from_arrays(numbers, names.dictionary[::-1]))


def _name_of_nobody(table: pa.Table) -> pa.Table:
    """List a name that is not published any more."""
    names = table["uid"].combine_chunks().dictionary_encode()
    more = pa.concat_arrays([names.dictionary, pa.array(["f" * 32])])
    return table.set_column(0, "uid", pa.DictionaryArray.from_arrays(names.indices, more))


PAGES = (
    Broken("bytes in front of the footer", "metadata.gaps", set_("forged", _before_the_footer)),
    Broken("bytes between two columns", "metadata.gaps", set_("forged", _between_columns)),
    Broken("bytes after the pages of a column", "metadata.pages", set_("forged", _after_the_pages)),
    Broken("pages of another kind", "metadata.pages", set_("options", {"data_page_version": "2.0"})),
    Broken(
        "a page with a field of its own", "metadata.page_headers", set_("forged", with_last_page(_field_of_a_header))
    ),
    Broken("checksums of pages", "metadata.page_headers", set_("options", {"write_page_checksum": True})),
    Broken("another compression", "metadata.compression", set_("options", {"compression": "snappy"})),
    Broken("a frame that readers skip", "metadata.frames", set_("forged", with_last_page(_skipped_frame))),
    Broken("no dictionaries", "metadata.encodings", set_("options", {"use_dictionary": False})),
    Broken(
        "names in another encoding",
        "metadata.encodings",
        set_("options", {"use_dictionary": ["lat"], "column_encoding": {"uid": "DELTA_BYTE_ARRAY"}}),
    ),
    Broken("small pages", "metadata.page_rows", set_("options", {"max_rows_per_page": 100})),
    Broken("a name in the dictionary that nobody has", "metadata.dictionary_unused", rewritten(_name_of_nobody)),
    Broken("a dictionary in another order", "metadata.dictionary_order", rewritten(_names_backwards)),
    Broken("bytes after the values of a page", "metadata.contents", set_("forged", with_last_page(_after_the_values))),
    Broken("a run in two pieces", "metadata.contents", set_("forged", with_last_page(_run_in_two))),
    Broken("another level of compression", "metadata.canonical", set_("options", {"compression_level": 19})),
)
