import io
import struct

import geopandas as gpd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.release import parquet

TABLE = pa.table(
    {
        "uid": ["ffee0011" * 4, "aabb2233" * 4, "aabb2233" * 4],
        "datetime": pa.array([0, 1_700_000_000_000_000, 1_700_000_060_123_456], pa.timestamp("us", "UTC")),
        "x": pa.array([1, -2, 3], pa.int32()),
        "lat": [5.123456, 0.0, -1.5],
        "lng": [-4.0, 179.999999, 0.25],
    }
)


def written(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_parquet(table, sink)
    return sink.getvalue()


def footer(content: bytes) -> bytes:
    (size,) = struct.unpack("<I", content[-8:-4])
    return content[-8 - size : -8]


def dirty(table: pa.Table) -> pa.Table:
    """The same rows with everything that a frame drags along."""
    category = pa.chunked_array(
        [pa.array(["not-published-any-more", "ffee0011" * 4, "aabb2233" * 4]).dictionary_encode().slice(1)]
    )
    wide = pa.concat_tables([table, table]).slice(1, 2).set_column(0, "uid", category)
    fields = [wide.schema.field(i).with_metadata({"PARQUET:field_id": "77"}) for i in range(wide.num_columns)]
    return wide.cast(pa.schema(fields, {"pandas": '{"index_columns": ["secret-index"]}', "host": "my-host"}))


def test_no_metadata_and_no_statistics():
    content = written(dirty(TABLE))
    for word in (b"pandas", b"ARROW:schema", b"secret-index", b"my-host", b"not-published-any-more"):
        assert word not in content
    meta = pq.read_metadata(io.BytesIO(content))
    assert meta.metadata is None
    assert meta.created_by.startswith("parquet-cpp-arrow version ")
    for i in range(meta.num_columns):
        column = meta.row_group(0).column(i)
        assert not column.is_stats_set
        assert column.statistics is None
        assert not column.has_column_index
        assert not column.has_offset_index
        assert column.compression == "ZSTD"
        assert column.metadata is None
    assert b"PARQUET:field_id" not in content


def test_the_footer_has_no_values():
    assert b"aabb2233" not in footer(written(TABLE))
    assert b"ffee0011" not in footer(written(TABLE))
    with_statistics = io.BytesIO()
    pq.write_table(TABLE, with_statistics)
    assert b"aabb2233" in footer(with_statistics.getvalue()), "the check above would see them"


def test_unused_values_of_a_dictionary_are_not_written_even_uncompressed(monkeypatch):
    monkeypatch.setattr(parquet, "COMPRESSION", "none")
    content = written(dirty(TABLE))
    assert b"aabb2233" in content
    assert b"not-published-any-more" not in content


def test_bytes_depend_on_the_rows_alone():
    rows = TABLE.slice(1)
    again = pa.concat_tables([TABLE.slice(1, 1), TABLE.slice(2, 1)]).replace_schema_metadata({"a": "b"})
    assert written(rows) == written(again)


def test_groups_of_rows_have_a_fixed_size(monkeypatch):
    monkeypatch.setattr(parquet, "ROWS_PER_GROUP", 100)
    chunks = pa.concat_tables([pa.table({"x": np.arange(n)}) for n in (7, 150, 93)])
    meta = pq.read_metadata(io.BytesIO(written(chunks)))
    assert [meta.row_group(i).num_rows for i in range(meta.num_row_groups)] == [100, 100, 50]


@pytest.mark.parametrize("table", [TABLE, TABLE.slice(0, 0)], ids=["rows", "empty"])
def test_every_reader_gives_the_same_back(table, tmp_path):
    path = tmp_path / "data.parquet"
    path.write_bytes(written(table))
    back = pq.read_table(path)
    assert back == table
    assert back.schema.field("datetime").type == pa.timestamp("us", "UTC")
    assert pq.read_schema(path) == table.schema

    by_polars = pl.read_parquet(path)
    assert by_polars.schema["datetime"] == pl.Datetime("us", "UTC")
    assert by_polars.schema["uid"] == pl.String
    assert by_polars.equals(pl.from_arrow(table))

    by_pandas = pd.read_parquet(path)
    assert str(by_pandas["datetime"].dtype) == "datetime64[us, UTC]"
    assert by_pandas["x"].dtype == np.int32
    pd.testing.assert_frame_equal(by_pandas, table.to_pandas())

    points = gpd.GeoDataFrame(by_pandas, geometry=gpd.points_from_xy(by_pandas.lng, by_pandas.lat), crs=4326)
    assert points.geometry.x.tolist() == table["lng"].to_pylist()
