"""Distances from lines and range queries, against the naive oracle; and all measures of a release of points at once."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.data import Grid, read, read_fixes
from shoal.usefulness.figures import Cells
from shoal.usefulness.lines import Lines
from shoal.usefulness.ranges import (
    HALF_DIAGONAL_M,
    QUERIES,
    WINDOW_S,
    Queries,
    count,
    count_in_boxes,
    count_samples,
    distortion,
    draw,
    draw_cells,
    standard_error,
)
from shoal.workers import workers
from usefulness import naive_points as naive
from usefulness.test_points_stops import START_S, points_of

metres = st.integers(-3000, 3000)
traces = st.lists(st.lists(st.tuples(metres, metres), min_size=1, max_size=5), min_size=1, max_size=2)


def at(y, x, lat=52.0):
    return lat + y / 111_000, 5.0 + x / 68_000


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(traces, traces), min_size=1, max_size=3))
@example([([[(0, 0)]], [[(300, 400)]])])
@example([([[(0, 0), (0, 0)], [(5000, 0)]], [[(0, 3), (4999, 0)]])])
def test_distances_from_lines_equal_the_oracle(people):
    raw = [[[(START_S, *at(*p)) for p in trace] for trace in true] for true, _ in people]
    published = [[[(START_S, *at(*p)) for p in trace] for trace in others] for _, others in people]
    with workers(2) as crew:
        found = Lines.through(points_of(raw), crew).distances(points_of(published), crew)
    expected = [
        naive.spatial_error(point[1:], true)
        for true, others in zip(raw, published, strict=True)
        for trace in others
        for point in trace
    ]
    assert found == pytest.approx(expected, rel=1e-5, abs=0.01)


def test_distances_in_a_large_tree_equal_all_pairs():
    rng = np.random.default_rng(3)
    lat, lng = (52 + np.cumsum(rng.normal(0, 0.002, 400)), 5 + np.cumsum(rng.normal(0, 0.003, 400)))
    lat[150], lng[200] = 12.0, 60.0  # glitches
    raw = points_of([[[(START_S + i, a, b) for i, (a, b) in enumerate(zip(lat, lng, strict=True))]]])
    rows = rng.integers(0, 400, 6)
    asked = points_of(
        [[[(START_S, lat[i] + e, lng[i] + n) for i, e, n in zip(rows, *rng.normal(0, 0.01, (2, 6)), strict=True)]]]
    )
    with workers(2) as crew:
        found = Lines.through(raw, crew).distances(asked, crew)
    expected = [
        naive.spatial_error((a, b), [[(0, lat[i], lng[i]) for i in range(400)]])
        for a, b in zip(asked.lat, asked.lng, strict=True)
    ]
    assert found == pytest.approx(expected, rel=1e-4, abs=0.01)


def test_the_tree_hides_no_segment():
    rng = np.random.default_rng(4)
    lat, lng = 52 + np.cumsum(rng.normal(0, 0.002, 2000)), 5 + np.cumsum(rng.normal(0, 0.003, 2000))
    rows = rng.integers(0, 2000, 400)
    at_lat, at_lng = lat[rows] + rng.normal(0, 0.01, 400), lng[rows] + rng.normal(0, 0.01, 400)
    raw, asked = (
        points_of([[[(START_S, *p) for p in zip(a, b, strict=True)]]]) for a, b in ((lat, lng), (at_lat, at_lng))
    )
    with workers(2) as crew:
        found = Lines.through(raw, crew).distances(asked, crew)
    # All pairs, on the plane around each point.
    e2, radians = 0.0066943799901413165, np.radians(at_lat)[:, None]
    w = 1 - e2 * np.sin(radians) ** 2
    north, east = np.radians(6_378_137) * (1 - e2) / w**1.5, np.radians(6_378_137) * np.cos(radians) / w**0.5
    x, y = (lng[:-1] - at_lng[:, None]) * east, (lat[:-1] - at_lat[:, None]) * north
    dx, dy = np.diff(lng) * east, np.diff(lat) * north
    along = np.clip(-(x * dx + y * dy) / (dx**2 + dy**2), 0, 1)
    assert found == pytest.approx(np.hypot(x + along * dx, y + along * dy).min(axis=1), rel=2e-3, abs=0.05)


@pytest.mark.parametrize(
    ("line", "point"),
    [
        (((0, 0), (0, 90)), (1, 45)),  # 10,000 km
        (((0, 0), (0, 90)), (0.001, -3)),
        (((50, -5), (50, 6)), (50.2, 0.3)),  # on the ground the shortest way bends to the pole
        (((-20, 179.99), (-20, -179.98)), (-20.001, -179.995)),
        (((89.9, 0), (89.9, 180)), (89.99, 90)),
        (((60, 10), (60.0000001, 10)), (60.001, 10)),
        (((60, 10), (60, 10)), (60.001, 10.001)),
        (((37, -122), (38, -122)), (37.5, -121)),
    ],
)
def test_long_short_and_odd_segments(line, point):
    raw = [(START_S, *end) for end in line]
    with workers(1) as crew:
        found = Lines.through(points_of([[raw]]), crew).distances(points_of([[[(START_S, *point)]]]), crew)
    # The ellipsoid's shortest way leaves the plane through its centre, by 40 m in 800 km.
    assert found[0] == pytest.approx(naive.spatial_error(point, [raw]), rel=0.006, abs=0.001)


def test_who_has_no_line_is_infinitely_far():
    with workers(1) as crew:
        lines = Lines.through(points_of([[], [[(START_S, 1.0, 1.0)]]]), crew)
        found = lines.distances(points_of([[[(START_S, 1.0, 1.0)]], [[(START_S, 1.0, 1.0)]]]), crew)
    assert found.tolist() == [np.inf, 0]


records = st.lists(
    st.lists(st.tuples(st.integers(0, 100_000), metres, metres), min_size=1, max_size=6), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None)
@given(records, st.sampled_from([5.0, 179.99]), st.integers(0, 2**32))
def test_counts_of_points_equal_the_oracle(people, meridian, seed):
    def row(t, y, x):
        lng = meridian + x / 68_000
        return START_S + t, 52 + y / 111_000, lng - 360 if lng > 180 else lng

    raw = [sorted(row(*one) for one in trace) for trace in people]
    points = points_of([[trace] for trace in raw])
    rng = np.random.default_rng(seed)
    names = np.repeat([f"p{i}" for i in range(len(raw))], [len(trace) for trace in raw])
    fixes = read_fixes(
        {"uid": names, "datetime": points.t_us.astype("M8[us]"), "lat": points.lat, "lng": points.lng}, tz="UTC"
    )
    queries = draw(fixes, rng, 20)
    with workers(2) as crew:
        assert count(fixes, queries, crew).tolist() == count(points, queries, crew).tolist()
        found = count(points, queries, crew)
    for i, one in enumerate(found):
        (since, until), (lat, lng, half, _) = queries.windows[i] / 1e6, queries.squares[i]
        half_m = naive.distance((lat - half / 2, lng), (lat + half / 2, lng))
        middle = ((since + until) / 2, lat, lng)
        wanted = sum(naive.crosses(trace, middle, (until - since) / 3600, half_m * math.sqrt(2)) for trace in raw)
        assert one == wanted
        assert one > 0


def test_queries_are_as_the_paper_says():
    rng = np.random.default_rng(0)
    lat, lng = 52 + rng.uniform(-1, 1, 500), 5 + rng.uniform(-1, 1, 500)
    uid, t = np.repeat(["a", "b"], 250), (START_S + np.arange(500)).astype("M8[s]")
    fixes = read_fixes({"uid": uid, "datetime": t, "lat": lat, "lng": lng}, tz="UTC")
    windows, squares = draw(fixes, np.random.default_rng(5))
    assert len(windows) == len(squares) == QUERIES
    hours = np.diff(windows)[:, 0] / 1e6
    assert WINDOW_S[0] <= hours.min() < WINDOW_S[0] * 1.05
    assert WINDOW_S[1] * 0.98 < hours.max() <= WINDOW_S[1]
    corners = np.array([naive.distance((a - h, b - w), (a + h, b + w)) / 2 for a, b, h, w in squares])
    assert corners.min() == pytest.approx(HALF_DIAGONAL_M[0], rel=0.05)
    assert corners.max() == pytest.approx(HALF_DIAGONAL_M[1], rel=0.02)
    assert np.isin(squares[:, 0], fixes.lat).all()
    again = draw(fixes, np.random.default_rng(5))
    assert (again.squares == squares).all()
    assert (again.windows == windows).all()
    assert (draw(fixes, np.random.default_rng(6)).squares != squares).any()


def test_the_rims_belong_to_a_query():
    points = points_of([[[(10, 1.0, 2.0)]]])
    with workers(1) as crew:
        for window, half, inside in (
            ((10, 20), 0.5, 1),
            ((0, 10), 0.5, 1),
            ((11, 20), 0.5, 0),
            ((0, 9), 0.5, 0),
            ((0, 20), 0.4, 0),
        ):
            squares = np.array([[1.5, 2.5, half, 0.5]])
            queries = Queries(np.array([window]) * 1_000_000, squares)
            assert count(points, queries, crew).tolist() == [inside]


def test_distortion_and_its_standard_error():
    off = distortion(np.array([4, 2, 1]), np.array([3, 4, 1]))
    assert off.mean == pytest.approx((0.25 + 1 + 0) / 3)
    assert off.standard_error == pytest.approx(np.std([0.25, 1, 0], ddof=1) / math.sqrt(3))
    assert standard_error(np.array([1.0])) == 0


boxes = st.tuples(*(st.integers(-5, 5) if i % 2 == 0 else st.integers(1, 6) for i in range(6)))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(boxes, max_size=5), min_size=1, max_size=4), st.lists(boxes, min_size=1, max_size=6))
@example([[(0, 1, 0, 1, 0, 1)], []], [(0, 1, 0, 1, 0, 1)])
def test_counts_of_boxes_equal_the_oracle(people, queries):
    people = [sorted(some) for some in people]
    offsets = np.cumsum([0, *map(len, people)])
    columns = Cells(*np.array([box for some in people for box in some], np.int64).reshape(-1, 6).T.copy())
    asked = np.array(queries, np.int64).T.copy()
    with workers(2) as crew:
        found = count_in_boxes(offsets, columns, asked, crew)
    for i, query in enumerate(queries):
        definite, possible, expected = naive.box_crossings(people, query)
        assert (found.definite[i], found.possible[i]) == (definite, possible)
        assert found.expected[i] == pytest.approx(expected)


def test_raw_samples_as_boxes_of_one_cell_have_no_distortion():
    rng = np.random.default_rng(2)
    n = 600
    table = {
        "uid": [f"p{i % 7}" for i in range(n)],
        "datetime": (START_S + rng.integers(0, 200_000, n)).astype("M8[s]"),
        "lat": 52 + rng.normal(0, 0.02, n),
        "lng": 5 + rng.normal(0, 0.02, n),
    }
    samples = read(table, grid=Grid(100, 60), tz="UTC")
    queries = draw_cells(samples, np.random.default_rng(0), 200)
    one = np.ones(samples.samples, np.int64)
    cells = Cells(
        *(
            c
            for pair in ((samples.t, one), (samples.x, one), (samples.y, one))
            for c in (pair[0].astype(np.int64), pair[1])
        )
    )
    with workers(2) as crew:
        raw = count_samples(samples, queries, crew)
        found = count_in_boxes(samples.offsets, cells, queries, crew)
    assert raw.min() > 0
    assert raw.tolist() == found.definite.tolist() == found.possible.tolist() == found.expected.tolist()
    sides = queries[3] * 100
    assert sides.min() > 2 * 500 / math.sqrt(2)
    assert sides.max() < 2 * 5000 / math.sqrt(2) + 200
