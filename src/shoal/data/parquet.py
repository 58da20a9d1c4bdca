"""Parquet files, read by Arrow: what is damaged in them is an error there, and not the end of the process.

Polars reads as fast, but a damaged page or an unknown zone makes it panic, with a text on the terminal that nobody can
hold back; and it does not compare a page with its checksum.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.data.arrow import to_polars, zones_in
from shoal.errors import DataError

_ROWS_AT_A_TIME = 1_000_000
"""Row groups are read together up to this size: often enough to tell how far it is, seldom enough to cost nothing."""


def parquet_names(path: Path) -> list[str]:
    """Return the names of the columns."""
    with _damage_worded():
        names: list[str] = pq.read_schema(path).names
    return names


def parquet_rows(path: Path) -> int:
    """Return the number of rows that the file says it has."""
    with _damage_worded():
        rows: int = pq.read_metadata(path).num_rows
    return rows


def read_parquet(
    path: Path, columns: Sequence[str], repeated: Collection[str], tell: Callable[[int], None]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Read some columns; also return ``{column: zone}`` of those that hold times with a zone.

    Parameters
    ----------
    path, columns
        What to read.
    repeated
        Columns of identifiers: few values, many times. Such text stays in dictionaries, as it is in the file.
    tell
        Called with the number of rows that have been read.
    """
    frames: list[pl.DataFrame] = []
    zones: dict[str, str] = {}
    done = 0
    with _damage_worded(), _opened(path, repeated) as file:
        if not set(columns) <= set(file.schema_arrow.names):
            raise other_columns()
        for groups in _groups(file.metadata):
            table = file.read_row_groups(groups, columns=list(columns))
            chosen = {name: table[name] for name in columns}
            frames.append(to_polars(chosen))
            zones = zones_in(chosen)
            done += table.num_rows
            tell(done)
        if done != file.metadata.num_rows:
            raise _damaged()
    return pl.concat(frames, rechunk=True), zones


def other_columns() -> DataError:
    return DataError(
        "other columns or types than in the first part",
        expected="the same columns in every part",
        hint="rewrite the parts",
    )


def _opened(path: Path, repeated: Collection[str]) -> pq.ParquetFile:
    schema = pq.read_schema(path)
    text = [name for name in repeated if name in schema.names and _is_text(schema.field(name).type)]
    return pq.ParquetFile(path, read_dictionary=text, page_checksum_verification=True)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _groups(metadata: pq.FileMetaData) -> Iterator[list[int]]:
    """Put row groups together to a good size; at least one list, which may be empty."""
    groups: list[int] = []
    rows = 0
    for number in range(metadata.num_row_groups):
        groups.append(number)
        rows += metadata.row_group(number).num_rows
        if rows >= _ROWS_AT_A_TIME and number + 1 < metadata.num_row_groups:
            yield groups
            groups, rows = [], 0
    yield groups


@contextmanager
def _damage_worded() -> Iterator[None]:
    """Turn Arrow's errors, which may quote the data, into ours, which do not."""
    try:
        yield
    except NotImplementedError:
        raise DataError(
            "a Parquet file with a compression or encoding that is not known here",
            expected="one that Arrow can read, such as zstd or snappy",
            hint="write the file again",
        ) from None
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError, OverflowError):
        raise _damaged() from None


def _damaged() -> DataError:
    return DataError(
        "a Parquet file that is truncated or damaged",
        expected="a complete file",
        hint="copy it again, or read it with another tool to see where it breaks",
    )
