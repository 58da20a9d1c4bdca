"""Stays and their retrieval, against the naive oracle."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.attacks.poi import find_stays, poi_retrieval
from shoal.attacks.tracks import split_at_gaps, without_jump
from shoal.data import Points
from shoal.workers import workers
from usefulness import naive_points as naive

START_S = 1_577_836_800
NORTH, EAST = 1 / 111_000, 1 / 88_000


@pytest.fixture(scope="module")
def crew():
    with workers() as some:
        yield some


def points_of(people):
    """``people``: of each the parts, each a list of (t, lat, lng)."""
    parts = [(i, part) for i, traces in enumerate(people) for part in traces]
    rows = [row for _, part in parts for row in part]
    return Points(
        pa.array([f"p{i}" for i in range(len(people))], pa.string()),
        np.array([i for i, _ in parts], np.int64),
        np.cumsum([0, *(len(part) for _, part in parts)]).astype(np.int64),
        np.array([round(t * 1_000_000) for t, _, _ in rows], np.int64),
        np.array([lat for _, lat, _ in rows], np.float64),
        np.array([lng for _, _, lng in rows], np.float64),
    )


def wandering(seed, points=90):
    """A trace that stops and goes, now and then at the rim of 200 m, with points at the same time among them."""
    rng = np.random.default_rng(seed)
    lat, lng = rng.uniform(-80, 80), rng.uniform(-179, 179)
    east = 1 / (111_000 * np.cos(np.radians(lat)))
    y = x = t = 0.0
    rows = []
    while len(rows) < points:
        spread_m, hop_m = rng.choice([0, 20, 60, 100]), rng.choice([0, 120, 400, 3000])
        angle = rng.uniform(0, 2 * np.pi)
        y, x = y + hop_m * np.sin(angle), x + hop_m * np.cos(angle)
        for _ in range(rng.integers(1, 25)):
            t += rng.choice([0, 10, 60, 180])
            north, right = rng.normal(0, spread_m, 2) if spread_m else (0, 0)
            rows.append((START_S + t, lat + (y + north) / 111_000, lng + (x + right) * east))
    return rows[:points]


def test_stays_equal_the_oracle_on_200_random_traces(crew):
    traces = [wandering(seed) for seed in range(200)]
    found = find_stays(points_of([[trace] for trace in traces]), crew)
    expected = [naive.pois(trace) for trace in traces]
    assert np.bincount(found.trace, minlength=200).tolist() == [len(some) for some in expected]
    assert sum(map(len, expected)) > 300
    flat = [poi for some in expected for poi in some]
    assert found.middle_us / 1e6 == pytest.approx([t for t, _, _ in flat], abs=1e-3)
    assert found.lat == pytest.approx([lat for _, lat, _ in flat], abs=1e-9)
    assert found.lng == pytest.approx([lng for _, _, lng in flat], abs=1e-9)
    lasting = sum(
        naive.stays(trace)[-1:] == [trace[-len(naive.stays(trace)[-1]) :]] for trace in traces if naive.pois(trace)
    )
    assert lasting > 20, "stays that last to the end of their trace"


def line(*metres, every=300):
    return [(START_S + every * i, 40 + m * NORTH, 5.0) for i, m in enumerate(metres)]


@pytest.mark.parametrize(
    ("trace", "stays"),
    [
        ([], 0),
        (line(0), 0),
        (line(0, 0, 0), 0),
        (line(0, 0, 0, 0), 1),  # the last stay of a trace, 15 min to the second
        (line(0, 0, 0, 0, 5000), 1),
        (line(0, 150, 300, 450, 600, 750), 0),  # on its way
        (line(5000, 0, 0, 150, 0, 5000), 1),  # what fails on time loses its oldest point
        (line(0, 0, 0, 0, 300, 300, 300, 300), 2),
        (line(0, 0, every=1000), 1),  # two points are enough
        (line(0, 300, every=1000), 0),
    ],
)
def test_small_traces(crew, trace, stays):
    assert find_stays(points_of([[trace]]), crew).trace.size == stays == len(naive.stays(trace))


def test_a_long_stay_of_many_points_is_found_quickly(crew):
    rng = np.random.default_rng(1)
    n = 300_000
    rows = Points(
        pa.array(["a"]),
        np.array([0]),
        np.array([0, n]),
        np.arange(n) * 1_000_000,
        40 + rng.uniform(-60, 60, n) * NORTH,
        5 + rng.uniform(-60, 60, n) * EAST,
    )
    assert find_stays(rows, crew).trace.tolist() == [0]


def test_gaps_cut_and_the_antimeridian_does_not(crew):
    west, east = (START_S, -20.0, 179.9999), (START_S + 1000, -20.0, -179.9999)
    jump = points_of([[[west, east]]])
    assert find_stays(jump, crew).trace.size == 0
    assert find_stays(without_jump(jump, np.array([179.9999])), crew).trace.size == 1
    assert without_jump(jump, np.array([179.9999])).lng.tolist() == pytest.approx([179.9999, 180.0001])
    assert without_jump(jump, np.array([-179.9999])).lng.tolist() == pytest.approx([-180.0001, -179.9999])
    apart = points_of([[[(0, 1.0, 1.0), (4 * 3600 - 1, 1.0, 1.0), (8 * 3600 - 1, 1.0, 1.0)]], [], [[(0, 1.0, 1.0)]]])
    assert split_at_gaps(apart).offsets.tolist() == [0, 2, 3, 4]
    assert split_at_gaps(apart).person_of.tolist() == [0, 0, 2]


days = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 30, 40, 90])), max_size=4),
    min_size=1,
    max_size=3,
)
"""Of each trace of a person, some hours apart: stays at a place of a lattice, and how many metres off."""


def stay_rows(t, place, off):
    lat, lng = 40 + (130 * place[0] + off) * NORTH, 5 + 130 * place[1] * EAST
    return [(t + i * 500, lat + i * 1e-7, lng) for i in range(3)]


def day_rows(traces):
    """Cut by 5 hours each; within a trace from one stay to the next by way of a far place."""
    rows = []
    for i, trace in enumerate(traces):
        t = START_S + i * 100_000
        rows.append([(t, 41.0, 5.0)])
        for y, x, off in trace:
            rows[-1] += [*stay_rows(t + 100, (y, x), off), (t + 1500, 41.0, 5.0)]
            t += 2000
    return rows


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(days, days), min_size=1, max_size=3))
@example([([[(0, 0, 0), (0, 0, 90)]], [[(0, 0, 40)]])])  # two true ones within reach: one is matched
@example([([[(0, 0, 0)]], [[]]), ([[]], [[(0, 0, 0)]])])  # erased; and nothing to find
def test_retrieval_equals_the_oracle(people):
    raw = [day_rows(traces) for traces, _ in people]
    published = [day_rows(traces) for _, traces in people]
    with workers(2) as crew:
        per_trace, per_person = poi_retrieval(points_of(raw), points_of(published), crew)
    every = naive.retrievals(dict(enumerate(raw)), dict(enumerate(published)))
    expected, of_people = ([result for true, _, result in groups if true] for groups in every)
    for told, wanted in ((per_trace, expected), (per_person, of_people)):
        assert told.counts.size == len(wanted)
        assert told.precision == pytest.approx([one[0] for one in wanted])
        assert told.recall == pytest.approx([one[1] for one in wanted])
        assert told.f_score == pytest.approx([one[2] for one in wanted])
        assert told.matched[told.counts].tolist() == [one[3] for one in wanted]
