"""Raw points: nothing lost, nothing snapped, and the order of rows changes nothing."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data.rows import NOON, TWELVE, one_row, same
from shoal.data import Fixes, Grid, Points, ReadOptions, Traces, read, read_as, read_fixes
from shoal.data.fixes import fixes_from_points
from shoal.errors import DataError, ParameterError

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
START = TWELVE * 10**6

# Few values, so that people, times and places are often equal; and times so far apart that no key holds them.
times = st.sampled_from([START, START + 1, START + 999_999, START + 10**6]) | st.integers(31_536_000 * 10**6, START)
degrees = st.sampled_from([6.1, -5.2, 0.0, -0.0, 1e-300, 6.1000000001])
points = st.lists(st.tuples(st.sampled_from("abcd"), times, degrees, degrees), min_size=1, max_size=30)


def frame_of(rows):
    uid, t_us, lat, lng = zip(*rows, strict=True)
    stamps = pl.Series(t_us).cast(pl.Datetime("us", "UTC"))
    return pl.DataFrame({"uid": uid, "datetime": stamps, "lat": lat, "lng": lng})


def rows_of(fixes):
    people = fixes.people.to_pylist()
    columns = (fixes.t_us.tolist(), fixes.lat.tolist(), fixes.lng.tolist())
    return list(zip((people[i] for i in fixes.owner), *columns, strict=True))


def bits(fixes):
    """Everything, to the last bit: a minus zero is not a zero here."""
    columns = (fixes.offsets, fixes.t_us, fixes.lat, fixes.lng)
    return fixes.people.to_pylist(), *(column.tobytes() for column in columns)


@given(points)
@example([("a", START, 0.0, 6.1), ("a", START, -0.0, -5.2)])
def test_points_are_kept_as_they_are_and_sorted(rows):
    fixes = read_fixes(frame_of(rows), allow_zero=True)
    assert rows_of(fixes) == sorted(rows)
    assert fixes.points == len(rows)
    assert fixes.people.to_pylist() == sorted({row[0] for row in rows})
    assert fixes.lengths.tolist() == [sum(row[0] == uid for row in rows) for uid in fixes.people.to_pylist()]


@given(points, st.randoms(use_true_random=False))
@example([("a", START, 0.0, 6.1), ("a", START, -0.0, 6.1)], None)
@example([("a", START, 6.1, 0.0), ("b", START - 10**15, 6.1, 0.0), ("a", START, -5.2, 0.0)], None)
def test_the_order_of_rows_changes_nothing(rows, random):
    once = bits(read_fixes(frame_of(rows), allow_zero=True))
    other = rows[::-1]
    if random is not None:
        random.shuffle(other)
    assert bits(read_fixes(frame_of(other), allow_zero=True)) == once


@pytest.mark.parametrize("far", [0, 2**62])
def test_the_key_and_the_plain_sort_agree(far):
    """Times as far apart as 2**62 leave no room for the person in one key."""
    rng = np.random.default_rng(1)
    owner, t = rng.integers(0, 4, 500), rng.integers(0, 5, 500) + far * rng.integers(0, 2, 500) - far // 2
    lat, lng = rng.integers(-2, 2, 500).astype(float), rng.integers(-2, 2, 500).astype(float)
    fixes = fixes_from_points(pa.array(list("abcd")), owner, t, lat, lng)
    expected = sorted(zip(owner.tolist(), t.tolist(), lat.tolist(), lng.tolist(), strict=True))
    assert list(zip(fixes.owner, fixes.t_us, fixes.lat, fixes.lng, strict=True)) == expected


@given(points)
def test_records_are_counted_without_duplicates(rows):
    fixes = read_fixes(frame_of(rows), allow_zero=True)
    expected = [len({row for row in rows if row[0] == uid}) for uid in fixes.ids.to_pylist()]
    assert fixes.records_per_person.tolist() == expected


@given(points)
def test_the_span_is_half_open_and_of_whole_seconds(rows):
    start, end = read_fixes(frame_of(rows), allow_zero=True).span_s
    seconds = [(EPOCH + timedelta(microseconds=row[1])).timestamp() for row in rows]
    assert start <= min(seconds) < start + 1
    assert end - 1 <= max(seconds) < end


@given(points, st.lists(st.booleans(), min_size=4, max_size=4))
def test_select_keeps_people_with_all_their_points(rows, keep):
    fixes = read_fixes(frame_of(rows), allow_zero=True)
    mask = np.array(keep[: len(fixes)])
    kept = {uid for uid, wanted in zip(fixes.people.to_pylist(), mask, strict=True) if wanted}
    for selection in (mask, np.flatnonzero(mask)):
        some = fixes.select(selection)
        assert some.people.to_pylist() == sorted(kept)
        assert rows_of(some) == [row for row in rows_of(fixes) if row[0] in kept]


def test_nobody_has_no_span():
    nobody = read_fixes(one_row()).select(np.zeros(1, np.bool_))
    assert (len(nobody), nobody.points, nobody.span_s, nobody.records_per_person.tolist()) == (0, 0, (0, 0), [])


def test_people_without_points_keep_their_place():
    fixes = fixes_from_points(pa.array(list("abc")), np.array([1, 1]), np.array([5, 5]), np.ones(2), np.ones(2))
    assert fixes.lengths.tolist() == [0, 2, 0]
    assert fixes.records_per_person.tolist() == [0, 1, 0]
    assert fixes_from_points(pa.array(["a"]), *(np.zeros(0, kind) for kind in (int, int, float, float))).points == 0


def test_arrays_are_frozen_and_the_source_is_not():
    t_us, lat = np.array([START, START + 1]), np.array([6.1, 6.1])
    source = {"uid": np.array(["a", "a"]), "datetime": t_us, "lat": lat, "lng": lat}
    fixes = read_fixes(source)
    for column in (fixes.t_us, fixes.lat, fixes.lng, fixes.offsets):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7
    t_us[:], lat[:] = 0, 0
    assert (fixes.t_us.tolist(), fixes.lat.tolist()) == ([START, START + 1], [6.1, 6.1])


def test_frames_of_all_kinds_hold_the_same_and_read_back_to_the_same():
    fixes = read_fixes(frame_of([("b", START + 1, 6.1, -5.2), ("a", START, 6.1, 0.0), ("a", START, 6.1, 0.0)]))
    assert repr(fixes) == "Fixes(2 people, 3 points)"
    table = fixes.to_arrow()
    assert table.column_names == ["uid", "datetime", "lat", "lng"]
    assert table["uid"].to_pylist() == ["a", "a", "b"]
    assert table["datetime"][2].as_py() == NOON + timedelta(microseconds=1)
    pd.testing.assert_frame_equal(fixes.to_pandas(), table.to_pandas())
    for frame in (table, fixes.to_polars(), fixes.to_pandas(), fixes):
        assert bits(read_fixes(frame)) == bits(fixes)
    assert same(read(fixes), read(table))


def test_traces_are_the_fixes_on_the_grid():
    rows = [("a", START + 7 * i, 6.1 + i / 10_000, -5.2) for i in range(9)]
    assert same(read(read_fixes(frame_of(rows))), read(frame_of(rows)))


def test_traces_are_no_raw_points():
    with pytest.raises(DataError, match="snapped to a grid"):
        read_fixes(read(one_row()))


def test_a_grid_is_refused_where_nothing_is_snapped():
    for grid, said in ((Grid(50, 60), "`grid.cell_m=50`"), (Grid(100, 30), "`grid.dt_s=30`")):
        with pytest.raises(ParameterError, match=f"^{said}"):
            read_as(Fixes, one_row(), grid)
    assert read_as(Fixes, one_row(), Grid(), ReadOptions())[0].points == 1
    assert read_as(Traces, one_row(), Grid(50, 60))[0].grid == Grid(50, 60)


def test_the_report_tells_what_was_read():
    frame = pl.concat([one_row(), one_row(), one_row(lat=91.0)]).with_columns(extra=1)
    fixes, report = read_as(Fixes, frame, None, ReadOptions(bad_rows="drop"))
    assert (fixes.points, report.kind, report.rows, report.records, report.points) == (2, "points", 3, 2, 2)
    assert (report.merged, report.dropped, report.ignored_columns) == (0, {"latitude": 1}, ("extra",))


# ------------------------------------------------------------------------------------------ points to be published


def points_of_two(**changes):
    sound = {
        "people": pa.array(["a", "b"]),
        "person_of": np.array([1, 0, 1]),
        "offsets": np.array([0, 1, 1, 3]),
        "t_us": np.array([START, START + 1, START]),
        "lat": np.array([6.1, 6.2, 6.3]),
        "lng": np.array([-5.2, -5.3, -5.4]),
    }
    return Points(**sound | changes)


def test_points_come_in_parts():
    points = points_of_two()
    assert repr(points) == "Points(2 people, 3 parts, 3 points)"
    assert len(points) == 2
    table = points.to_arrow()
    assert table.column_names == ["uid", "part", "datetime", "lat", "lng"]
    assert (table["uid"].to_pylist(), table["part"].to_pylist()) == (["b", "b", "b"], [0, 2, 2])
    for column in (points.person_of, points.offsets, points.t_us, points.lat, points.lng):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_one_part_per_person():
    fixes = read_fixes(frame_of([("b", START, 6.1, -5.2), ("a", START, 6.1, -5.2)]))
    points = Points.of_people(fixes)
    assert points.person_of.tolist() == [0, 1]
    assert points.to_polars().drop("part").equals(fixes.to_polars())


@pytest.mark.parametrize(
    "breach",
    [
        {"person_of": np.array([0, 1, 2])},
        {"person_of": np.array([0, -1, 0])},
        {"person_of": np.array([0, 1])},
        {"person_of": np.zeros(3)},
        {"offsets": np.array([0, 1, 2])},
        {"t_us": np.zeros(3)},
        {"lat": np.zeros(2)},
    ],
)
def test_broken_parts_are_refused(breach):
    with pytest.raises(AssertionError):
        points_of_two(**breach)
