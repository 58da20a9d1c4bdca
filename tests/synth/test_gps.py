"""GPS traces: along streets, at human speeds, with a truth that holds."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ParameterError
from shoal.synth import GpsData, gps
from shoal.synth.gps import TOWN
from shoal.synth.randomness import stream
from shoal.synth.streets import ARTERIAL_MS, build_streets

USERS, DAYS = 12, 7


@pytest.fixture(scope="module")
def data() -> GpsData:
    return gps(USERS, DAYS, seed=9)


def seconds(column: pa.ChunkedArray) -> np.ndarray:
    return column.cast(pa.int64()).to_numpy() / 1e6


def trace(data: GpsData, person: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mine = data.points.filter(data.points["uid"].combine_chunks().indices.to_numpy() == person)
    x, y = TOWN.to_metres(mine["lat"].to_numpy(), mine["lng"].to_numpy())
    return seconds(mine["datetime"]), x, y


def stays(data: GpsData, person: int) -> list[tuple[str, float, float, float, float]]:
    mine = data.truth.filter(data.truth["uid"].combine_chunks().indices.to_numpy() == person)
    x, y = TOWN.to_metres(mine["lat"].to_numpy(), mine["lng"].to_numpy())
    rows = zip(mine["kind"].to_pylist(), x, y, mine["t_start"].to_pylist(), mine["t_end"].to_pylist(), strict=True)
    return [(k, px, py, a.timestamp(), b.timestamp()) for k, px, py, a, b in rows if a is not None]


def test_same_seed_same_tables(data):
    again = gps(USERS, DAYS, seed=9)
    assert again.points.equals(data.points)
    assert again.truth.equals(data.truth)
    assert not gps(USERS, DAYS, seed=10).points.equals(data.points)


def test_schema(data):
    assert data.points.column_names == ["uid", "datetime", "lat", "lng"]
    assert data.truth.column_names == ["uid", "kind", "lat", "lng", "t_start", "t_end"]
    for table, name in ((data.points, "datetime"), (data.truth, "t_start"), (data.truth, "t_end")):
        assert table.schema.field(name).type == pa.timestamp("us", "UTC")
    assert set(data.truth["kind"].to_pylist()) == {"home", "work", "other"}


def test_fixes_are_dense_and_in_order(data):
    for person in range(USERS):
        t, _, _ = trace(data, person)
        gaps = np.diff(t)
        assert gaps.min() > 0
        assert 8 <= np.median(gaps) <= 60
    assert any(np.diff(trace(data, person)[0]).max() > 600 for person in range(USERS))


def test_nobody_is_faster_than_a_car(data):
    """Between fixes at least 30 s apart: below that the device's error of some metres takes over."""
    for person in range(USERS):
        t, x, y = trace(data, person)
        later = np.searchsorted(t, t + 30)
        ok = later < len(t)
        speed = np.hypot(x[later[ok]] - x[ok], y[later[ok]] - y[ok]) / (t[later[ok]] - t[ok])
        assert speed.max() < ARTERIAL_MS * 1.05 + 1
        assert speed.max() > 3


def test_stays_are_stays(data):
    for person in range(USERS):
        t, x, y = trace(data, person)
        for _, place_x, place_y, start, end in stays(data, person):
            inside = (t >= start + 1) & (t <= end - 1)
            distance = np.hypot(x[inside] - place_x, y[inside] - place_y)
            assert not len(distance) or distance.max() < 40
            assert end > start


def test_stays_follow_each_other(data):
    for person in range(USERS):
        mine = stays(data, person)
        assert all(later[3] >= earlier[4] for earlier, later in pairwise(mine))
        assert all(end - start >= 890 for *_, start, end in mine[:-1])


def test_one_home_row_each_where_nights_are_spent(data):
    homes = data.truth.filter(data.truth["t_start"].is_null())
    assert homes.num_rows == USERS
    assert set(homes["kind"].to_pylist()) == {"home"}
    for person in range(USERS):
        home = (homes["lat"][person].as_py(), homes["lng"][person].as_py())
        x, y = TOWN.to_metres(np.array([home[0]]), np.array([home[1]]))
        t, px, py = trace(data, person)
        night = (t % 86_400 < 4 * 3600) & (t > t.min() + 86_400)
        if night.any():
            assert np.median(np.hypot(px[night] - x, py[night] - y)) < 40


def test_trips_keep_to_the_streets(data):
    """Fixes on the way lie near a street; straight lines between places would cut through the blocks."""
    streets = build_streets(stream(9, "streets"))
    a = np.array([[streets.x[i], streets.y[i]] for i, roads in enumerate(streets.roads) for _ in roads])
    b = np.array([[streets.x[j], streets.y[j]] for roads in streets.roads for j, _, _ in roads])
    t, x, y = trace(data, 0)
    moving = np.ones(len(t), bool)
    for *_, start, end in stays(data, 0):
        moving &= (t < start) | (t > end)
    points = np.stack([x[moving], y[moving]], axis=1)[:300]
    along = np.clip(((points[:, None] - a) * (b - a)).sum(2) / ((b - a) ** 2).sum(1), 0, 1)
    nearest = np.linalg.norm(points[:, None] - (a + along[..., None] * (b - a)), axis=2).min(axis=1)
    assert np.quantile(nearest, 0.95) < 30


def test_every_crossing_can_be_reached():
    streets = build_streets(stream(1, "streets"))
    assert all(streets.route(i, 5)[-1] == 5 for i in range(len(streets.x)))


@pytest.mark.parametrize(("users", "days"), [(0, 1), (1, 0)])
def test_numbers_that_cannot_be(users, days):
    with pytest.raises(ParameterError):
        gps(users, days)
