"""Parquet files, read by Arrow: what is damaged in them is an error there, and not the end of the process.

Polars reads as fast, but a damaged page or an unknown zone makes it panic, with a text on the terminal that nobody can
hold back; and it does not compare a page with its checksum.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.data.arrow import to_polars, zones_in
from shoal.data.parts import unlike_others
from shoal.errors import DataError

_ROWS_AT_A_TIME = 1_000_000
"""Row groups are read together up to this size: often enough to tell how far it is, seldom enough to cost nothing."""

_BYTES_OF_AN_INDEX = 8
"""A column of text that takes less than this a row is stored as indices of a dictionary, or is short."""


def parquet_names(path: Path) -> list[str]:
    """Return the names of the columns."""
    with _damage_worded():
        names: list[str] = pq.read_schema(path).names
    return names


def parquet_size(path: Path, repeated: Collection[str]) -> tuple[int, set[str]]:
    """Return the number of rows that the file says it has, and which of some columns hold text of few values.

    Such text may stay in dictionaries, as it is in the file: a quarter of the memory, and less work.
    """
    with _damage_worded():
        metadata = pq.read_metadata(path)
        schema = metadata.schema.to_arrow_schema()
        text = [name for name in repeated if name in schema.names and _is_text(schema.field(name).type)]
        few = {name for name in text if _bytes_of(name, metadata) < _BYTES_OF_AN_INDEX * metadata.num_rows}
    return metadata.num_rows, few


def read_parquet(
    path: Path, columns: Sequence[str], few: Collection[str], tell: Callable[[int], None]
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Read some columns; also return ``{column: zone}`` of those that hold times with a zone.

    Parameters
    ----------
    path, columns
        What to read.
    few
        Columns of text that stays in dictionaries.
    tell
        Called with the number of rows that have been read.
    """
    frames: list[pl.DataFrame] = []
    zones: dict[str, str] = {}
    done = 0
    for frame, zones in parquet_batches(path, columns, few):  # noqa: B007
        frames.append(frame)
        done += frame.height
        tell(done)
    return pl.concat(frames), zones


def parquet_batches(
    path: Path, columns: Sequence[str], few: Collection[str]
) -> Iterator[tuple[pl.DataFrame, dict[str, str]]]:
    """Read as :func:`read_parquet` does, some row groups at a time; at least one batch, which may be empty."""
    done = 0
    # The pool outlives the file's last reading, and the file is open as long as it may be read.
    with (
        _damage_worded(),
        pq.ParquetFile(path, read_dictionary=few, page_checksum_verification=True) as file,
        ThreadPoolExecutor(1) as pool,
    ):
        if not set(columns) <= set(file.schema_arrow.names):
            raise unlike_others()
        groups = list(_groups(file.metadata))
        read = partial(file.read_row_groups, columns=list(columns))
        # What comes next is read while somebody works on what was.
        coming = pool.submit(read, groups[0])
        for following in [*groups[1:], None]:
            table = coming.result()
            if following is not None:
                coming = pool.submit(read, following)
            chosen = {name: table[name] for name in columns}
            done += table.num_rows
            yield to_polars(chosen), zones_in(chosen)
        if done != file.metadata.num_rows:
            raise _damaged()


def has_time_stamps(path: Path, column: str) -> bool:
    """Tell whether a column holds time stamps: those need no look at all rows to be understood.

    Of a damaged file nothing can be told; reading it says so, and which file of several it is.
    """
    try:
        with _damage_worded():
            schema = pq.read_schema(path)
    except DataError:
        return False
    return column in schema.names and bool(pa.types.is_timestamp(schema.field(column).type))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _bytes_of(name: str, metadata: pq.FileMetaData) -> int:
    """How much a column takes, unpacked."""
    number = next(i for i in range(metadata.num_columns) if metadata.schema.column(i).path == name)
    groups = range(metadata.num_row_groups)
    return sum(int(metadata.row_group(group).column(number).total_uncompressed_size) for group in groups)


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
