"""Whole people from a stream of batches that is sorted by person: a person may straddle batches, and work may not."""

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.layout import Floats, Ints64

ROWS = 250_000
"""Rows that are handed on at a time, about: enough for a kernel, whose call would cost more than one person."""


def whole_people(batches: Iterable[pa.RecordBatch], key: str, rows: int = ROWS) -> Iterator[pa.Table]:
    """Cut a stream into tables of whole people: at least so many rows each, but for the last; none is empty.

    Parameters
    ----------
    batches
        Rows in which everybody's stand together.
    key
        The column that says whose they are.
    rows
        How many to hand on at a time; a person who has more comes in one piece all the same.

    Examples
    --------
    >>> stream = [pa.record_batch({"uid": list(text)}) for text in ("aab", "b", "", "bcc")]
    >>> [table["uid"].to_pylist() for table in whole_people(stream, "uid", rows=3)]
    [['a', 'a'], ['b', 'b', 'b'], ['c', 'c']]
    >>> list(whole_people([], "uid"))
    []
    """
    waiting: list[pa.RecordBatch] = []
    count, look_at = 0, rows
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        count += batch.num_rows
        if count < look_at:
            continue
        table = pa.Table.from_batches(waiting)
        last = _start_of_last(table[key])
        if last:
            yield table.slice(0, last)
        waiting = table.slice(last).to_batches()
        count -= last
        # Of one person with very many rows not every batch is worth a look.
        look_at = count + rows
    if waiting:
        yield pa.Table.from_batches(waiting)


def columns_of(table: pa.Table) -> tuple[pa.StringArray, Ints64, Ints64, Floats, Floats]:
    """Positions of whole people as reading here gives them: people; of each position the person, time and degrees."""
    uid = table["uid"].combine_chunks()
    fresh = np.concatenate(([True], pc.not_equal(uid[1:], uid[:-1]).to_numpy(zero_copy_only=False)))
    t_us, lat, lng = (table[name].to_numpy() for name in ("epoch_us", "lat", "lng"))
    return uid.filter(pa.array(fresh)), np.cumsum(fresh) - 1, t_us, lat, lng


def _start_of_last(keys: pa.ChunkedArray) -> int:
    """Where the rows of the last person begin."""
    changes = np.flatnonzero(pc.not_equal(keys.slice(1), keys.slice(0, len(keys) - 1)).to_numpy())
    return int(changes[-1]) + 1 if changes.size else 0
