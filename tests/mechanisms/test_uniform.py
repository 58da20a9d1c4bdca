"""Uniform generalization: coarser boxes, everybody published, nothing promised."""

import dataclasses
from collections import defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import shoal
from shoal.contract.claims import Nothing
from shoal.data import Grid, read
from shoal.errors import DataError, ParameterError

points = st.tuples(
    st.sampled_from("abc"),
    st.integers(1_591_012_800, 1_591_012_800 + 86_400),
    st.floats(5.9, 6.1).map(lambda v: round(v, 5)),
    st.floats(-5.1, -4.9).map(lambda v: round(v, 5)),
)


def frame_of(rows):
    return pl.DataFrame(rows, schema=["uid", "datetime", "lat", "lng"], orient="row")


def boxes_by_person(release, grid):
    """Return the published boxes of each person, in units of the grid, through the mapping."""
    who = dict(zip(*(release.secret.mapping[name].to_pylist() for name in ("uid", "original_uid")), strict=True))
    found = defaultdict(list)
    for row in release.data.to_pylist():
        t, end = (int(row[name].timestamp()) // grid.dt_s for name in ("t_start", "t_end"))
        x, x_max, y, y_max = (row[name] // grid.cell_m for name in ("x_min", "x_max", "y_min", "y_max"))
        found[who[row["uid"]]].append(naive.Box(t, x, y, end - t, x_max - x, y_max - y))
    return dict(found)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(points, min_size=1, max_size=40), st.sampled_from([100, 500, 2500, 20_000]), st.sampled_from([1, 30, 480])
)
def test_boxes_are_those_of_the_oracle(rows, cell_m, minutes):
    lat_0, lon_0 = naive.centre([row[2] for row in rows], [row[3] for row in rows])
    samples = defaultdict(set)
    for uid, when, lat, lng in rows:
        samples[uid].add(naive.snap(lat, lng, when, lat_0, lon_0, 100, 60))
    expected = dict(zip(samples, naive.uniform(samples.values(), cell_m // 100, minutes), strict=True))
    release = shoal.Uniform(cell_m=cell_m, minutes=minutes).protect(frame_of(rows))
    assert boxes_by_person(release, Grid()) == expected


def test_rows_are_sorted_by_token_and_time():
    rows = [(uid, 1_591_012_800 + 7200 * i, 6.0 + 0.01 * i, -5.0) for uid in "abcdefgh" for i in range(5)]
    data = shoal.Uniform(1000, 60).protect(frame_of(rows)).data.to_pylist()
    assert data == sorted(data, key=lambda row: (row["uid"], row["t_start"]))


def test_the_promise_is_none_and_the_manifest_says_so():
    mechanism = shoal.Uniform(cell_m=1000, minutes=60)
    release = mechanism.protect(frame_of([("a", 1_591_012_800, 6.0, -5.0)]))
    assert mechanism.claim == Nothing()
    assert release.manifest["promise"] == mechanism.promise.to_dict()
    assert release.manifest["promise"]["holds"].startswith("Nothing is promised")
    assert release.manifest["parameters"] == {"cell_m": 1000, "minutes": 60, "min_per_day": 0}
    assert release.manifest["grid"] == {"cell_m": 1000, "dt_s": 3600}
    assert release.manifest["base_grid"] == {"cell_m": 100, "dt_s": 60}


def test_people_below_the_limit_are_screened_and_listed():
    rows = [("busy", 1_591_012_800 + 600 * i, 6.0, -5.0) for i in range(10)] + [("quiet", 1_591_012_800, 6.0, -5.0)]
    release = shoal.Uniform(1000, 60, min_per_day=5).protect(frame_of(rows))
    assert release.secret.mapping["original_uid"].to_pylist() == ["busy"]
    assert release.secret.suppressed.to_pylist() == [
        {"original_uid": "quiet", "t": None, "x": None, "y": None, "reason": "screened"}
    ]
    with pytest.raises(DataError, match="nobody left"):
        shoal.Uniform(1000, 60, min_per_day=1000).protect(frame_of(rows))


@pytest.mark.parametrize("cell_m", [0, -100, 2.5, float("nan"), True, "1000", None, 10**8])
def test_impossible_cells_are_refused(cell_m):
    with pytest.raises(ParameterError, match="`cell_m="):
        shoal.Uniform(cell_m=cell_m, minutes=60)


@pytest.mark.parametrize("minutes", [0, -60, 0.5, float("nan"), True, "60", None, 10**8])
def test_impossible_steps_are_refused(minutes):
    with pytest.raises(ParameterError, match="`minutes="):
        shoal.Uniform(cell_m=1000, minutes=minutes)


def test_what_is_no_multiple_of_the_grid_is_refused():
    traces = read(frame_of([("a", 1_591_012_800, 6.0, -5.0)]))
    with pytest.raises(ParameterError, match="multiple of the grid's 100 m"):
        shoal.Uniform(150, 60).protect(traces)
    coarse = read(frame_of([("a", 1_591_012_800, 6.0, -5.0)]), grid=Grid(100, 3600))
    with pytest.raises(ParameterError, match="multiple of the grid's 3600 s"):
        shoal.Uniform(1000, 90).protect(coarse)


def test_the_largest_cells_still_have_sound_numbers():
    rows = [("a", 1_591_012_800, 6.0, -5.0), ("b", 1_591_012_800, -6.0, 25.0)]
    for row in shoal.Uniform(10_000_000, 5_256_000).protect(frame_of(rows)).data.to_pylist():
        assert row["x_max"] - row["x_min"] == row["y_max"] - row["y_min"] == 10_000_000
        assert abs(row["lat"]) <= 90
        assert abs(row["lng"]) <= 180


def test_a_box_whose_centre_is_off_the_map_is_refused():
    rows = [("a", 1_591_012_800, 6.1, -5.2)] * 3 + [("a", 1_591_012_800, -20.0, 170.0)]
    with pytest.raises(DataError, match="edge of the map"):
        shoal.Uniform(5_000_000, 60).protect(frame_of(rows))


def test_a_seed_repeats_the_tokens_and_stamps():
    frame = frame_of([(uid, 1_591_012_800, 6.0, -5.0) for uid in "abc"])
    one, two = (shoal.Uniform(1000, 60).protect(frame, seed=3) for _ in range(2))
    assert one.data.equals(two.data)
    assert one.manifest["not_for_release"] is True
    free = shoal.Uniform(1000, 60).protect(frame)
    assert "not_for_release" not in free.manifest
    assert not set(free.data["uid"].to_pylist()) & set(one.data["uid"].to_pylist())


def test_progress_is_told_and_parameters_are_frozen():
    told = []
    mechanism = shoal.Uniform(1000, 60)
    mechanism.protect(frame_of([("a", 1_591_012_800, 6.0, -5.0)]), progress=lambda *step: told.append(step))
    assert told[-1][1] == told[-1][2]
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.cell_m = 1
