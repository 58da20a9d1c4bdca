"""From degrees to cells and back, against the slow oracle."""

import statistics

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive
from shoal.data import Projection, projection
from shoal.errors import DataError

near = st.floats(-3, 3).map(lambda v: round(v, 6))


def around(lats, lngs):
    return Projection.around(np.array(lats, float), np.array(lngs, float))


def wrapped(lng):
    return (lng + 180) % 360 - 180


@given(
    st.tuples(st.integers(-87, 87), st.integers(-180, 179)),
    st.lists(st.tuples(near, near), min_size=1, max_size=8),
    st.sampled_from([1, 50, 100, 20_000]),
)
@example((-17, 178), [(-0.5, 1.9), (-0.5, 2.1)], 100)
@example((87, 0), [(3.0, 0.0), (3.0, -3.0)], 100)
@example((-87, 0), [(-3.0, 0.0), (-3.0, -3.0)], 100)
@example((0, 0), [(0.0, 0.0)], 100)
def test_cells_are_those_of_the_oracle(middle, offsets, cell_m):
    lats = [middle[0] + dlat for dlat, _ in offsets]
    lngs = [wrapped(middle[1] + dlng) for _, dlng in offsets]
    projection = around(lats, lngs)
    x, y = projection.cells(np.array(lats), np.array(lngs), cell_m)
    for i, (lat, lng) in enumerate(zip(lats, lngs, strict=True)):
        expected = naive.snap(lat, lng, 0, projection.lat_0, projection.lon_0, cell_m, 60)[1:]
        assert (x[i], y[i]) == expected


@given(
    st.tuples(st.integers(-87, 87), st.integers(-180, 179)),
    st.lists(st.tuples(near, near), min_size=1, max_size=30),
)
@example((-18, 179), [(0.0, 0.5), (0.1, 1.5), (0.2, 0.9)])
@example((-18, -180), [(0.0, -0.5), (0.1, 0.0)])
@example((0, 178), [(0.0, 0.0), (0.0, 0.0), (0.0, 2.0), (0.0, -2.0), (0.0, -2.0)])
@example((0, 178), [(0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 2.0)])
def test_centre_of_a_region_is_that_of_the_oracle_also_across_the_antimeridian(middle, offsets):
    lats = [middle[0] + dlat for dlat, _ in offsets]
    lngs = [wrapped(middle[1] + dlng) for _, dlng in offsets]
    projection = around(lats, lngs)
    lat_0, lon_0 = naive.centre(lats, lngs)
    # Unrolling adds a turn to some longitudes, so a median at half a degree may round either way.
    assert projection.lat_0 == lat_0
    assert min((projection.lon_0 - lon_0) % 360, (lon_0 - projection.lon_0) % 360) <= 1
    if abs(np.median([(lng - middle[1] + 180) % 360 for lng in lngs]) % 1 - 0.5) > 1e-6:
        assert projection.lon_0 == lon_0


@given(st.lists(st.integers(-180, 180), min_size=1, max_size=30))
@example([180, -20, -10])
def test_centre_of_the_globe_is_that_of_the_oracle(lngs):
    assert around([0] * len(lngs), lngs).lon_0 == naive.centre([0] * len(lngs), lngs)[1]


def test_centre_is_of_whole_degrees():
    projection = around([48.8566, 48.9, 48.7], [2.3522, 2.4, 2.6])
    assert (projection.lat_0, projection.lon_0) == (49, 2)
    assert isinstance(projection.lat_0, int)
    assert isinstance(projection.lon_0, int)


@pytest.mark.parametrize("outlier", [(-41.3, 80.0), (0.0, -87.0), (89.0, 2.35), (1.5, 179.9)])
def test_an_outlier_10_000_km_away_does_not_move_the_centre(outlier):
    rng = np.random.default_rng(1)
    lats, lngs = 48.86 + rng.normal(0, 0.05, 200), 2.35 + rng.normal(0, 0.05, 200)
    before = around(lats, lngs)
    after = around([*lats, outlier[0]], [*lngs, outlier[1]])
    assert before == after == Projection(49, 2)


def test_fiji_stays_in_one_piece():
    lats, lngs = np.array([-17.8, -16.8, -17.2]), np.array([178.4, -179.9, 179.6])
    projection = around(lats, lngs)
    assert (projection.lat_0, projection.lon_0) == (-17, -180)
    x, _ = projection.cells(lats, lngs, 100)
    assert np.ptp(x) * 100 < 200_000


def test_an_outlier_does_not_tear_fiji_apart():
    lngs = np.array([178.4, -179.9, 179.6, 179.9, -179.8, 2.0])
    assert abs(around(np.full(6, -17.0), lngs).lon_0) == 180


@given(st.integers(-89, 89), st.integers(-180, 179), st.lists(st.tuples(near, near), min_size=1, max_size=5))
def test_inverse_undoes_the_projection(lat_0, lon_0, offsets):
    projection = Projection(lat_0, lon_0)
    x, y = (np.array(v) * 100_000 for v in zip(*offsets, strict=True))
    lat, lng = projection.inverse(x, y)
    columns, rows = projection.cells(lat, lng, 1)
    assert np.abs(columns + 0.5 - x).max() <= 1
    assert np.abs(rows + 0.5 - y).max() <= 1


def test_many_chunks_are_as_one():
    rng = np.random.default_rng(2)
    lat, lng = rng.uniform(5, 7, 250_001), rng.uniform(-6, -4, 250_001)
    projection = Projection(6, -5)
    x, y = projection.cells(lat, lng, 100)
    assert (x.dtype, y.dtype) == (np.int32, np.int32)
    for i in (0, 99_999, 100_000, 200_000, 250_000):
        assert (x[i], y[i]) == naive.snap(lat[i], lng[i], 0, 6, -5, 100, 60)[1:]


def test_the_antipode_is_refused():
    with pytest.raises(DataError, match="opposite"):
        Projection(0, 0).cells(np.array([0.0]), np.array([180.0]), 100)


def test_beyond_the_edge_of_the_map_there_is_no_position():
    with pytest.raises(DataError, match="edge of the map"):
        Projection(0, 0).inverse(np.array([12_800_000.0]), np.array([0.0]))


def test_nobody_is_nowhere():
    assert around([], []) == Projection(0, 0)


@given(st.lists(st.floats(-180, 360) | st.integers(-360, 720).map(lambda half: half / 2), min_size=1, max_size=9))
@example([0.5, 0.5])
@example([1.5, 2.5])
@example([2.5, 2.4999999999999996])
def test_the_rounded_median_is_that_of_the_median(degrees):
    assert projection._whole_median(np.array(degrees)) == round(statistics.median(degrees))


@given(st.lists(st.floats(-180, 360), min_size=1, max_size=20))
def test_the_rounded_median_of_many_pieces_is_that_of_all(degrees):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(projection, "CACHED_ROWS", 3)
        assert projection._whole_median(np.array(degrees)) == round(statistics.median(degrees))
