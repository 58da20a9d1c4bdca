"""Parquet files as others write them, and as a bad disk leaves them."""

import io
import random
import threading
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.rows import TWELVE, one_row, report_of, same
from shoal.data import parquet, read, read_fixes
from shoal.errors import DataError

ZONES = ("+05:30", "-03:00", "+0530", "+05", "UTC+03:00", "GMT+1", "Z", "UTC", "Europe/Rome", "Mars/Olympus")


def zoned(zone, unit="us"):
    times = pa.array([datetime(2020, 6, 1, 12, tzinfo=UTC)], pa.timestamp(unit, zone))
    return pa.table({"uid": ["a"], "datetime": times, "lat": [6.1], "lng": [-5.2]})


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_are_instants_whatever_their_zone_is_called(tmp_path, capfd, zone, unit):
    pq.write_table(zoned(zone, unit), tmp_path / "e.parquet")
    for source in (tmp_path / "e.parquet", zoned(zone, unit)):
        assert read_fixes(source).t_us.tolist() == [TWELVE * 1_000_000]
        assert report_of(source).time_zone == f"in the data ({zone})"
    assert capfd.readouterr().err == ""


def test_an_empty_zone_is_none_and_an_odd_one_is_not_told(tmp_path):
    for zone in ("", None):
        pq.write_table(zoned(zone), tmp_path / "e.parquet")
        with pytest.raises(DataError, match="times without a zone"):
            read(tmp_path / "e.parquet")
        assert same(read(tmp_path / "e.parquet", tz="UTC"), read(one_row()))
    assert report_of(zoned("[red]\ncanary")).time_zone == "in the data (UTC)"


def test_offsets_of_pandas(tmp_path):
    half = timezone(timedelta(hours=5, minutes=30))
    frame = pd.DataFrame(
        {"uid": ["a"], "datetime": [datetime(2020, 6, 1, 17, 30, tzinfo=half)], "lat": 6.1, "lng": -5.2}
    )
    frame.to_parquet(tmp_path / "e.parquet")
    assert same(read(frame), read(one_row()))
    assert same(read(tmp_path / "e.parquet"), read(one_row()))


def test_dictionaries_hold_text_or_times():
    table = zoned("+05:30")
    packed = pa.table({name: table[name].combine_chunks().dictionary_encode() for name in table.column_names})
    assert same(read(packed), read(one_row()))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[6.1]]),
        pa.array([[("a", 6.1)]], pa.map_(pa.string(), pa.float64())),
        pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        pa.array([Decimal("6.1")], pa.decimal256(40, 2)),
        pa.RunEndEncodedArray.from_arrays([1], [6.1]),
        pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([6.1])]),
        pa.array([[6.1]], pa.list_view(pa.float64())),
        pa.array([{"canary": 6.1}]),
    ],
    ids=lambda column: str(column.type).partition("<")[0],
)
def test_types_that_hold_no_plain_value_are_refused(column, capfd):
    table = zoned("UTC").drop("lat").append_column("lat", column)
    with pytest.raises(DataError, match=r"^a column lat of type"):
        read(table)
    # Where nobody asks for it, it does no harm.
    assert same(read(zoned("UTC").append_column("other", column)), read(one_row()))
    assert capfd.readouterr().err == ""


def test_dates_that_are_stored_as_milliseconds_are_dates(tmp_path):
    table = zoned("UTC").drop("datetime").append_column("datetime", pa.array([datetime(2020, 6, 1)], pa.date64()))
    with pytest.raises(DataError, match="a time column of type Date"):
        read(table, tz="UTC")


def test_extension_types_are_what_they_store():
    ids = pa.ExtensionArray.from_storage(pa.json_(pa.string()), pa.array(["a"]))
    assert same(read(zoned("UTC").drop("uid").append_column("uid", ids)), read(one_row()))


