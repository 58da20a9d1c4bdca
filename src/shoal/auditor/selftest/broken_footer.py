"""Broken in the footer of the data: what writers add there, and what can be hidden in it."""

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.parquet_pages import GROUPS
from shoal.auditor.parquet_thrift import BINARY, I32, I64, STRUCT, Struct, listed, parts, whole
from shoal.auditor.selftest.broken import Broken, set_
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.footer import first_chunk, first_meta, with_footer, with_spelling
from shoal.auditor.selftest.rewritten import rewritten

_WRITER, _SCHEMA, _NAME, _COLUMN_ORDERS = 6, 2, 4, 7
_GROUP_AT = 5
_PATH, _CHUNK_AT = 1, 2
_UNPACKED, _NOTES, _FILTER_AT, _SIZES = 6, 8, 14, 16
"""Numbers of fields: of the file and of an element of its schema, a row group, a column chunk, its metadata."""

_UNKNOWN = 19


def _another_writer(file: Struct) -> None:
    file[_WRITER] = BINARY, b"laptop of the publisher"


def _another_version(file: Struct) -> None:
    file[_WRITER] = BINARY, b"parquet-cpp-arrow version 1.2.3"


def _version_to_come(draft: Draft) -> None:
    """Name a version of the writer that there is not yet, in both places."""
    draft.manifest["versions"] = {**draft.manifest["versions"], "pyarrow": "99.9.9"}
    version = BINARY, b"parquet-cpp-arrow version 99.9.9"
    draft.forged = with_footer(lambda file: file.__setitem__(_WRITER, version))


def _no_order_of_columns(file: Struct) -> None:
    del file[_COLUMN_ORDERS]


def _no_place_of_a_group(file: Struct) -> None:
    del parts(file, GROUPS)[0][_GROUP_AT]


def _path_of_a_chunk(file: Struct) -> None:
    first_chunk(file)[_PATH] = BINARY, b"elsewhere.parquet"


def _note_on_a_chunk(file: Struct) -> None:
    note: Struct = {1: (BINARY, b"note"), 2: (BINARY, b"of a chunk")}
    first_meta(file)[_NOTES] = listed(STRUCT, [note])


def _field_of_the_file(file: Struct) -> None:
    file[_UNKNOWN] = BINARY, b"something"


def _field_of_a_chunk(file: Struct) -> None:
    first_meta(file)[_UNKNOWN] = whole(7, I32)


def _filter_that_is_none(file: Struct) -> None:
    first_meta(file)[_FILTER_AT] = whole(7)


def _name_of_the_schema(file: Struct) -> None:
    parts(file, _SCHEMA)[0][_NAME] = BINARY, b"laptop"


def _another_order(file: Struct) -> None:
    parts(file, _COLUMN_ORDERS)[0].clear()


def _place_of_a_chunk(file: Struct) -> None:
    first_chunk(file)[_CHUNK_AT] = whole(123_456_789)


def _size_of_a_chunk(file: Struct) -> None:
    first_meta(file)[_UNPACKED] = whole(123_456_789)


def _counts_of_a_chunk(file: Struct) -> None:
    first_meta(file)[_SIZES][1][2] = listed(I64, [7])


def _one_row_less(file: Struct) -> None:
    """Tell of one row less than there are: the last one is still there, and no reader shows it."""
    group = parts(file, GROUPS)[-1]
    for struct in (file, group):
        struct[3] = struct[3][0], struct[3][1] - 2


def _numbered(table: pa.Table) -> pa.Table:
    """Let the columns have numbers, as tables of a catalogue have."""
    fields = [field.with_metadata({"PARQUET:field_id": str(i + 1)}) for i, field in enumerate(table.schema)]
    return table.cast(pa.schema(fields))


def _never_empty(table: pa.Table) -> pa.Table:
    """Say of some columns that no value of theirs is empty."""
    fields = [field.with_nullable(number % 2 == 0) for number, field in enumerate(table.schema)]
    return table.cast(pa.schema(fields))


_WIDE = with_spelling(lambda footer: footer[:1] + bytes([footer[1] | 128, 0]) + footer[2:])
_FRACTION = with_spelling(lambda footer: footer[:-1] + bytes([0x87]) + b"a number" + b"\0")

FOOTER = (
    Broken("other bytes at the start", "metadata.magic", set_("forged", lambda content: b"MINE" + content[4:])),
    Broken("a fraction in the footer", "metadata.footer_readable", set_("forged", _FRACTION)),
    Broken("a number that is spelled wider than it is", "metadata.footer_spelling", set_("forged", _WIDE)),
    Broken(
        "bytes at the end of the footer",
        "metadata.footer_spelling",
        set_("forged", with_spelling(lambda footer: footer + b"something")),
    ),
    Broken("a field that nobody knows", "metadata.footer_fields", set_("forged", with_footer(_field_of_the_file))),
    Broken(
        "a column with a field of its own", "metadata.footer_fields", set_("forged", with_footer(_field_of_a_chunk))
    ),
    Broken("a filter of values", "metadata.footer_fields", set_("forged", with_footer(_filter_that_is_none))),
    Broken("metadata of a frame in the file", "metadata.key_values", set_("kv", {"pandas": "{}"})),
    Broken("statistics of row groups", "metadata.statistics", set_("options", {"write_statistics": True})),
    Broken("a page index", "metadata.page_index", set_("options", {"write_page_index": True})),
    Broken("a note on a column chunk", "metadata.chunk_metadata", set_("forged", with_footer(_note_on_a_chunk))),
    Broken("a path on a column chunk", "metadata.chunk_path", set_("forged", with_footer(_path_of_a_chunk))),
    Broken("a sorting order", "metadata.sorting_order", set_("options", {"sorting_columns": [pq.SortingColumn(0)]})),
    Broken("another writer", "metadata.writer", set_("forged", with_footer(_another_writer))),
    Broken("another version of the writer", "metadata.writer_version", set_("forged", with_footer(_another_version))),
    Broken("numbers of columns", "metadata.column_metadata", rewritten(_numbered)),
    Broken("a name of the schema", "metadata.schema_elements", set_("forged", with_footer(_name_of_the_schema))),
    Broken("columns that are never empty", "metadata.schema_elements", rewritten(_never_empty)),
    Broken("small row groups", "metadata.row_groups", set_("options", {"row_group_size": 100})),
    Broken("a row that the footer hides", "metadata.rows", set_("forged", with_footer(_one_row_less))),
    Broken("a place of a column", "metadata.footer_values", set_("forged", with_footer(_place_of_a_chunk))),
    Broken("a size of a column", "metadata.footer_values", set_("forged", with_footer(_size_of_a_chunk))),
    Broken("counts of a column", "metadata.footer_values", set_("forged", with_footer(_counts_of_a_chunk))),
    Broken("another order of columns", "metadata.footer_values", set_("forged", with_footer(_another_order))),
    Broken("no order of columns", "metadata.footer_values", set_("forged", with_footer(_no_order_of_columns))),
    Broken("no place of a row group", "metadata.footer_values", set_("forged", with_footer(_no_place_of_a_group))),
    Broken("a version of the writer to come", "metadata.writer_possible", _version_to_come),
)
