"""The field's measures, against plain loops."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.attacks.tracks import first_longitudes, traces_of, without_jump
from shoal.contract.kinds import POINTS
from shoal.data import Points, read_fixes
from shoal.data.thirds import thirds_of
from shoal.usefulness import likeness
from shoal.usefulness.distances import entropy_of_places, gyration, jumps, longest, shortest
from shoal.usefulness.flows import NINTHS, moves_between
from shoal.usefulness.hours import profile
from shoal.usefulness.measures import figures_of
from shoal.usefulness.points import ComparedPoints
from shoal.usefulness.tiles import tiles_of
from shoal.usefulness.views import View
from usefulness import naive_field as naive

SIDE = 1000
counts = st.lists(st.integers(0, 5), min_size=1, max_size=7)
places = st.integers(-45, 45).map(lambda cells: 100 * cells)
raw_rows = st.tuples(st.integers(0, 3), st.integers(0, 40), places, places)
extents = st.sampled_from([100, 200, 900, 1000, 1700, 4300])
box_rows = st.tuples(
    st.integers(0, 3), st.integers(0, 3000), st.sampled_from([1, 60, 90, 700]), places, extents, places, extents
)


def as_rows(raw):
    return sorted((u, 60 * t, 60 * t + 60, x, x + 100, y, y + 100) for u, t, x, y in raw)


def boxes_of(drawn):
    return sorted((u, 60 * t, 60 * (t + dt), x, x + dx, y, y + dy) for u, t, dt, x, dx, y, dy in drawn)


def view_of(rows, uids=4):
    columns = np.array(rows, np.int64).reshape(-1, 7)
    offsets = np.searchsorted(columns[:, 0], np.arange(uids + 1)).astype(np.int64)
    return View(offsets, *(columns[:, i] for i in range(1, 7)))


def on_tiles(tiles, counts):
    """Counts by the tile's place, of tiles where somebody was."""
    i, j = np.nonzero(tiles.number >= 0)
    return {
        (int(tiles.columns[a]), int(tiles.rows[b])): counts[tiles.number[a, b]]
        for a, b in zip(i.tolist(), j.tolist(), strict=True)
    }


@settings(max_examples=150)
@given(st.lists(raw_rows, min_size=1, max_size=12), st.lists(box_rows, max_size=8))
def test_tiles_equal_a_loop_over_boxes_and_tiles(raw, drawn):
    rows, boxes = as_rows(raw), boxes_of(drawn)
    tiles, view = tiles_of(view_of(rows), 100), view_of(boxes)
    assert tiles.side_m == SIDE
    plain = naive.tile_counts(rows, SIDE)[1]
    assert on_tiles(tiles, tiles.raw) == pytest.approx(plain)
    found = tiles.definite(view), tiles.expected(view), tiles.possible(view)
    for ours, theirs in zip(found, naive.tile_counts(boxes, SIDE), strict=True):
        assert on_tiles(tiles, ours.on_tiles) == pytest.approx({key: theirs.get(key, 0) for key in plain}, abs=1e-5)
        outside = sum(count for key, count in theirs.items() if key not in plain)
        assert ours.elsewhere == pytest.approx(outside, abs=1e-4)
        divergence = likeness.jensen_shannon(tiles.raw, ours.on_tiles, elsewhere=ours.elsewhere)
        assert divergence == pytest.approx(naive.jensen_shannon(plain, theirs), abs=1e-4)
    expected = naive.tile_counts(boxes, SIDE)[1]
    columns, rows_ = set(tiles.columns.tolist()), set(tiles.rows.tolist())
    new = [count for (i, j), count in expected.items() if (i, j) not in plain and i in columns and j in rows_]
    beyond = [
        count
        for place, count in naive.tile_counts(boxes, SIDE)[0].items()
        if place not in plain and not (place[0] in columns and place[1] in rows_)
    ]
    assert sorted(found[1].new) == pytest.approx(sorted(new + beyond), abs=1e-4)
    assert likeness.smape(tiles.raw, found[1].on_tiles, found[1].elsewhere) == pytest.approx(
        naive.smape(plain, naive.tile_counts(boxes, SIDE)[1]), abs=1e-4
    )