@pytest.mark.parametrize("damage", [b"\xff\xfe", b"\xc3"])
def test_text_that_is_not_utf8_is_refused(tmp_path, damage, capfd):
    broken = pa.array([damage]).view(pa.string())
    table = zoned("UTC").drop("uid").append_column("uid", broken)
    with pytest.raises(DataError, match="a column whose values are damaged"):
        read(table)
    pq.write_table(table, tmp_path / "e.parquet")
    with pytest.raises(DataError, match="truncated or damaged"):
        read(tmp_path / "e.parquet")
    assert capfd.readouterr().err == ""


def test_dictionaries_that_lack_values_are_refused(capfd):
    broken = pa.DictionaryArray.from_arrays(pa.array([7], pa.int32()), pa.array(["a"]), safe=False)
    with pytest.raises(DataError, match="a column whose values are damaged"):
        read(zoned("UTC").drop("uid").append_column("uid", broken))
    assert capfd.readouterr().err == ""


def events(n=3000):
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "uid": [f"canary{i}" for i in rng.integers(0, 50, n)],
            "datetime": rng.integers(1_577_836_800_000_000, 1_587_836_800_000_000, n),
            "lat": 6 + rng.normal(0, 0.1, n),
            "lng": -5 + rng.normal(0, 0.1, n),
        },
        schema_overrides={"datetime": pl.Datetime("us", "UTC")},
    )


def by_polars(frame, **options):
    buffer = io.BytesIO()
    frame.write_parquet(buffer, **options)
    return buffer.getvalue()


def by_arrow(frame, **options):
    buffer = io.BytesIO()
    pq.write_table(frame.to_arrow(), buffer, data_page_size=2000, **options)
    return buffer.getvalue()


WRITERS = {
    "polars, zstd": lambda frame: by_polars(frame),
    "polars, categories": lambda frame: by_polars(
        frame.with_columns(pl.col("uid").cast(pl.Categorical)), compression="uncompressed"
    ),
    "arrow, plain": lambda frame: by_arrow(frame, compression="none", use_dictionary=False),
    "arrow, snappy": lambda frame: by_arrow(frame, compression="snappy"),
    "arrow, checksums": lambda frame: by_arrow(frame, compression="none", write_page_checksum=True),
}


def pages_of(raw):
    """Return where the pages end and the footer begins."""
    return len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")


def said_of(path):
    """Read what may be damaged; return what is said about it."""
    said = ""
    try:
        read_fixes(path)
    except DataError as error:
        said = str(error)
    assert "canary" not in said
    return said


@pytest.mark.parametrize("writer", WRITERS)
def test_noise_in_the_pages_is_an_error_of_the_data_or_none(tmp_path, capfd, writer):
    """Without checksums a changed number is a number; but nothing crashes, and nothing is printed."""
    raw, path = WRITERS[writer](events()), tmp_path / "e.parquet"
    end, refusals = pages_of(raw), 0
    for seed in range(60):
        rng = random.Random(seed)
        start, length = rng.randrange(4, end), rng.choice([1, 10, 1000])
        damaged = bytearray(raw)
        damaged[start : min(start + length, end)] = rng.randbytes(min(length, end - start))
        path.write_bytes(damaged)
        refusals += "truncated or damaged" in said_of(path)
    assert capfd.readouterr().err == ""
    assert refusals >= (50 if writer == "arrow, checksums" else 1)


def test_noise_in_the_footer_is_an_error_of_the_data_or_none(tmp_path, capfd):
    raw, path = by_arrow(events(100)), tmp_path / "e.parquet"
    for seed in range(150):
        rng = random.Random(seed)
        start = rng.randrange(pages_of(raw), len(raw) - 8)
        damaged = bytearray(raw)
        damaged[start : start + rng.choice([1, 4, 40])] = rng.randbytes(4)
        path.write_bytes(damaged)
        said_of(path)
    assert capfd.readouterr().err == ""


