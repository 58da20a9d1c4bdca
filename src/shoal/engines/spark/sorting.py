"""From tables that tasks made to one stream in the order of published names.

Names are random, so their first bits say in which of so many buckets a row belongs, and buckets are about equal. A
bucket is a task: it sorts what it has, and the driver takes one bucket after the other. Sorting everything by Spark
would run the work before it twice, once to see where to cut.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.layout import Ints64
from shoal.engines.spark.failures import careful, failures_told

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "bucket int, beside boolean, content binary"
_STREAM = "beside boolean, content binary"
_ROWS = 20_000
"""In a piece, some 2 MB: what Java and Python hand to each other at a time."""

_BITS, _DIGITS = 32, 32
"""Bits that decide, and hexadecimal digits of a name."""

_VALUE = np.zeros(256, np.uint64)
_VALUE[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)


class Made(NamedTuple):
    """What is made of some people: a table sorted by published names, and what goes to the driver beside it."""

    table: pa.Table
    beside: bytes


def in_buckets(made: Iterable[Made], buckets: list[int], key: str) -> Iterator[pa.RecordBatch]:
    """Cut tables by the first bits of their names, for a shuffle; what stands beside goes anywhere.

    Parameters
    ----------
    made
        What a task made.
    buckets
        What Spark has to be told for each bucket, so that it becomes the task of that number: see `bucket_keys`.
    key
        The column of names, 32 hexadecimal digits.
    """
    for table, beside in made:
        number = bucket_of(table[key], len(buckets))
        edges = np.searchsorted(number, np.arange(len(buckets) + 1))
        for bucket in np.unique(number).tolist():
            piece = table.slice(edges[bucket], edges[bucket + 1] - edges[bucket])
            yield _row(buckets[bucket], False, as_bytes(piece))
        yield _row(buckets[int(number[0]) if number.size else 0], True, beside)


def bucket_of(names: pa.ChunkedArray, buckets: int) -> Ints64:
    """The bucket of each name; it never goes down where names go up.

    >>> bucket_of(pa.chunked_array([["00" * 16, "7f" * 16, "80" * 16, "ff" * 16]]), 4).tolist()
    [0, 1, 2, 3]
    """
    fixed = pa.concat_arrays([names.combine_chunks().cast(pa.binary()).cast(pa.binary(_DIGITS))])  # from its start
    digits = np.frombuffer(fixed.buffers()[1], np.uint8)[: len(fixed) * _DIGITS].reshape(-1, _DIGITS)
    first = np.zeros(len(fixed), np.uint64)
    for place in range(_BITS // 4):
        first = (first << np.uint64(4)) | _VALUE[digits[:, place]]
    return ((first * np.uint64(buckets)) >> np.uint64(_BITS)).astype(np.int64)


def bucket_keys(session: "SparkSession", buckets: int) -> list[int]:
    """A number for each bucket that Spark's own hash sends to the task of that number."""
    wanted: dict[int, int] = {}
    start, many = 0, max(1000, 20 * buckets)
    while len(wanted) < buckets:
        numbers = session.range(start, start + many, numPartitions=1).selectExpr("cast(id as int) as id")
        for row in numbers.selectExpr("id", f"pmod(hash(id), {buckets}) as task").collect():
            wanted.setdefault(row["task"], row["id"])
        start += many
    return [wanted[bucket] for bucket in range(buckets)]


def sorted_stream(made: "DataFrame", buckets: int, key: str) -> Iterator[tuple[bool, bytes]]:
    """Bring all tables to the driver, piece by piece in the order of names, and what stands beside them.

    Parameters
    ----------
    made
        What `in_buckets` gave.
    buckets
        How many there are.
    key
        The column of names.
    """
    pieces = made.repartition(buckets, "bucket").mapInArrow(careful(partial(_sorted_pieces, key=key)), _STREAM)
    context = made.sparkSession.sparkContext
    with failures_told(), ThreadPoolExecutor(1) as ahead:
        # Bucket by bucket, the next one while this one is taken: `toLocalIterator` holds all of them to the end.
        rows = pieces.rdd
        coming = ahead.submit(context.runJob, rows, _as_they_are, [0])
        for bucket in range(buckets):
            here = coming.result()
            if bucket + 1 < buckets:
                coming = ahead.submit(context.runJob, rows, _as_they_are, [bucket + 1])
            for row in here:
                yield bool(row["beside"]), bytes(row["content"])


def _as_they_are(rows: Iterable[Any]) -> Iterable[Any]:
    return rows


def _sorted_pieces(batches: Iterable[pa.RecordBatch], *, key: str) -> Iterator[pa.RecordBatch]:
    """Put together and sort what is in a bucket: what a task does."""
    tables = []
    for batch in batches:
        for beside, content in zip(batch["beside"].to_pylist(), batch["content"].to_pylist(), strict=True):
            if beside:
                yield _piece(True, content)
            else:
                tables.append(from_bytes(content))
    if tables:
        table = pa.concat_tables(tables)
        # Stable: rows of one name stand together, in their order.
        table = table.take(pc.sort_indices(table[key]))
        for start in range(0, table.num_rows, _ROWS):
            yield _piece(False, as_bytes(table.slice(start, _ROWS)))


def as_bytes(table: pa.Table) -> bytes:
    """A table in Arrow's format for streams."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return bytes(sink.getvalue())


def from_bytes(content: bytes) -> pa.Table:
    """The table again.

    >>> from_bytes(as_bytes(pa.table({"a": [1]}))).to_pydict()
    {'a': [1]}
    """
    return pa.ipc.open_stream(content).read_all()


def _row(bucket: int, beside: bool, content: bytes) -> pa.RecordBatch:
    return _batch(bucket=pa.array([bucket], pa.int32()), beside=beside, content=content)


def _piece(beside: bool, content: bytes) -> pa.RecordBatch:
    return _batch(beside=beside, content=content)


def _batch(*, beside: bool, content: bytes, **more: Any) -> pa.RecordBatch:
    return pa.record_batch({**more, "beside": pa.array([beside]), "content": pa.array([content], pa.binary())})
