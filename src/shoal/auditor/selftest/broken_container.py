"""Broken in the container: what writers add, stray files, digests."""

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.selftest import footer
from shoal.auditor.selftest.broken import Broken, append, say, say_more, set_
from shoal.auditor.selftest.draft import Draft, Written
from shoal.auditor.selftest.footer import BINARY, LIST, STRUCT, Struct, with_footer
from shoal.contract.files import DATA, MANIFEST, PAGE


def _another_writer(file: Struct) -> None:
    file[footer.CREATED_BY] = BINARY, b"laptop of the publisher"


def _path_of_a_chunk(file: Struct) -> None:
    footer.first_chunk(file)[footer.CHUNK_PATH] = BINARY, b"elsewhere.parquet"


def _note_on_a_chunk(file: Struct) -> None:
    note: Struct = {1: (BINARY, b"note"), 2: (BINARY, b"of a chunk")}
    footer.first_chunk(file)[footer.CHUNK_META][1][footer.CHUNK_KEY_VALUES] = LIST, (STRUCT, [note])


def _numbered_columns(draft: Draft) -> None:
    """Let the columns have numbers, as tables of a catalogue have."""

    def forge(_: bytes) -> bytes:
        table = draft.rows()
        fields = [field.with_metadata({"PARQUET:field_id": str(i + 1)}) for i, field in enumerate(table.schema)]
        sink = pa.BufferOutputStream()
        pq.write_table(table.cast(pa.schema(fields)), sink, write_statistics=False, store_schema=False)
        return bytes(sink.getvalue())

    draft.forged = forge


def _linked(written: Written) -> None:
    """Leave a link in place of the data."""
    moved = written.secret / "moved.parquet"
    (written.release / DATA).rename(moved)
    (written.release / DATA).symlink_to(moved)


METADATA = (
    Broken("metadata of a frame in the file", "metadata.key_values", set_("kv", {"pandas": "{}"})),
    Broken("numbers of columns", "metadata.column_metadata", _numbered_columns),
    Broken("another writer", "metadata.writer", set_("forged", with_footer(_another_writer))),
    Broken("statistics of row groups", "metadata.statistics", set_("options", {"write_statistics": True})),
    Broken("a page index", "metadata.page_index", set_("options", {"write_page_index": True})),
    Broken("a note on a column chunk", "metadata.chunk_metadata", set_("forged", with_footer(_note_on_a_chunk))),
    Broken("a path on a column chunk", "metadata.chunk_path", set_("forged", with_footer(_path_of_a_chunk))),
    Broken("a sorting order", "metadata.sorting_order", set_("options", {"sorting_columns": [pq.SortingColumn(0)]})),
)

FILES = (
    Broken("a manifest that is missing", "files.present", tamper=lambda w: (w.release / MANIFEST).unlink()),
    Broken("a file too many", "files.allowed", tamper=append("notes.txt", b"x")),
    Broken("a directory in place of the page", "files.plain", tamper=lambda w: (w.release / PAGE).mkdir()),
    Broken("a link in place of the data", "files.plain", tamper=_linked),
)

DIGESTS = (
    Broken("no digests", "digests.named", say("sha256", None)),
    Broken("a digest of the input", "digests.nothing_else", say("sha256", {"events.parquet": "ab" * 32})),
    Broken("data changed after publication", "digests.data", tamper=append(DATA, b"x")),
    Broken("data that are missing", "digests.data", tamper=lambda w: (w.release / DATA).unlink()),
    Broken("a page that was slipped in", "digests.page", tamper=append(PAGE, b"x")),
    Broken("a digest among the parameters", "digests.no_others", say_more("parameters", note="cd" * 32)),
)
