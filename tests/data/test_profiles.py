"""Profiles: read from a table under the rules, selected by people."""

import gzip

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.contract.kinds import cell_names
from shoal.data import Profiles, ReadOptions, read, read_as, read_profiles
from shoal.data.layout import ALWAYS
from shoal.errors import DataError, ParameterError


def table_of(rows, weeks=1):
    """Wrap (uid, municipality, value of all cells) rows."""
    uid, municipality, value = zip(*rows, strict=True)
    cells = dict.fromkeys(cell_names(weeks), value)
    return pl.DataFrame({"uid": uid, "municipality": municipality} | cells, strict=False)


TWO = table_of([("b", "Pisa", 0.5), ("a", "Pisa", 0.25), ("b", "Lucca", 1.0)], weeks=2)


def equal(a, b):
    return a.to_arrow().equals(b.to_arrow()) and a.weeks == b.weeks


def test_profiles_have_a_column_per_cell():
    names = cell_names(2)
    values = np.arange(24.0).reshape(2, 12) / 24
    profiles = Profiles(pa.array(["a", "b"]), pa.array(["x", "y"]), values, 2)
    table = profiles.to_arrow()
    assert table.column_names == ["uid", "municipality", *names]
    assert table["w2_weekend_evening"].to_pylist() == values[:, -1].tolist()
    with pytest.raises(ValueError, match="read-only"):
        profiles.values[0, 0] = 1
    with pytest.raises(AssertionError):
        Profiles(pa.array(["a"]), pa.array(["x"]), np.zeros((1, 5)), 1)


def test_rows_are_sorted_by_person_and_municipality():
    profiles = read_profiles(TWO)
    assert repr(profiles) == "Profiles(3 rows, 2 weeks)"
    assert profiles.people.to_pylist() == ["a", "b", "b"]
    assert profiles.municipalities.to_pylist() == ["Pisa", "Lucca", "Pisa"]
    assert profiles.values[:, 7].tolist() == [0.25, 1.0, 0.5]


@pytest.mark.parametrize("door", ["p.parquet", "p.csv", "p.csv.gz", "parts"])
def test_files_of_all_kinds_give_the_same(tmp_path, door):
    path = tmp_path / door
    if door == "p.parquet":
        TWO.write_parquet(path)
    elif door == "p.csv":
        path.write_text(TWO.write_csv())
    elif door == "p.csv.gz":
        path.write_bytes(gzip.compress(TWO.write_csv().encode()))
    else:
        path.mkdir()
        TWO[:1].write_parquet(path / "0.parquet")
        TWO[1:].write_parquet(path / "1.parquet")
    assert equal(read_profiles(path), read_profiles(TWO))


def test_frames_of_all_kinds_give_the_same():
    expected = read_profiles(TWO)
    numbers = TWO.with_columns(pl.col(cell_names(2)).cast(pl.Float32))
    categories = TWO.with_columns(pl.col("uid", "municipality").cast(pl.Categorical))
    for frame in (TWO.lazy(), TWO.to_pandas(), TWO.to_arrow(), TWO.to_dict(), expected, numbers, categories):
        assert equal(read_profiles(frame), expected)
    assert equal(read_profiles(TWO.select(sorted(TWO.columns))), expected)


profiles_rows = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.sampled_from([0.0, -0.0, 0.2, 1.0])),
    min_size=1,
    max_size=9,
    unique_by=lambda row: row[:2],
)