@settings(max_examples=150)
@given(st.lists(raw_rows, min_size=1, max_size=12), st.lists(box_rows, max_size=8))
def test_flows_equal_a_loop_over_moves(raw, drawn):
    rows, boxes = as_rows(raw), boxes_of(drawn)
    tiles = tiles_of(view_of(rows), 100)
    visited = {number: place for place, number in on_tiles(tiles, np.arange(len(tiles))).items()}
    for some in (rows, boxes):
        found = moves_between(tiles, view_of(some))
        theirs = naive.flow_counts(some, SIDE)
        inside = {way: count for way, count in theirs.items() if set(way) <= set(visited.values())}
        ours = {
            (visited[way // len(tiles)], visited[way % len(tiles)]): count
            for way, count in zip(found.ways.tolist(), found.moves.tolist(), strict=True)
        }
        assert ours == pytest.approx(inside)
        assert sorted(found.elsewhere) == pytest.approx(
            sorted(count for way, count in theirs.items() if way not in inside)
        )


def test_nine_draws_stand_for_all():
    for a in range(4):
        for b in range(a):
            assert len({(draw[a], draw[b]) for draw in NINTHS}) == 9


@given(st.lists(box_rows, max_size=10))
def test_distances_equal_a_loop(drawn):
    boxes = boxes_of(drawn)
    view = view_of(boxes)
    assert jumps(view).tolist() == pytest.approx(naive.jumps(boxes))
    assert gyration(view).tolist() == pytest.approx(naive.gyration(boxes), abs=1e-6)
    for far, plain in zip((shortest, longest), naive.shortest_and_longest_jumps(boxes, 100), strict=True):
        assert far(view).tolist() == pytest.approx(plain)
    x, y = view.middles()
    cells = np.floor(x / SIDE).astype(np.int64), np.floor(y / SIDE).astype(np.int64)
    assert entropy_of_places(view.owner, cells, 4).tolist() == pytest.approx(naive.entropy(boxes, SIDE), abs=1e-9)


@settings(max_examples=15)
@given(st.lists(box_rows, max_size=3))
def test_hours_equal_a_loop_over_seconds(drawn):
    boxes = boxes_of(drawn)
    found = profile(view_of(boxes), 0)
    definite, expected, possible = naive.hours(boxes)
    assert found.expected.tolist() == pytest.approx(expected)
    assert found.possible.tolist() == possible
    assert found.definite.tolist() == definite


@given(counts, st.data())
def test_likeness_equals_the_definitions(raw, data):
    published = data.draw(st.lists(st.integers(0, 5), min_size=len(raw), max_size=len(raw)))
    one, two = np.array(raw, float), np.array(published, float)
    assert likeness.kendall_tau(one, two) == pytest.approx(naive.kendall_tau(raw, published), abs=1e-12)
    found = likeness.jensen_shannon(one, two)
    assert found == pytest.approx(naive.jensen_shannon(dict(enumerate(raw)), dict(enumerate(published))), abs=1e-9)
    if any(raw) and any(published):
        assert likeness.earth_mover_on_a_circle(one, two) == pytest.approx(naive.circular_earth_mover(raw, published))
    assert likeness.jensen_shannon(one, 3 * one) == pytest.approx(0, abs=1e-12)


@settings(max_examples=60)
@given(counts.filter(lambda raw: len(raw) < 5), st.data())
def test_top_overlap_equals_all_orders(raw, data):
    published = data.draw(st.lists(st.integers(0, 4), min_size=len(raw), max_size=len(raw)))
    new = data.draw(st.lists(st.integers(1, 4), max_size=2))
    one, two = np.array(raw, float), np.array(published, float)
    for top in (1, 3):
        found = likeness.top_overlap(one, two, top, np.array(new, float))
        plain = naive.top_overlap(dict(enumerate(raw)), dict(enumerate(published + new)), top)
        assert found == pytest.approx(plain)
        assert likeness.top_overlap(one, one, top) == pytest.approx(1)
        assert naive.chance_in_top(raw, top) == pytest.approx(naive.in_top(raw, top))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=6), st.lists(st.integers(-9, 9), min_size=1, max_size=6))
