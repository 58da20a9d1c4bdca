"""The model: layout, frozen arrays, selection, coarser grids, the ways out."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive
from shoal.data import Boxes, Grid, Projection, Traces, read
from shoal.data import traces as traces_module
from shoal.data.traces import traces_from_samples
from shoal.errors import ParameterError

CRS, GRID = Projection(6, -5), Grid()

samples = st.tuples(st.integers(0, 3), st.integers(20, 40), st.integers(-9, 9), st.integers(-9, 9))
# From pole to pole and through all times: too wide for one 64-bit key.
far = st.sampled_from([-(2**31), -(2**31) + 1, -127_000, -1, 0, 1, 127_000, 2**31 - 2, 2**31 - 1])
wide = st.tuples(st.integers(0, 3), far, far, far)


def traces_of(rows, people=4):
    """Wrap (owner, t, x, y) rows."""
    owner, t, x, y = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    names = pa.array([f"p{i}" for i in range(people)])
    return traces_from_samples(names, owner, t, x, y, CRS, GRID)


def rows_of(traces):
    return list(zip(traces.owner.tolist(), traces.t.tolist(), traces.x.tolist(), traces.y.tolist(), strict=True))


@given(st.lists(samples, min_size=1, max_size=60) | st.lists(wide, min_size=1, max_size=60))
def test_samples_are_sorted_by_person_time_and_place_and_stand_once(rows):
    traces = traces_of(rows)
    assert rows_of(traces) == sorted(set(rows))
    assert traces.samples == len(set(rows))
    assert traces.offsets[0] == 0
    assert traces.offsets[-1] == traces.samples
    assert traces.lengths.sum() == traces.samples
    for i in range(len(traces)):
        own = slice(traces.offsets[i], traces.offsets[i + 1])
        assert (traces.owner[own] == i).all()


by_person_and_time = st.lists(samples, min_size=1, max_size=60).map(lambda rows: sorted(rows, key=lambda row: row[:2]))


@given(by_person_and_time | st.lists(samples, min_size=1, max_size=60))
@example([(0, 20, 5, 0), (0, 20, 4, 0), (0, 20, 3, 0), (0, 20, 2, 0), (1, 20, 1, 0), (1, 20, 0, 0)])
@example([(3, 20, 0, 0)] * 4 + [(1, 20, 0, 0)] * 4 + [(2, 20, 0, 0)] * 4)
def test_many_chunks_are_sorted_as_one(rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traces_module, "_CHUNK", 4)
        assert rows_of(traces_of(rows)) == sorted(set(rows))


def test_what_is_nearly_in_order_is_sorted_piece_by_piece(monkeypatch):
    """Two chunks that share a person's minute are one piece; the others stand for themselves."""
    monkeypatch.setattr(traces_module, "_CHUNK", 4)
    pieces = []
    monkeypatch.setattr(traces_module, "side_by_side", lambda _, parts: pieces.extend(parts))
    traces_module._sort(np.array([3, 1, 2, 0, 4, 9, 8, 7, 6, 10, 11, 10, 14, 12]))
    assert pieces == [slice(0, 4), slice(4, 12), slice(12, 14)]


def test_arrays_are_frozen():
    traces = traces_of([(0, 1, 2, 3)])
    for column in (traces.t, traces.x, traces.y, traces.offsets):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 7
    with pytest.raises(AttributeError):
        traces.crs = Projection(0, 0)


@pytest.mark.parametrize(
    "breach",
    [
        {"offsets": np.array([0, 1], np.int32)},
        {"offsets": np.array([1, 2])},
        {"offsets": np.array([0, 2, 1])},
        {"t": np.array([1], np.int64)},
        {"t": np.array([1, 2], np.int32)},
        {"people": pa.array([1])},
    ],
)
def test_a_broken_layout_is_refused(breach):
    sound = {
        "people": pa.array(["a"]),
        "offsets": np.array([0, 1]),
        "t": np.array([1], np.int32),
        "x": np.array([1], np.int32),
        "y": np.array([1], np.int32),
        "crs": CRS,
        "grid": GRID,
    }
    Traces(**sound)
    with pytest.raises(AssertionError):
        Traces(**sound | breach)


def test_repr_is_short_and_names_nobody():
    traces = traces_of([(0, 1, 2, 3), (1, 1, 2, 3)], people=2)
    assert repr(traces) == "Traces(2 people, 2 samples, 100 m × 60 s)"


@given(st.lists(samples, min_size=1, max_size=40), st.lists(st.booleans(), min_size=4, max_size=4))
def test_select_keeps_people_with_all_their_samples(rows, keep):
    traces = traces_of(rows)
    wanted = [i for i in range(4) if keep[i]]
    for selection in (np.array(keep), np.array(wanted, np.int64)):
        some = traces.select(selection)
        assert some.people.to_pylist() == [f"p{i}" for i in wanted]
        renamed = {person: i for i, person in enumerate(wanted)}
        assert rows_of(some) == [(renamed[p], t, x, y) for p, t, x, y in rows_of(traces) if p in renamed]


def test_span_is_half_open_and_empty_without_samples():
    traces = traces_of([(0, 10, 0, 0), (1, 12, 0, 0)])
    assert traces.span_s == (600, 780)
    nobody = traces.select(np.zeros(4, np.bool_))
    assert (len(nobody), nobody.samples, nobody.span_s) == (0, 0, (0, 0))


