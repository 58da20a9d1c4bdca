"""How every Parquet file of a release is written: the values, and nothing about where they came from.

Writers like to add things: the frame's index, the Arrow schema with the names of categories, the minimum and
maximum of each row group, dictionaries with values that no row has any more. Here all of it is left out, and
everything that remains is fixed, so that two files differ only where their rows do.
"""

from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.contract.parquet import COMPRESSION, ROWS_PER_GROUP, WRITER


def write_parquet(table: pa.Table, sink: BinaryIO) -> None:
    """Write a table, group of rows by group of rows, so that an interruption is noticed in between."""
    table = bare(table)
    with pq.ParquetWriter(sink, table.schema, compression=COMPRESSION, **WRITER) as writer:
        for start in range(0, max(table.num_rows, 1), ROWS_PER_GROUP):
            # In one piece: the writer starts anew with every piece of a column, and that shows in the bytes.
            group = table.slice(start, ROWS_PER_GROUP).combine_chunks()
            writer.write_table(group, row_group_size=ROWS_PER_GROUP)


def bare(table: pa.Table) -> pa.Table:
    """Drop all metadata, and decode dictionaries: they may hold values that none of the rows has."""
    columns = [_decoded(column) for column in table.columns]
    fields = [pa.field(name, column.type) for name, column in zip(table.column_names, columns, strict=True)]
    return pa.table(columns, schema=pa.schema(fields))


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
