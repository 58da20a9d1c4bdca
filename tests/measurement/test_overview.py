"""What inspect tells: counts and distributions, against the definitions."""

import itertools
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from shoal.data import Grid, ReadOptions, read, read_with_report
from shoal.errors import DataError, ParameterError
from shoal.measurement.overview import QUANTILES, overview
from shoal.measurement.tally import Counted, Tally, radius_of_gyration_m

START = 1_591_012_800


def frame_of(rows):
    return pl.DataFrame(rows, schema=["uid", "datetime", "lat", "lng"], orient="row")


def look(frame, **options):
    return overview(*read_with_report(frame, Grid(), ReadOptions(**options)))


points = st.tuples(
    st.sampled_from("abcd"),
    st.integers(START, START + 86_400),
    st.floats(5, 7).map(lambda v: round(v, 5)),
    st.floats(-6, -4).map(lambda v: round(v, 5)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(points, min_size=1, max_size=40))
def test_counts_and_spreads_are_those_of_the_definitions(rows):
    frame = frame_of(rows)
    traces = read(frame)
    found = look(frame)
    own = [
        list(zip(*(getattr(traces, name)[a:b].tolist() for name in ("t", "x", "y")), strict=True))
        for a, b in zip(traces.offsets[:-1], traces.offsets[1:], strict=True)
    ]
    assert (found.people, found.rows, found.records) == (len(own), len(rows), len(rows))
    assert found.samples == sum(map(len, own)) == len(rows) - found.merged
    assert found.places == len({(x, y) for samples in own for _, x, y in samples})
    assert found.people_with_one_sample == sum(len(samples) == 1 for samples in own)

    def is_spread(name, values):
        spread = found.spreads[name]
        if values:
            assert spread.mean == pytest.approx(np.mean(values))
            assert spread.quantiles == pytest.approx(np.percentile(values, QUANTILES))
        else:
            assert np.isnan(spread.mean)

    is_spread("samples per person", [len(samples) for samples in own])
    is_spread("gap between samples (min)", [b[0] - a[0] for s in own for a, b in itertools.pairwise(s)])
    is_spread("distinct places per person", [len({(x, y) for _, x, y in samples}) for samples in own])
    radii = [naive.radius_of_gyration([(x * 100, y * 100) for _, x, y in samples]) for samples in own]
    assert radius_of_gyration_m(traces) == pytest.approx(radii, abs=1e-3)


def test_radius_keeps_its_digits_far_from_the_centre():
    rows = [("far", START + 60 * i, -60.0 + 0.001 * (i % 2), 100.0) for i in range(4)] + [
        (f"p{i}", START, 6.0, -5.0) for i in range(9)
    ]
    traces = read(frame_of(rows))
    samples = slice(traces.offsets[0], traces.offsets[1])
    expected = naive.radius_of_gyration(
        [(int(x) * 100, int(y) * 100) for x, y in zip(traces.x[samples], traces.y[samples], strict=True)]
    )
    assert radius_of_gyration_m(traces)[0] == pytest.approx(expected, rel=1e-6)


def test_outliers_and_impossible_moves_are_remarked():
    rows = [(f"p{i}", START + 60 * j, 6.0, -5.0) for i in range(20) for j in range(3)]
    calm = look(frame_of(rows))
    assert (calm.far_samples, calm.fast_moves, calm.remarks, calm.stoppers) == (0, 0, (), ())
    wild = look(frame_of([*rows, ("p0", START + 180, 40.0, 100.0)]))
    assert (wild.far_samples, wild.fast_moves) == (1, 1)
    assert len(wild.remarks) == 2
    assert wild.centre_degrees == (6, -5)


def test_days_are_of_utc_and_half_open():
    found = look(frame_of([("a", START, 6.0, -5.0), ("b", START + 86_400 - 60, 6.0, -5.0)]))
    assert (found.first_day, found.last_day, found.days) == ("2020-06-01", "2020-06-02", 1)
    assert look(frame_of([("a", START + 43_199, 6.0, -5.0)])).last_day == "2020-06-01"


def test_remarks_and_stoppers_tell_counts_only():
    frame = frame_of([("canary", START, 6.0, -5.0)] * 3 + [("canary", START, 91.0, -5.0)]).with_columns(
        extra=pl.lit("canary")
    )
    found = look(frame, bad_rows="drop")
    assert found.dropped == {"latitude": 1}
    assert found.ignored_columns == ("extra",)
    assert any("2 points (66.7%)" in remark for remark in found.remarks)
    assert "1 person has a single sample; `min_per_day` leaves out the least active" in found.remarks
    assert "only one person: nobody to hide among" in found.remarks
    assert found.stoppers == ("1 row breaks the rule on latitude: mend it, or drop it with `bad_rows='drop'`",)
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert "canary" not in text + repr(found)


def test_a_call_counts_as_two_points():
    cells = pl.DataFrame({"cell": ["A", "B"], "lat": [6.1, 6.2], "lng": [-5.2, -5.3]})
    calls = pl.DataFrame({"uid": ["a"], "datetime": [START], "duration": [0], "cell_start": ["A"], "cell_end": ["A"]})
    found = look(calls, cells=cells)
    assert (found.records, found.samples, found.merged) == (1, 1, 1)
    assert any("1 point (50.0%)" in remark for remark in found.remarks)


def test_data_are_read_where_they_are_not_yet(tmp_path):
    frame = frame_of([("a", START, 6.0, -5.0), ("b", START, 6.0, -5.0), ("b", START, 91.0, -5.0)])
    frame.write_parquet(tmp_path / "e.parquet")
    expected = look(frame, bad_rows="drop").to_dict()
    assert expected["dropped"] == {"latitude": 1}
    for source in (frame, frame.to_pandas(), tmp_path / "e.parquet"):
        assert overview(source).to_dict() == expected


def test_without_a_report_it_is_not_known_what_was_left_out():
    frame = frame_of([("a", START, 6.0, -5.0), ("a", START, 6.0, -5.0), ("a", START + 60, 6.0, -5.0)])
    found = overview(read(frame))
    assert (found.rows, found.records, found.merged, found.time_zone) == (None, None, None, None)
    assert (found.dropped, found.ignored_columns, found.stoppers) == ({}, (), ())
    known = look(frame)
    assert (found.people, found.samples, found.spreads) == (known.people, known.samples, known.spreads)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_report_of_something_else_and_empty_traces_are_refused():
    frame = frame_of([("a", START, 6.0, -5.0)])
    traces, report = read_with_report(frame)
    with pytest.raises(ParameterError, match=r"^`report` beside an object of type DataFrame"):
        overview(frame, report)
    with pytest.raises(DataError, match="without samples"):
        overview(traces.select(np.zeros(1, np.bool_)))


@given(st.lists(st.lists(st.integers(-5, 5) | st.integers(2**40, 2**40 + 3), max_size=9), max_size=6), st.data())
def test_numbers_that_are_counted_have_their_percentiles(parts, data):
    """Negative ones and large ones are sorted, the others are not."""
    numbers = [number for part in parts for number in part]
    found = Counted.together(Counted.of(np.array(part, np.int64)) for part in parts)
    assert (found.values.tolist(), found.total) == (sorted(set(numbers)), len(numbers))
    assert found.times.tolist() == [numbers.count(number) for number in found.values.tolist()]
    percents = data.draw(st.lists(st.integers(0, 100), max_size=4))
    if numbers:
        assert found.percentiles(percents) == pytest.approx(np.percentile(numbers, percents).tolist())
        assert found.mean == pytest.approx(np.mean(numbers))
    else:
        assert np.isnan(found.mean)
        assert np.isnan(found.percentiles([50])[0])


@given(st.lists(points, min_size=1, max_size=40), st.data())
def test_what_is_counted_of_parts_is_that_of_all(rows, data):
    """Whoever is in which part, and whatever part comes first."""
    traces = read(frame_of(rows))
    part_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(traces), max_size=len(traces))))
    order = data.draw(st.permutations(sorted(set(part_of.tolist()))))
    together = Tally.together([Tally.of(traces.select(part_of == part)) for part in order])
    one, other = Tally.of(traces), together
    for name in ("samples", "places", "gyration_m"):
        assert sorted(getattr(one, name).tolist()) == sorted(getattr(other, name).tolist())
    for name in ("gaps", "visited"):
        assert (getattr(one, name).values == getattr(other, name).values).all()
        assert (getattr(one, name).times == getattr(other, name).times).all()
    assert (one.fast_moves, one.span_s) == (other.fast_moves, other.span_s)
    x, y = (np.median(values) for values in (traces.x, traces.y))
    far = sum(bool(np.hypot(a - x, b - y) > 500) for a, b in zip(traces.x, traces.y, strict=True))
    assert one.far_samples(50_000) == other.far_samples(50_000) == far
