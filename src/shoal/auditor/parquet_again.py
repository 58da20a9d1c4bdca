"""Write the published table again, and compare with the published bytes as they come."""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.contract.parquet import COMPRESSION, ROWS_PER_GROUP, WRITER


class _Comparing:
    """A file to write to, that keeps nothing but how far it is the same as some bytes."""

    closed = False

    def __init__(self, text: memoryview) -> None:
        self._text, self._at, self.same = text, 0, True

    def write(self, piece: bytes) -> int:
        size = len(piece)
        self.same = self.same and self._text[self._at : self._at + size] == memoryview(piece).cast("B")
        self._at += size
        return size

    def all_same(self) -> bool:
        return self.same and self._at == len(self._text)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        """There is nothing to flush."""

    def close(self) -> None:
        """There is nothing to close."""


def written_again(schema: pa.Schema, groups: Iterable[pa.Table], text: memoryview) -> bool:
    """Tell whether bytes are what the writer that is installed here makes of a table, all of them.

    No second copy is held, and nothing is written after the row group in which they differ.
    """
    schema = pa.schema([(field.name, field.type) for field in schema])
    sink = _Comparing(text)
    try:
        with pq.ParquetWriter(sink, schema, compression=COMPRESSION, **WRITER) as writer:
            for group in groups:
                rows = pa.table(group.columns, schema=schema)
                writer.write_table(rows.combine_chunks(), row_group_size=ROWS_PER_GROUP)
                if not sink.same:
                    break
    except (pa.ArrowException, ValueError):
        return False  # a table that the writer does not take cannot have come from it
    return sink.all_same()
