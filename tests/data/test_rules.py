"""Identifiers come through unchanged, and rows that break a rule are named or counted."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.rows import NOON, TWELVE, one_row, report_of, same
from shoal.data import Grid, ReadOptions, read, read_with_report
from shoal.errors import DataError, ParameterError

STRANGE = [
    "01",
    "1",
    "1.0",
    "12345678901234567890",
    "12345678901234567891",
    "two\nlines",
    'with "quotes"',
    "it's, well; a|mess",
    "../../etc/passwd",
    "=cmd()",
    "@SUM(1+1)",
    "ünï©ødé 😀",
    "e\u0301",
    "é",
    "null",
    "NA",
    "nan",
    "None",
    " padded ",
    "a" * 5000,
    "%s{0}[red]",
    "0x10",
    "TRUE",
]


@pytest.mark.parametrize("door", ["polars", "pandas", "parquet", "csv", "csv.gz"])
def test_strange_identifiers_come_through_unchanged(tmp_path, door):
    frame = pl.DataFrame({"uid": STRANGE}).with_columns(datetime=pl.lit("2020-06-01T12:00:00Z"), lat=6.1, lng=-5.2)
    path = tmp_path / f"events.{door}"
    if door == "parquet":
        frame.write_parquet(path)
    elif door == "csv":
        path.write_text(frame.write_csv())
    elif door == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    traces = read({"polars": frame, "pandas": frame.to_pandas()}.get(door, path))
    assert traces.people.to_pylist() == sorted(STRANGE, key=str.encode)


@settings(max_examples=50)
@given(st.lists(st.text(min_size=1).filter(lambda s: s.strip()), min_size=1, max_size=20, unique=True))
def test_any_text_is_an_identifier(uids):
    frame = pl.DataFrame({"uid": uids}).with_columns(datetime=pl.lit("2020-06-01T12:00:00Z"), lat=6.1, lng=-5.2)
    assert sorted(read(frame).people.to_pylist()) == sorted(uids)


def test_whole_numbers_become_their_digits():
    frame = pl.concat([one_row(uid=2**63 - 1), one_row(uid=7)])
    assert read(frame).people.to_pylist() == ["7", "9223372036854775807"]


@pytest.mark.parametrize("uid", [1.0, True, NOON, b"a"])
def test_identifiers_that_would_change_are_refused(uid):
    with pytest.raises(DataError, match="a uid column of type"):
        read(one_row(uid=uid))


@pytest.mark.parametrize("uid", [None, "", "  ", "\t"])
def test_blank_identifiers_break_a_rule(uid):
    frame = pl.concat([one_row(), one_row(uid=uid).cast({"uid": pl.String})])
    for kind in (pl.String, pl.Categorical):
        with pytest.raises(DataError, match="row 2: a null or blank uid"):
            read(frame.with_columns(pl.col("uid").cast(kind)))


BAD = {
    "latitude": {"lat": 91.0},
    "longitude": {"lng": -180.5},
    "zero position": {"lat": 0.0, "lng": 0.0},
    "coordinate": {"lat": float("nan")},
    "year": {"datetime": "1970-01-01T00:00:00Z"},
    "datetime": {"datetime": "yesterday"},
    "uid": {"uid": " "},
}


@pytest.mark.parametrize("rule", BAD)
def test_the_first_bad_row_is_named_and_dropping_counts_them(rule):
    frame = pl.concat([one_row(), one_row(uid="b"), one_row(**BAD[rule]), one_row(**BAD[rule])])
    with pytest.raises(DataError, match=r"^row 3: .*\(2 such rows\)"):
        read(frame)
    traces, report = read_with_report(frame, Grid(), ReadOptions(bad_rows="drop"))
    assert (report.rows, report.records, report.dropped) == (4, 2, {rule: 2})
    assert same(traces, read(frame[:2]))


def test_a_row_that_breaks_several_rules_counts_once():
    frame = pl.concat([one_row(), one_row(uid="", lat=91.0, lng=999.0), one_row(lat=91.0)])
    assert report_of(frame, bad_rows="drop").dropped == {"uid": 1, "latitude": 1}


def test_the_earliest_bad_row_is_named_whatever_its_rule():
    frame = pl.concat([one_row(), one_row(lng=181.0), one_row(uid="")])
    with pytest.raises(DataError, match="row 2: a longitude"):
        read(frame)


def test_the_edges_of_the_globe_are_inside():
    for lat, lng in ((90, 0), (-90, 180), (0, -180), (89.99, 180)):
        assert read(one_row(lat=float(lat), lng=float(lng))).samples == 1


def test_infinite_coordinates_break_a_rule():
    for value in (float("inf"), float("-inf")):
        with pytest.raises(DataError, match="row 1"):
            read(one_row(lat=value))


def test_zero_zero_may_be_allowed():
    assert read(one_row(lat=0.0, lng=0.0), allow_zero=True).samples == 1
    assert read(one_row(lat=0.0, lng=1.0)).samples == 1


@pytest.mark.parametrize("value", [True, NOON, [1.0], b"6.1"])
def test_coordinates_of_other_types_are_refused(value):
    with pytest.raises(DataError, match="a lat column of type"):
        read(one_row(lat=value))


def test_coordinates_may_be_text():
    assert same(read(one_row(lat=" 6.1 ", lng="-5.2")), read(one_row()))
    with pytest.raises(DataError, match="row 1: a coordinate"):
        read(one_row(lat="6,1"))


def test_nothing_left_is_an_error():
    with pytest.raises(DataError, match="no row that keeps the rules"):
        read(one_row(lat=91.0), bad_rows="drop")
    with pytest.raises(DataError, match="no rows"):
        read(one_row()[:0])


def test_missing_and_doubled_columns_are_named():
    with pytest.raises(DataError, match="no column for lng"):
        read(one_row().drop("lng"))
    with pytest.raises(DataError, match="more than one column named 'lat'"):
        read(
            pd.DataFrame(
                [["a", "2020-06-01T12:00:00Z", 6.1, -5.2, 1]], columns=["uid", "datetime", "lat", "lng", "lat"]
            )
        )
    with pytest.raises(DataError, match="more than one column named 'lat'"):
        read(pa.table([["a"], [6.1], [6.1]], names=["uid", "lat", "lat"]))


@pytest.mark.parametrize("thing", [None, 7, ["canary", 7], object(), np.zeros(3)])
def test_things_that_are_no_tables_are_refused(thing):
    with pytest.raises(DataError, match="cannot be read as a table") as caught:
        read(thing)
    assert "canary" not in str(caught.value)


def test_a_list_of_words_is_not_told():
    with pytest.raises(DataError, match="no file or directory at path 2 of 2") as caught:
        read([Path(__file__), "canary"])
    assert "canary" not in str(caught.value)


def test_a_column_of_mixed_types_is_refused_without_a_value():
    with pytest.raises(DataError) as caught:
        read(pd.DataFrame({"uid": ["canary", 1], "datetime": [NOON] * 2, "lat": [6.1] * 2, "lng": [-5.2] * 2}))
    assert "canary" not in str(caught.value)


def test_parts_that_do_not_fit_together_are_refused(tmp_path):
    for ending in ("csv", "parquet"):
        parts = tmp_path / ending
        parts.mkdir()
        for name, frame in (("a", one_row()), ("b", one_row().drop("lng"))):
            if ending == "csv":
                frame.write_csv(parts / f"{name}.csv")
            else:
                frame.write_parquet(parts / f"{name}.parquet")
        with pytest.raises(DataError, match=r"^b\.\w+ \(file 2 of 2\): other columns or types than in the first part"):
            read(parts)
    one_row().write_csv(tmp_path / "csv" / "b.csv")
    pq.write_table(one_row().to_arrow(), tmp_path / "csv" / "c.parquet")
    with pytest.raises(DataError, match="both Parquet and CSV"):
        read(tmp_path / "csv")


def test_a_file_of_ragged_rows_alone_is_refused(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("uid,datetime,lat,lng\na,b\nc,d\n")
    with pytest.raises(DataError, match="2 rows break the one on columns"):
        read(path, bad_rows="drop")


def test_unknown_choices_are_refused():
    with pytest.raises(ParameterError, match="`bad_rows='skip'`"):
        ReadOptions(bad_rows="skip")
    for grid, name in ((Grid(300, 60), "`grid.cell_m=300`"), (Grid(100, 7), "`grid.dt_s=7`")):
        with pytest.raises(ParameterError, match=f"^{name}.*divides"):
            read(one_row(), grid=grid)


def test_samples_follow_the_grid():
    frame = pl.concat([one_row(), one_row(datetime="2020-06-01T12:03:00Z", lat=6.1005)])
    assert read(frame).samples == 2
    coarse = read(frame, grid=Grid(1000, 600))
    assert coarse.samples == 1
    assert coarse.span_s == (TWELVE, TWELVE + 600)