@given(profiles_rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing_and_nothing_is_lost(rows, random):
    profiles = read_profiles(table_of(rows))
    found = zip(profiles.people.to_pylist(), profiles.municipalities.to_pylist(), profiles.values[:, 0], strict=True)
    assert list(found) == sorted(rows)
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert read_profiles(table_of(shuffled)).values.tobytes() == profiles.values.tobytes()


@given(profiles_rows, st.lists(st.booleans(), min_size=3, max_size=3))
def test_select_keeps_people_with_all_their_rows(rows, keep):
    profiles = read_profiles(table_of(rows))
    ids = profiles.ids.to_pylist()
    assert ids == sorted({row[0] for row in rows})
    mask = np.array(keep[: len(ids)])
    kept = {uid for uid, wanted in zip(ids, mask, strict=True) if wanted}
    some = profiles.select(mask)
    assert some.ids.to_pylist() == sorted(kept)
    found = zip(some.people.to_pylist(), some.municipalities.to_pylist(), some.values[:, 0], strict=True)
    assert list(found) == sorted(row for row in rows if row[0] in kept)


def test_profiles_are_from_always():
    profiles = read_profiles(TWO)
    assert profiles.span_s == ALWAYS
    assert profiles.records_per_person is None


BAD = {
    "uid": (" ", "canary", 0.5),
    "municipality": ("canary", None, 0.5),
    "value": ("canary", "Pisa", None),
    "share": ("canary", "Pisa", 1.01),
}
SOUND = [("a", "Pisa", 0.5), ("b", "Pisa", 0.5)]


@pytest.mark.parametrize("rule", BAD)
def test_the_first_bad_row_is_named_and_dropping_counts_them(rule):
    frame = table_of([*SOUND, BAD[rule]])
    with pytest.raises(DataError, match=r"^row 3: .*\(1 such row\).*`bad_rows='drop'`") as caught:
        read_profiles(frame)
    assert "canary" not in str(caught.value)
    profiles, report = read_as(Profiles, frame, options=ReadOptions(bad_rows="drop"))
    assert equal(profiles, read_profiles(table_of(SOUND)))
    assert (report.kind, report.rows, report.records, report.dropped) == ("profiles", 3, 2, {rule: 1})
    assert (report.points, report.merged, report.time_zone) == (0, 0, None)


@pytest.mark.parametrize("value", [-0.001, 1.0000001, float("nan"), float("inf"), "0,5", "", "soon"])
@pytest.mark.parametrize("cell", ["w1_weekday_night", "w2_weekend_evening"])
def test_values_are_shares(value, cell):
    frame = TWO.with_columns(pl.col(cell).cast(pl.String if isinstance(value, str) else pl.Float64))
    frame[1, cell] = value
    with pytest.raises(DataError, match="row 2: a value"):
        read_profiles(frame)


def test_a_person_and_municipality_stand_once():
    frame = table_of([*SOUND, ("c", "Pisa", 0.1), ("b", "Pisa", 0.5), ("b", "Lucca", 0.5)])
    with pytest.raises(DataError, match=r"^row 2: a person and municipality .*\(2 such rows\)"):
        read_profiles(frame)
    # Which of the two is right nobody knows, so neither stays, whatever their order.
    for order in (frame, frame.reverse()):
        profiles, report = read_as(Profiles, order, options=ReadOptions(bad_rows="drop"))
        assert (profiles.people.to_pylist(), report.dropped) == (["a", "b", "c"], {"twice": 2})
        assert profiles.municipalities.to_pylist() == ["Pisa", "Lucca", "Pisa"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (TWO.drop("uid"), "no column for uid"),
        (TWO.drop("municipality"), "no column for municipality"),
        (TWO.drop("w2_weekend_night"), "no column for w2_weekend_night"),
        (TWO.select("uid", "municipality"), "no column for w1_weekday_night, .*w1_weekend_evening among"),
        (TWO.select("uid", "municipality", *cell_names(2)[6:]), "no column for w1_weekday_night"),
        (TWO.rename({name: name.replace("w2", "w3") for name in cell_names(2)[6:]}), "no column for w2_weekday_night"),
        (TWO.with_columns(w0_weekday_night=0.5), "'w0_weekday_night', which is no cell.*did you mean"),
        (TWO.with_columns(w1_weekday_noon=0.5), "'w1_weekday_noon', which is no cell"),
        (TWO.with_columns(W1_weekday_night=0.5), "'W1_weekday_night', which is no cell"),
        (TWO.with_columns(w01_weekday_night=0.5), "'w01_weekday_night', which is no cell"),
        (TWO.with_columns(w999999999999_weekday_night=0.5), "no column for w3_weekday_night"),
        (TWO[:0], "no rows"),
        (TWO.with_columns(w1_weekday_night=True), "a w1_weekday_night column of type Boolean"),
        (TWO.with_columns(uid=1.5), "a uid column of type"),
        (TWO.with_columns(municipality=1.5), "a municipality column of type"),
    ],
)
def test_tables_that_are_no_profiles_are_refused(frame, message):
    with pytest.raises(DataError, match=message):
        read_profiles(frame)


def test_other_columns_are_ignored_and_told():
    report = read_as(Profiles, TWO.with_columns(age=7, week=1))[1]
    assert report.ignored_columns == ("age", "week")


def test_columns_and_person_name_other_columns():
    renamed = TWO.rename({"uid": "sim", "municipality": "town", "w1_weekday_day": "w9_strange"})
    columns = {"uid": "sim", "municipality": "town", "w1_weekday_day": "w9_strange"}
    assert equal(read_profiles(renamed, columns=columns), read_profiles(TWO))
    owned = TWO.with_columns(owner=pl.Series(["x", "y", "x"]))
    assert read_profiles(owned, person="owner").ids.to_pylist() == ["x", "y"]
    with pytest.raises(ParameterError, match="`columns` for 'place'"):
        read_profiles(TWO, columns={"place": "municipality"})
    with pytest.raises(DataError, match=r"no column named 'towm'.*did you mean 'town'"):
        read_profiles(renamed, columns={"municipality": "towm"})


@pytest.mark.parametrize("option", [{"tz": "UTC"}, {"cells": TWO}, {"allow_zero": True}, {"schema": "skmob"}])
def test_options_that_profiles_have_no_use_for_are_refused(option):
    with pytest.raises(ParameterError, match=f"^`{next(iter(option))}` for profiles"):
        read_profiles(TWO, **option)


def test_profiles_are_no_events():
    with pytest.raises(DataError, match="no column for datetime, lat, lng"):
        read(read_profiles(TWO))
