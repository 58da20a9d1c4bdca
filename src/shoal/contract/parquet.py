"""How the published table is spelled in bytes: every choice that a writer of Parquet has, made once and for all.

Nothing but the rows may show in the bytes. So whoever writes a release writes it like this, and the auditor, who
writes the same rows again by code of its own, expects exactly these bytes.
"""

from typing import Any, Final

COMPRESSION: Final = "zstd"

ROWS_PER_GROUP: Final = 1 << 18
"""Rows of every row group but the last. Each is handed to the writer in one piece: pieces show in the bytes."""

ROWS_PER_PAGE: Final = 20_000
"""Rows of every page, but the last of its kind in a column."""

DICTIONARY_BYTES: Final = 1 << 20
"""A column's values are listed once, and pages refer to the list, until it has so many bytes."""

WRITER: Final[dict[str, Any]] = {
    "version": "2.6",
    "use_dictionary": True,
    "write_statistics": False,
    "write_page_index": False,
    "store_schema": False,
    "data_page_version": "1.0",
    "data_page_size": 1 << 20,
    "max_rows_per_page": ROWS_PER_PAGE,
    "dictionary_pagesize_limit": DICTIONARY_BYTES,
    "write_batch_size": 1024,
}
"""Options of pyarrow's writer, beside the compression."""
