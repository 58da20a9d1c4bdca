"""The k-gap and its anatomy against the oracle, its invariances, and what is written."""

import json
import stat

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
import shoal
from shoal.data import Grid, Projection
from shoal.data.traces import Traces, traces_from_samples
from shoal.errors import DataError, OutputError, ParameterError
from shoal.measurement.directory import write
from shoal.measurement.kgap import LEVELS, gaps, measure, sample_parts

GRID, CRS = Grid(), Projection(6, -5)
EXACT = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

samples = st.tuples(st.integers(0, 1200), st.integers(-260, 260), st.integers(-40, 40))
fingerprints = st.lists(samples, min_size=1, max_size=7, unique=True).map(sorted)
crowds = st.lists(fingerprints, min_size=3, max_size=7)


def traces_of(people: list[list[tuple[int, int, int]]]) -> Traces:
    import pyarrow as pa

    owner = np.repeat(np.arange(len(people)), [len(p) for p in people])
    t, x, y = (np.array([s[i] for p in people for s in p], np.int32) for i in range(3))
    names = pa.array([f"{i:04}" for i in range(len(people))])
    return traces_from_samples(names, owner, t, x, y, CRS, GRID)


@EXACT
@given(crowds)
def test_every_figure_equals_the_definition(people):
    result = measure(traces_of(people), k=(2, 3)).users.to_pylist()
    assert len(result) == 2 * len(people)
    for row in result:
        a, k = int(row["uid"]), row["k"]
        parts = naive.pooled_parts(people, a, k)
        space, time = ([float(p[i]) for p in parts] for i in (0, 1))
        spatial, temporal = naive.kgap_parts(people, a, k)
        assert row["kgap"] == pytest.approx(naive.kgap_float(people, a, k), abs=1e-12)
        assert (row["spatial"], row["temporal"]) == (pytest.approx(float(spatial)), pytest.approx(float(temporal)))
        assert row["ratio"] == pytest.approx(float(naive.ratio(parts)))
        for name, values in (("spatial", space), ("temporal", time), ("total", np.add(space, time))):
            assert row[f"gini_{name}"] == pytest.approx(float(naive.gini(list(values))), abs=1e-9)
            # Exact parts decide whether a quantile difference is zero.
        exact = {"spatial": [p[0] for p in parts], "temporal": [p[1] for p in parts], "total": [sum(p) for p in parts]}
        for name, values in exact.items():
            assert row[f"twi_{name}"] == pytest.approx(naive.twi(values))


@EXACT
@given(crowds)
def test_the_nearest_are_the_definitions_nearest(people):
    for row in measure(traces_of(people), k=3).users.to_pylist():
        expected = [people[b] for b in naive.nearest(people, int(row["uid"]), 3)]
        assert [people[int(uid)] for uid in row["nearest"]] == expected


@EXACT
@given(crowds, st.randoms(use_true_random=False))
def test_order_of_people_does_not_matter(people, random):
    shuffled = random.sample(range(len(people)), len(people))
    one = measure(traces_of(people)).users["kgap"].to_numpy()
    other = measure(traces_of([people[i] for i in shuffled])).users["kgap"].to_numpy()
    assert one[shuffled].tolist() == other.tolist()


@EXACT
@given(crowds, st.integers(-5000, 5000), st.integers(-5000, 5000), st.integers(0, 10**6))
def test_moving_everybody_changes_nothing(people, east, north, later):
    moved = [[(t + later, x + east, y + north) for t, x, y in p] for p in people]
    assert (
        measure(traces_of(people), k=(2, 3))
        .users.drop_columns(["uid"])
        .equals(measure(traces_of(moved), k=(2, 3)).users.drop_columns(["uid"]))
    )


@EXACT
@given(crowds)
def test_both_papers_measures_coincide_on_raw_samples(people):
    for row in measure(traces_of(people)).users.to_pylist():
        a = int(row["uid"])
        stretches = [naive.taxicab_stretch(people[a], people[b]) for b in range(len(people)) if b != a]
        assert row["kgap"] == pytest.approx(min(stretches))


@settings(max_examples=25, deadline=None)
@given(crowds)
def test_levels_count_who_is_anonymous(people):
    levels = measure(traces_of(people), levels=True).summary["levels"]
    assert [(row["cell_m"], row["minutes"]) for row in levels] == [tuple(level) for level in LEVELS]
    for row in levels:
        share = naive.anonymous_share(people, 2, row["cell_m"] // GRID.cell_m, row["minutes"] * 60 // GRID.dt_s)
        assert row["share_anonymous"] == pytest.approx(float(share))


def test_textbook_dispersion():
    """One person against another with exponential or Pareto gaps in time has those tails."""
    rng = np.random.default_rng(1)
    for draws, index in ((rng.exponential(30, 4000), 1.6), (rng.pareto(1, 4000) + 1, 14)):
        times = np.unique(np.minimum(draws * 2, 479).astype(int)) if index == 14 else np.unique(draws.astype(int))
        row = measure(traces_of([[(0, 0, 0)], [(int(t), 0, 0) for t in times]])).users.to_pylist()[0]
        assert row["twi_temporal"] == pytest.approx(naive.twi([5 * int(t) for t in times]))


def test_sample_parts_add_up_to_the_gap():
    people = [[(0, 0, 0), (9, 3, 0)], [(2, 0, 0)], [(500, 900, 0)]]
    space, time = sample_parts(traces_of(people), 0)
    assert (space + time).mean() == pytest.approx(naive.kgap_float(people, 0, 2))


def test_targets_are_measured_against_everybody():
    people = [[(i, 3 * i, 0), (i + 50, 0, i)] for i in range(30)]
    everybody = measure(traces_of(people), k=4).users["kgap"].to_numpy()
    chosen = np.array([3, 17, 29])
    assert gaps(traces_of(people), [4], targets=chosen)[4].tolist() == everybody[chosen].tolist()


def test_screening_is_counted():
    people = [[(d * 1440 + 600, 0, 0) for d in range(3)], [(d * 1440 + 700, 0, 0) for d in range(3)], [(5, 0, 0)]]
    summary = measure(traces_of(people), min_per_day=1).summary
    assert (summary["people"], summary["screened"]) == (2, 1)


@pytest.mark.parametrize("k", [0, 1, 101, 2.5, True, float("nan"), []])
def test_bad_sizes_are_refused(k):
    with pytest.raises(ParameterError):
        measure(traces_of([[(0, 0, 0)], [(1, 0, 0)]]), k=k if isinstance(k, list) else [k])


def test_fewer_people_than_k_are_refused():
    with pytest.raises(DataError, match="2 people for k = 3"):
        measure(traces_of([[(0, 0, 0)], [(1, 0, 0)]]), k=3)


def test_the_directory_is_private_and_complete(tmp_path):
    result = shoal.measure(traces_of([[(0, 0, 0)], [(1, 0, 0)], [(7, 4, 4)]]), k=(2, 3))
    out = write(result, tmp_path / "measured")
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert {p.name: stat.S_IMODE(p.stat().st_mode) for p in out.iterdir()} == {
        "users.parquet": 0o600,
        "summary.json": 0o600,
    }
    assert pq.read_table(out / "users.parquet").equals(result.users)
    summary = json.loads((out / "summary.json").read_text())
    assert {k: len(v) for k, v in summary["kgap"].items()} == {"2": 11, "3": 11}
    with pytest.raises(OutputError):
        write(result, out)