@given(st.lists(samples, min_size=1, max_size=40), st.sampled_from([1, 3, 10, 25]), st.sampled_from([1, 7, 30]))
def test_snapped_is_the_floor_to_the_coarser_grid(rows, in_space, in_time):
    traces = traces_of(rows)
    snapped = traces.snapped(in_space * 100, in_time * 60)
    people = [[s[1:] for s in rows_of(traces) if s[0] == i] for i in range(4)]
    expected = [(i, b.t, b.x, b.y) for i, boxes in enumerate(naive.uniform(people, in_space, in_time)) for b in boxes]
    assert rows_of(snapped) == expected
    assert snapped.grid == traces.grid


@pytest.mark.parametrize(("cell_m", "dt_s"), [(150, 60), (50, 60), (100, 90), (100, 30)])
def test_snapped_refuses_what_is_no_multiple(cell_m, dt_s):
    with pytest.raises(ParameterError, match="multiple"):
        traces_of([(0, 1, 2, 3)]).snapped(cell_m, dt_s)


@pytest.mark.parametrize(
    ("cell_m", "dt_s"), [(0, 60), (-1, 60), (100.0, 60), (True, 60), (100, "60"), (300, 60), (100, 7)]
)
def test_impossible_grids_are_refused(cell_m, dt_s):
    with pytest.raises(ParameterError):
        Grid(cell_m, dt_s).check_caps()


def test_frames_of_all_kinds_hold_the_same_and_read_back_to_the_same():
    traces = traces_of([(0, 26_297_280, 2, 3), (0, 26_297_281, -2, 3), (2, 26_297_280, 0, -4)], people=3)
    table = traces.to_arrow()
    assert table.column_names == ["uid", "datetime", "x", "y", "lat", "lng"]
    assert table["uid"].to_pylist() == ["p0", "p0", "p2"]
    assert table["x"].to_pylist() == [200, -200, 0]
    assert table["datetime"][1].as_py().isoformat() == "2020-01-01T00:01:00+00:00"
    assert traces.to_polars().equals(pl.from_arrow(table))
    pd.testing.assert_frame_equal(traces.to_pandas(), table.to_pandas())
    for frame in (table, traces.to_polars(), traces.to_pandas(), traces):
        again = read(frame)
        assert again.people.to_pylist() == ["p0", "p2"]
        assert again.crs == CRS
        assert (again.t.tolist(), again.x.tolist(), again.y.tolist()) == (
            traces.t.tolist(),
            traces.x.tolist(),
            traces.y.tolist(),
        )


# ------------------------------------------------------------------------------------------------------------- boxes


def boxes_of_two_groups():
    one = np.array([5, 9, 7], np.int32)
    ones = np.ones(3, np.int32)
    return Boxes(
        people=pa.array(["a", "b", "c"]),
        sequence_of=np.array([1, 0, 1], np.int32),
        offsets=np.array([0, 2, 3]),
        t=one,
        dt=2 * ones,
        x=-ones,
        dx=3 * ones,
        y=ones.copy(),
        dy=ones.copy(),
        crs=CRS,
        grid=GRID,
    )


def test_boxes_share_sequences_and_have_a_row_per_person_and_box():
    boxes = boxes_of_two_groups()
    assert repr(boxes) == "Boxes(3 people, 2 sequences, 3 boxes)"
    rows = boxes.to_arrow().select(["uid", "t_start", "t_end", "x_min", "x_max", "y_min", "y_max"]).to_pylist()
    assert [row["uid"] for row in rows] == ["a", "b", "b", "c"]
    assert [row["t_start"].timestamp() / 60 for row in rows] == [7, 5, 9, 7]
    assert [row["t_end"].timestamp() / 60 for row in rows] == [9, 7, 11, 9]
    assert {(row["x_min"], row["x_max"], row["y_min"], row["y_max"]) for row in rows} == {(-100, 200, 100, 200)}


def test_lat_lng_of_a_box_is_its_centre_with_six_decimals():
    boxes = boxes_of_two_groups()
    first = boxes.to_arrow().to_pylist()[0]
    assert naive.snap(first["lat"], first["lng"], 0, 6, -5, 1, 60)[1:] in {(x, y) for x in (49, 50) for y in (149, 150)}
    assert first["lat"] == round(first["lat"], 6)
    assert first["lng"] == round(first["lng"], 6)


def test_boxes_are_frozen():
    boxes = boxes_of_two_groups()
    for name in ("t", "dt", "x", "dx", "y", "dy", "offsets", "sequence_of"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(boxes, name)[0] = 1


MOST = 2**20 - 1
"""With three such numbers and eight people a key has all its 63 bits."""


@given(
    st.lists(st.tuples(st.integers(0, 7), *[st.sampled_from((-1, 0, 5, MOST))] * 3), min_size=1, max_size=12),
    st.integers(8, 10),
)
@example([(0, 0, 0, 0), (7, MOST, MOST, MOST)], 8)
@example([(0, 0, 0, 0), (7, MOST, MOST, MOST)], 9)
@example([(3, 0, 0, 0), (5, 1, 1, 1)], 10)
def test_where_everybody_starts(rows, people):
    """Also of people who have no rows, at either end, and where keys have all their bits."""
    made = traces_of(rows, people)
    distinct = np.array(sorted(set(rows)))
    assert made.offsets.tolist() == [(distinct[:, 0] < person).sum() for person in range(people + 1)]
    for column, expected in zip((made.t, made.x, made.y), distinct[:, 1:].T, strict=True):
        np.testing.assert_array_equal(column, expected)
