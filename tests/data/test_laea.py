"""The closed form of the projection: near PROJ, silent where it is not, and never of another opinion about a cell."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data import Projection, laea
from shoal.data.laea import WITHIN_M, Plane

lats, lngs = st.floats(-85, 85), st.floats(-180, 180)
centres = st.tuples(st.integers(-85, 85), st.integers(-180, 179))
near = st.floats(-3, 3)


def by_proj(centre, lat, lng):
    return Projection(*centre)._proj()(np.array([lng]), np.array([lat]))


def by_formula(centre, lat, lng):
    return Plane.around(*centre).metres(np.array([lat]), np.array([lng]))


@given(centres, lats, lngs)
@example((0, 0), 0.0, 0.0)
@example((0, 0), 0.0, 90.0)
@example((0, 179), -1.0, -179.5)
@example((85, 0), 85.0, 170.0)
@example((-85, -180), 4.9, -180.0)
@example((-85, -180), -85.0, 180.0)
@example((60, 10), 0.5, -60.0)
def test_it_is_a_hundred_times_nearer_to_proj_than_is_relied_on(centre, lat, lng):
    found = by_formula(centre, lat, lng)
    if found is not None:
        for metres, expected in zip(found, by_proj(centre, lat, lng), strict=True):
            assert abs(metres - expected).max() < WITHIN_M / 100


@given(centres, near, near)
@example((-17, 179), 0.0, 2.0)
@example((-17, -180), 0.0, -2.0)
def test_it_knows_all_that_is_near(centre, north, east):
    lat = min(max(centre[0] + north, -85), 85)
    # Around a pole three degrees of longitude are few metres, and always near.
    assert by_formula(centre, lat, (centre[1] + east + 180) % 360 - 180) is not None


@pytest.mark.parametrize(
    ("lat", "lng"), [(85.1, 0), (-90, 0), (0, 170.1), (0, -179), (0, 180.5), (-30, 155), (np.nan, 0), (0, np.nan)]
)
def test_it_says_nothing_where_it_is_not_sure(lat, lng):
    assert by_formula((0, 0), 1.0, 1.0) is not None
    assert Plane.around(0, 0).metres(np.array([1.0, lat]), np.array([1.0, lng])) is None


def test_beyond_a_pole_it_is_not_sure_either():
    assert by_formula((60, 0), 80.0, 169.0) is not None
    assert by_formula((60, 0), 80.0, 171.0) is None


@pytest.mark.parametrize("lat_0", [86, 90, -86, -90])
def test_there_is_no_plane_at_the_poles(lat_0):
    assert Plane.around(lat_0, 0) is None


corners = st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000))


def at(projection, x, y):
    """Positions as near to places of the plane as numbers can be: PROJ's own way back is a millimetre off."""
    aim_x, aim_y = x, y
    for _ in range(4):
        lat, lng = projection.inverse(aim_x, aim_y)
        found_x, found_y = projection._proj()(lng, lat)
        aim_x, aim_y = aim_x + x - found_x, aim_y + y - found_y
    return lat, lng


@given(centres, st.lists(corners, min_size=1, max_size=20), st.sampled_from([1, 50, 100, 20_000]))
@example((0, 0), [(0, 0)], 100)
def test_at_the_corners_of_cells_it_is_proj_that_decides(centre, corners, cell_m):
    projection = Projection(*centre)
    lat, lng = at(projection, *(np.array(column, float) * 100 for column in zip(*corners, strict=True)))
    for found, metres in zip(projection.cells(lat, lng, cell_m), projection._proj()(lng, lat), strict=True):
        assert found.tolist() == np.floor(metres / cell_m).tolist()


def test_where_it_says_nothing_proj_decides(monkeypatch):
    """A piece with one position far away, between others, of which the last is short."""
    monkeypatch.setattr(laea, "CACHED_ROWS", 4)
    rng = np.random.default_rng(3)
    lat, lng = rng.uniform(5, 7, 11), rng.uniform(-6, -4, 11)
    lat[5], lng[5] = 88.0, 40.0
    projection = Projection(6, -5)
    cells = np.empty(11, np.int32), np.empty(11, np.int32)
    assert Plane.around(6, -5).snap(lat, lng, 100, cells).tolist() == [4, 5, 6, 7]
    for found, metres in zip(projection.cells(lat, lng, 100), projection._proj()(lng, lat), strict=True):
        assert found.tolist() == np.floor(metres / 100).tolist()
