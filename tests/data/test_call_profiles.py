"""Profiles from call records: by hand, beside a naive count, and on broken input."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data import naive_profiles as naive
from shoal.contract.kinds import cell_names
from shoal.data import Profiles, ReadOptions, activity, build_profiles, parquet, read_as, read_profiles
from shoal.errors import DataError, ParameterError, ShoalError

CELLS = {"cell": ["A", "B", "C"], "municipality": ["Pisa", "Pisa", "Lucca"]}
ROME = "Europe/Rome"


def calls_of(rows):
    """Wrap (uid, UTC time, seconds, first cell, last cell) rows."""
    uid, start, duration, first, last = zip(*rows, strict=True)
    times = pl.Series(start).str.to_datetime("%Y-%m-%d %H:%M", time_zone="UTC") if isinstance(start[0], str) else start
    return pl.DataFrame({"uid": uid, "datetime": times, "duration": duration, "cell_start": first, "cell_end": last})


# Ten calls of Ann and Bob in Italy around 31 March 2024, when clocks go from 02:00 to 03:00: local time is UTC + 1 h
# before that night, UTC + 2 h after it. The first call is on Friday 29 March, the last starts on Wednesday 3 April. So
# week 1 has one weekday (Friday) and two weekend days; week 2 has three weekdays (Monday to Wednesday), no weekend.
TEN = [
    # uid, UTC, seconds, cells              local start, end          counts as
    ("ann", "2024-03-29 06:59", 120, "A", "B"),  # Fri 07:59, 08:01   Pisa w1 weekday night and day
    ("ann", "2024-03-29 18:30", 60, "A", "A"),  #  Fri 19:30          Pisa w1 weekday evening
    (
        "ann",
        "2024-03-30 22:50",
        1200,
        "A",
        "C",
    ),  # Sat 23:50, Sun 00:10   Pisa w1 weekend evening, Lucca night
    ("ann", "2024-03-31 06:30", 60, "C", "C"),  #  Sun 08:30, not 07:30    Lucca w1 weekend day
    ("ann", "2024-03-31 17:00", 60, "C", "C"),  #  Sun 19:00, not 18:00    Lucca w1 weekend evening
    ("ann", "2024-03-31 22:00", 60, "A", "A"),  #  Mon 00:00, not Sun 23:00    Pisa w2 weekday night
    ("ann", "2024-04-02 05:00", 60, "A", "A"),  #  Tue 07:00          Pisa w2 weekday night, a second day
    ("ann", "2024-04-02 05:00", 60, "A", "A"),  #  the same call again: nothing more
    ("bob", "2024-04-01 10:00", 60, "B", "B"),  #  Mon 12:00          Pisa w2 weekday day
    ("bob", "2024-04-03 21:30", 7200, "B", "C"),  # Wed 23:30, Thu 01:30   Pisa w2 weekday evening; the end is too late
]


def test_ten_calls_over_the_change_of_clocks_by_hand():
    profiles, report = build_profiles(calls_of(TEN), cells=CELLS, tz=ROME)
    assert profiles.people.to_pylist() == ["ann", "ann", "bob"]
    assert profiles.municipalities.to_pylist() == ["Lucca", "Pisa", "Pisa"]
    expected = {
        # week 1: weekday night, day, evening (of 1), weekend night, day, evening (of 2); week 2 the same (of 3, of 0)
        0: [0, 0, 0, 1 / 2, 1 / 2, 1 / 2, 0, 0, 0, 0, 0, 0],
        1: [1, 1, 1, 0, 0, 1 / 2, 2 / 3, 0, 0, 0, 0, 0],
        2: [0, 0, 0, 0, 0, 0, 0, 1 / 3, 1 / 3, 0, 0, 0],
    }
    for row, values in expected.items():
        assert profiles.values[row].tolist() == values
    building = report.building
    assert (report.kind, report.rows, report.records, building.days) == ("calls", 10, 10, 6)
    assert (building.copies, building.ends_after, building.weeks_without_calls) == (1, 1, ())
    assert building.cells_without_days == ("w2_weekend_night", "w2_weekend_day", "w2_weekend_evening")


QUARTER = timedelta(minutes=15)
ZONES = [ROME, "UTC", "Asia/Kathmandu", "Australia/Lord_Howe"]

one_call = st.tuples(
    st.sampled_from("abc"),
    st.integers(0, 40 * 24 * 4).map(
        lambda q: datetime(2024, 10, 10, tzinfo=UTC) + timedelta(minutes=15 * q, seconds=7)
    ),
    st.sampled_from([0, 1, 899, 3600, 30_000, 86_400]),
    st.sampled_from("ABC"),
    st.sampled_from("ABC"),
)


@given(st.lists(one_call, min_size=1, max_size=40), st.sampled_from(ZONES))
def test_any_calls_as_counted_day_by_day(calls, zone):
    expected = naive.profiles(calls, dict(zip(*CELLS.values(), strict=True)), zone)
    profiles, report = build_profiles(calls_of(calls), cells=CELLS, tz=zone)
    rows = zip(profiles.people.to_pylist(), profiles.municipalities.to_pylist(), strict=True)
    assert [*rows] == sorted(expected)
    values = np.array([list(expected[who].values()) for who in sorted(expected)])
    assert profiles.values.tobytes() == values.tobytes()
    assert report.building.copies == len(calls) - len(set(calls))


def test_batches_parts_and_frames_give_the_same(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    rows = [
        (
            f"p{rng.integers(40)}",
            datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=int(m)),
            90,
            *rng.choice(list("ABC"), 2),
        )
        for m in rng.integers(0, 50 * 1440, 3000)
    ]
    frame = calls_of(rows)
    expected, told = build_profiles(frame, cells=CELLS, tz=ROME)
    assert expected.weeks == 8  # more than a word of bits
    frame.write_parquet(tmp_path / "one.parquet", row_group_size=100)
    frame.write_csv(tmp_path / "one.csv")
    (tmp_path / "parts").mkdir()
    for part in range(3):
        frame[part::3].write_parquet(tmp_path / "parts" / f"{part}.parquet")
    monkeypatch.setattr(parquet, "_ROWS_AT_A_TIME", 150)
    monkeypatch.setattr(activity, "_SETTLE", 64)
    monkeypatch.setattr(activity, "_ROWS_AT_A_TIME", 7)
    for name in ("one.parquet", "one.csv", "parts"):
        built, report = build_profiles(tmp_path / name, cells=CELLS, tz=ROME)
        assert built.to_arrow().equals(expected.to_arrow())
        assert report.building == told.building
    numbers = frame.with_columns(
        pl.col("cell_start", "cell_end").cast(pl.Categorical), uid=pl.col("uid").str.slice(1).cast(pl.Int32)
    )
    assert build_profiles(numbers, cells=CELLS, tz=ROME)[0].values.shape == expected.values.shape


def test_what_takes_profiles_takes_calls(tmp_path):
    calls_of(TEN).write_parquet(tmp_path / "calls.parquet")
    pl.DataFrame(CELLS).write_csv(tmp_path / "cells.csv")
    options = ReadOptions(cells=tmp_path / "cells.csv", tz=ROME)
    assert repr(read_as(Profiles, tmp_path / "calls.parquet", options=options)[0]) == "Profiles(3 rows, 2 weeks)"
    assert repr(read_profiles(calls_of(TEN), options=options)) == "Profiles(3 rows, 2 weeks)"


def test_a_person_of_several_uids():
    frame = calls_of(TEN).with_columns(owner=pl.lit("one"))
    profiles = read_profiles(frame, cells=CELLS, tz=ROME, person="owner")
    assert profiles.people.to_pylist() == ["one", "one"]


def test_a_week_without_calls_is_told():
    rows = [("a", "2024-01-02 10:00", 60, "A", "A"), ("a", "2024-01-16 10:00", 60, "A", "A")]
    profiles, report = build_profiles(calls_of(rows), cells=CELLS, tz=ROME)
    assert report.building.weeks_without_calls == (2,)
    assert not profiles.values[:, 6:12].any()
    assert profiles.values[0, 1] == 1 / 4  # Tuesday to Friday


GOOD = ("a", "2024-01-02 10:00", 60, "A", "A")
BAD = {
    "cell": ("a", "2024-01-02 10:00", 60, "A", "Z"),
    "municipality": ("a", "2024-01-02 10:00", 60, "A", "D"),
    "duration": ("a", "2024-01-02 10:00", -1, "A", "A"),
    "lasting": ("a", "2024-01-02 10:00", 3 * 86_400, "A", "A"),
    "uid": (" ", "2024-01-02 10:00", 60, "A", "A"),
    "year": ("a", "1970-01-02 10:00", 60, "A", "A"),
}


@pytest.mark.parametrize("rule", BAD)
def test_rows_that_break_a_rule_stop_or_are_counted(rule, tmp_path, monkeypatch):
    cells = {"cell": [*CELLS["cell"], "D"], "municipality": [*CELLS["municipality"], None]}
    frame = calls_of([GOOD] * 4 + [BAD[rule]] + [GOOD])
    with pytest.raises(DataError, match="row 5: ") as error:
        build_profiles(frame, cells=cells, tz=ROME)
    assert not {"Z", "D", "-1", "259"} & set(error.value.found.split())
    profiles, report = build_profiles(frame, cells=cells, tz=ROME, bad_rows="drop")
    assert (len(profiles), report.dropped, report.records) == (1, {rule: 1}, 5)
    # The number of the row also after earlier batches.
    frame.write_parquet(tmp_path / "calls.parquet", row_group_size=2)
    monkeypatch.setattr(parquet, "_ROWS_AT_A_TIME", 2)
    with pytest.raises(DataError, match="row 5: "):
        build_profiles(tmp_path / "calls.parquet", cells=cells, tz=ROME)
    assert build_profiles(tmp_path / "calls.parquet", cells=cells, tz=ROME, bad_rows="drop")[1].dropped == {rule: 1}
    with pytest.raises(DataError, match="no row that keeps the rules"):
        build_profiles(frame[4:5], cells=cells, tz=ROME, bad_rows="drop")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tz": None}, "without a zone to count"),
        ({"cells": None}, "no cells table"),
        ({"cells": {"cell": ["A"], "lat": [1.0], "lng": [2.0]}}, "without municipality"),
        ({"cells": {"cell": ["A", "A"], "municipality": ["Pisa", "Lucca"]}}, "in two municipalities"),
        ({"cells": {"cell": ["A"], "municipality": [""]}}, "without a single municipality"),
        ({"tz": "Europe/Rom"}, "tz="),
    ],
)
def test_what_is_missing_is_told(change, message):
    with pytest.raises(ShoalError, match=message):
        build_profiles(calls_of(TEN), **{"cells": CELLS, "tz": ROME} | change)


def test_a_clock_that_is_years_off_is_refused():
    with pytest.raises(DataError, match="weeks"):
        build_profiles(calls_of([GOOD, ("a", "1999-01-02 10:00", 60, "A", "A")]), cells=CELLS, tz=ROME)


def test_a_table_of_profiles_is_not_built_again():
    table = {"uid": ["a"], "municipality": ["Pisa"]} | {name: [0.5] for name in cell_names(1)}
    with pytest.raises(DataError, match="no call records"):
        build_profiles(table, cells=CELLS, tz=ROME)
    with pytest.raises(ParameterError, match="for profiles"):
        read_profiles(table, tz=ROME)