def test_what_is_cut_or_has_a_footer_of_nonsense_is_refused(tmp_path, capfd):
    raw, path = by_polars(events()), tmp_path / "e.parquet"
    for damaged in (
        raw[: len(raw) // 2],
        raw[: pages_of(raw)],
        raw[:-1],
        raw[:-4] + b"PARX",
        raw[:-8] + (2**31 - 1).to_bytes(4, "little") + b"PAR1",
        raw[:-8] + b"\x00\x00\x00\x00PAR1",
        raw[:-8] + b"\x01\x00\x00\x00PAR1",
        raw[: len(raw) // 2] + raw[len(raw) // 2 + 100 :],
        b"PAR1PAR1",
        b"PAR1",
    ):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match="truncated or damaged"):
            read(path)
    assert capfd.readouterr().err == ""


def test_a_damaged_part_is_named(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.parquet").write_bytes(by_polars(events(50)))
    (tmp_path / "b.parquet").write_bytes(by_polars(events(50))[:-9])
    with pytest.raises(DataError, match=r"^b.parquet \(file 2 of 3\): a Parquet file that is truncated or damaged"):
        read(tmp_path)


@pytest.mark.parametrize("writer", WRITERS)
def test_all_ways_of_writing_give_the_same(tmp_path, writer):
    path = tmp_path / "e.parquet"
    path.write_bytes(WRITERS[writer](events()))
    assert same(read(path), read(events()))


def test_parts_with_few_and_with_many_people_go_together(tmp_path):
    few, many = events(), events(500).with_columns(uid=pl.format("somebody_else_{}", pl.int_range(500)))
    few.write_parquet(tmp_path / "a.parquet")
    many.write_parquet(tmp_path / "b.parquet")
    assert same(read(tmp_path), read(pl.concat([few, many])))


def test_many_row_groups_and_none_give_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.data.parquet._ROWS_AT_A_TIME", 250)
    pq.write_table(events().to_arrow(), tmp_path / "e.parquet", row_group_size=100)
    assert same(read(tmp_path / "e.parquet"), read(events()))
    pq.write_table(events()[:0].to_arrow(), tmp_path / "e.parquet")
    with pytest.raises(DataError, match=r"^no rows"):
        read(tmp_path / "e.parquet")


@pytest.mark.slow
def test_the_next_batch_is_read_ahead_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_ROWS_AT_A_TIME", 1)
    times = pl.Series([datetime(2020, 6, 1, 12, tzinfo=UTC)] * 5)
    table = pl.DataFrame({"uid": list("abcde"), "datetime": times, "lat": [6.1] * 5, "lng": [-5.2] * 5})
    table.write_parquet(tmp_path / "e.parquet", row_group_size=1)
    asked = []
    read_groups = pq.ParquetFile.read_row_groups

    def noted(self, groups, **options):
        asked.append(groups)
        return read_groups(self, groups, **options)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", noted)
    batches = parquet.parquet_batches(tmp_path / "e.parquet", ["uid"], [])
    for number, name in enumerate("abc"):
        assert next(batches)[0]["uid"].to_list() == [name]
        assert len(asked) <= number + 2
    before = threading.active_count()
    batches.close()
    assert asked == [[0], [1], [2], [3]]
    assert threading.active_count() < before


def test_200_000_columns_are_read_or_refused_in_good_time(tmp_path):
    names = [f"c{i}" for i in range(200_000)]
    table = pa.table(dict.fromkeys(names, pa.array([1], pa.int8())))
    for name, column in zip(("uid", "datetime", "lat", "lng"), zoned("UTC").columns, strict=True):
        table = table.append_column(name, column)
    report = report_of(table)
    assert len(report.ignored_columns) == 200_000
    with pytest.raises(DataError, match=r"no column for lng among c0, .* more names"):
        read(table.drop("lng"))
    with pytest.raises(DataError, match=r"known: .* more names") as caught:
        read(table, columns={"uid": "nobody"})
    assert len(str(caught.value)) < 1000