def test_the_earth_mover_equals_the_quantile_functions(one, two):
    found = likeness.earth_mover(np.array(one, float), np.array(two, float))
    assert found == pytest.approx(naive.earth_mover(one, two))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=20))
def test_thirds_follow_the_numbers_alone(samples):
    found = thirds_of(np.array(samples))
    assert thirds_of(np.array(samples[::-1])).tolist() == found[::-1].tolist()
    by_third = [[n for n, third in zip(samples, found, strict=True) if third == one] for one in range(3)]
    for lower, upper in ((0, 1), (1, 2), (0, 2)):
        if by_third[lower] and by_third[upper]:
            assert max(by_third[lower]) < min(by_third[upper])


NEW = ("visits_per_tile", "flows", "jump_length", "radius_of_gyration", "place_entropy", "time_of_day")


def shuffled_people():
    """The same people twice, by other names and in another order; of each the rows in theirs."""
    events = pl.DataFrame(synth.cdr(40, 2, preset="abidjan", seed=2))
    names = events["uid"].unique().sort()
    other = dict(zip(names, names.sample(fraction=1, shuffle=True, seed=5), strict=True))
    return events, events.with_columns(pl.col("uid").replace_strict(other)).sort("uid", maintain_order=True)


def assert_equal_in_all(one, two):
    assert flat(one) == pytest.approx(flat(two))
    assert one.keys() >= {*NEW, "within", "thirds", "range_queries"}


@pytest.mark.parametrize("mechanism", [shoal.Uniform(cell_m=2500, minutes=90), shoal.Glove(k=2)])
def test_shuffled_people_change_nothing_of_boxes(tmp_path, mechanism):
    told = []
    for name, data in zip("ab", shuffled_people(), strict=True):
        mechanism.protect(data).write(tmp_path / name, record=False)
        told.append(shoal.utility(tmp_path / name, original=data).to_dict())
    assert_equal_in_all(*told)


def test_shuffled_people_change_nothing_of_points():
    told = []
    for data in shuffled_people():
        fixes = read_fixes(data)
        traces = without_jump(traces_of(fixes), first_longitudes(fixes))
        moved = replace(Points.of_people(fixes), lat=fixes.lat + 0.01 * np.sin(1e4 * fixes.lng))
        told.append(figures_of(POINTS, ComparedPoints(len(fixes), len(fixes), fixes, moved, traces)))
    assert_equal_in_all(*told)


def flat(figures):
    found = {}
    for name, value in figures.items():
        found |= (
            {f"{name}.{inner}": v for inner, v in flat(value).items()} if isinstance(value, dict) else {name: value}
        )
    return found


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9
    ),
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 9), st.integers(0, 9)), max_size=9),
)
def test_near_points_equal_a_loop(raw, published):
    from shoal.kernels.compared.near import near

    raw, published = sorted(raw), sorted(published)

    def columns(rows):
        table = np.array(rows, np.int64).reshape(-1, 4)
        offsets = np.searchsorted(table[:, 0], np.arange(4)).astype(np.int64)
        return offsets, *(
            np.ascontiguousarray(c) for c in (table[:, 1], table[:, 2].astype(float), table[:, 3].astype(float))
        )

    offsets, t, lat, lng = columns(raw)
    found = np.zeros(len(raw), np.bool_)
    ones = np.ones(len(raw))
    near(offsets, 0, 3, t, lat, lng, ones, ones, *columns(published), 2.5, 4, found)
    plain = naive.near(
        [(p, t, (x, y)) for p, t, x, y in raw], [(p, t, (x, y)) for p, t, x, y in published], 2.5, 4, distance
    )
    assert found.tolist() == plain


def distance(a, b):
    return float(np.hypot(a[0] - b[0], a[1] - b[1]))
