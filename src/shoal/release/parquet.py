"""How every Parquet file of a release is written: the values, and nothing about where they came from.

Writers like to add things: the frame's index, the Arrow schema with the names of categories, the minimum and
maximum of each row group, dictionaries with values that no row has any more. Here all of it is left out, and
everything that remains is fixed, so that two files differ only where their rows do.
"""

from collections.abc import Iterable, Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.contract.parquet import COMPRESSION, ROWS_PER_GROUP, WRITER


def write_parquet(table: pa.Table, sink: BinaryIO) -> None:
    """Write a table, group of rows by group of rows, so that an interruption is noticed in between."""
    write_pieces([table], table.schema, sink)


def write_pieces(pieces: Iterable[pa.Table], schema: pa.Schema, sink: BinaryIO) -> int:
    """Write a table that comes in pieces, without holding more of it than a group of rows; return how many there were.

    The bytes are those that the table in one piece would give.
    """
    plain, rows = bare(schema.empty_table()).schema, 0
    with pq.ParquetWriter(sink, plain, compression=COMPRESSION, **WRITER) as writer:
        for group in _in_groups(map(bare, pieces), plain):
            # In one piece: the writer starts anew with every piece of a column, and that shows in the bytes.
            writer.write_table(group.combine_chunks(), row_group_size=ROWS_PER_GROUP)
            rows += group.num_rows
    return rows


def _in_groups(pieces: Iterable[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """Cut pieces anew, into groups of rows of the one size; at least one, which may be empty."""
    waiting, some = schema.empty_table(), False
    for piece in pieces:
        waiting = pa.concat_tables([waiting, piece])
        while waiting.num_rows >= ROWS_PER_GROUP:
            yield waiting.slice(0, ROWS_PER_GROUP)
            waiting, some = waiting.slice(ROWS_PER_GROUP), True
    if waiting.num_rows or not some:
        yield waiting


def bare(table: pa.Table) -> pa.Table:
    """Drop all metadata, and decode dictionaries: they may hold values that none of the rows has."""
    columns = [_decoded(column) for column in table.columns]
    fields = [pa.field(name, column.type) for name, column in zip(table.column_names, columns, strict=True)]
    return pa.table(columns, schema=pa.schema(fields))


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
