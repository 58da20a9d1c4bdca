"""Rows that come in pieces: the same bytes as in one, and a file that nobody keeps."""

import io
from itertools import pairwise

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.release import parquet
from shoal.release.parquet import write_parquet, write_pieces
from shoal.release.spool import spool


def table_of(rows):
    return pa.table(
        {
            "uid": pa.array([f"{row // 3:032x}" for row in range(rows)], pa.string()),
            "datetime": pa.array(range(rows), pa.timestamp("us", "UTC")),
            "lat": pa.array([row / 7 for row in range(rows)], pa.float64()),
        }
    )


def written(table):
    sink = io.BytesIO()
    write_parquet(table, sink)
    return sink.getvalue()


@given(st.integers(0, 60), st.lists(st.integers(0, 60), max_size=8), st.sampled_from([1, 7, 20, 1000]))
def test_pieces_give_the_bytes_of_the_whole(rows, cuts, group):
    before, parquet.ROWS_PER_GROUP = parquet.ROWS_PER_GROUP, group
    try:
        table = table_of(rows)
        edges = [0, *sorted(min(cut, rows) for cut in cuts), rows]
        pieces = [table.slice(start, stop - start) for start, stop in pairwise(edges)]
        sink = io.BytesIO()
        assert write_pieces(pieces, table.schema, sink) == rows
        assert sink.getvalue() == written(table)
    finally:
        parquet.ROWS_PER_GROUP = before


def test_a_spooled_file_is_that_which_is_published_and_goes_with_its_object(tmp_path):
    table = table_of(100)
    spooled = spool(table.slice(start, 30) for start in range(0, 100, 30))
    assert spooled.num_rows == 100
    assert spooled.schema == table.schema
    assert spooled.read().equals(table)
    assert spooled.some(1).num_rows >= 1
    spooled.copy_to(tmp_path / "data.parquet")
    assert (tmp_path / "data.parquet").read_bytes() == written(table)
    folder = spooled.root.path
    assert folder.stat().st_mode & 0o077 == 0
    del spooled
    assert not folder.exists()
    assert spool([]) is None
