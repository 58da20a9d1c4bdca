"""Planar Laplace noise: its law at every latitude, its randomness, its budgets; and the lattice of the memo."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import shoal
from mechanisms.naive_points import EARTH, lattice_cell, metres, moved
from shoal.data import read_fixes
from shoal.engines.local import Local
from shoal.errors import ParameterError
from shoal.kernels.points.noise import noisy
from shoal.mechanisms.budget import rounded_up

EPSILON = math.log(4) / 200
ALIKE = 1e-3
"""A sound law gives less than this once in a thousand runs; seeds are fixed."""


def frame(people, each, lat, lng):
    """People p0, p1, … with so many points each."""
    n = people * each
    start = np.datetime64("2020-01-01T00:00:00", "us")
    return pl.DataFrame(
        {
            "uid": [f"p{i // each}" for i in range(n)],
            "datetime": start + 60_000_000 * (np.arange(n) % each),
            "lat": np.broadcast_to(np.asarray(lat, float), n),
            "lng": np.broadcast_to(np.asarray(lng, float), n),
        }
    ).with_columns(pl.col("datetime").dt.replace_time_zone("UTC"))


def noise_of(release, lat, lng):
    """Azimuth in turns and distance of every published point from one place."""
    data = release.data
    n = data.num_rows
    azimuth, _, length = EARTH.inv(np.full(n, lng), np.full(n, lat), data["lng"].to_numpy(), data["lat"].to_numpy())
    return np.asarray(azimuth) / 360 % 1, np.asarray(length)


@pytest.mark.parametrize("lat", [0.0, 45.0, -70.0, 89.999])
@pytest.mark.parametrize("epsilon", [math.log(10) / 100, EPSILON, 1e-4])
def test_the_law_at_every_latitude(lat, epsilon):
    release = shoal.GeoInd(epsilon=epsilon).protect(frame(4, 10_000, lat, 179.9999), seed=7)
    angle, radius = noise_of(release, lat, 179.9999)
    assert stats.kstest(radius, stats.gamma(2, scale=1 / epsilon).cdf).pvalue > ALIKE
    assert stats.kstest(angle, stats.uniform.cdf).pvalue > ALIKE
    # Neither has anything to do with the other, nor with the draw before.
    assert abs(np.corrcoef(np.cos(2 * np.pi * angle), radius)[0, 1]) < 0.02
    assert abs(np.corrcoef(radius[1:], radius[:-1])[0, 1]) < 0.02
    assert abs(np.corrcoef(angle[1:], angle[:-1])[0, 1]) < 0.02


def test_noise_in_degrees_would_be_found_out():
    """What the law's test must catch: the same draws, added as degrees of latitude on both axes."""
    rng = np.random.default_rng(1)
    angle, radius = rng.uniform(0, 2 * np.pi, 10_000), rng.gamma(2, 1 / EPSILON, 10_000)
    lat, lng = 45 + radius * np.cos(angle) / 111_195, 5 + radius * np.sin(angle) / 111_195
    away = np.asarray(EARTH.inv(np.full(10_000, 5.0), np.full(10_000, 45.0), lng, lat)[2])
    assert stats.kstest(away, stats.gamma(2, scale=1 / EPSILON).cdf).pvalue < ALIKE


@pytest.mark.parametrize("lat", [0.0, 38.7, -45.0, 70.0, 89.99999, -90.0])
def test_moves_are_computed_to_a_millionth_of_the_published_grid(lat):
    """The page on the cost of finite numbers rests on this: errors below 1e-12 degrees."""
    n = 500
    rng = np.random.default_rng(3)
    words = rng.integers(0, 2**64, (n, 3), dtype=np.uint64)
    lng = rng.uniform(-180, 180, n)
    new_lat, new_lng = np.empty(n), np.empty(n)
    noisy(np.full(n, lat), lng, words, EPSILON, new_lat, new_lng)
    unit = (words >> np.uint64(11)).astype(np.longdouble) / 2**53
    least = np.longdouble(1) / 2**53
    radius = -(np.log(unit[:, 0] + least) + np.log(unit[:, 1] + least)) / EPSILON
    turn = 8 * np.arctan2(np.longdouble(1), np.longdouble(1)) * unit[:, 2]
    want_lat, want_lng = moved(np.full(n, lat), lng, radius * np.sin(turn), radius * np.cos(turn))
    assert np.abs(new_lat - want_lat).max() < 1e-12
    apart = np.abs(new_lng - want_lng)
    # Near a pole a degree of longitude is short, and an error in it as harmless.
    assert (np.minimum(apart, 360 - apart) * np.cos(np.radians(new_lat))).max() < 1e-12
    if abs(lat) < 89:
        assert np.minimum(apart, 360 - apart).max() < 1e-12


@pytest.mark.parametrize("lat", [0.0, 45.0, 80.0])
@pytest.mark.parametrize("far", [100.0, 1e4, 1e5])
def test_distances_are_right_to_a_millionth_for_each_kilometre(lat, far):
    turns = (np.arange(16) << 60).astype(np.uint64)
    words = np.column_stack((np.full(16, 2**63, np.uint64), np.full(16, 2**64 - 1, np.uint64), turns))
    lats, lngs = np.empty(16), np.empty(16)
    noisy(np.full(16, lat), np.full(16, 5.0), words, math.log(2) / far, lats, lngs)
    lengths = np.asarray(EARTH.inv(np.full(16, 5.0), np.full(16, lat), lngs, lats)[2])
    assert np.abs(lengths / far - 1).max() < 1e-6 * far / 1000 + 1e-9


def test_noise_comes_from_the_operating_system(monkeypatch):
    data, mechanism = read_fixes(frame(3, 50, 45.0, 5.0)), shoal.GeoInd(epsilon=EPSILON)

    def draw(**how):
        return sorted(mechanism.protect(data, **how).data["lat"].to_pylist())

    assert draw() != draw()
    assert draw(seed=1) == draw(seed=1) != draw(seed=2)
    assert len(set(draw())) > 140
    asked = []

    def constant(size):
        asked.append(size)
        return b"\x55" * size

    monkeypatch.setattr("os.urandom", constant)
    # What a constant source would give: one move for all. So nothing else goes into the draws.
    assert len(set(draw())) == 1
    assert 150 * 3 * 8 in asked


def test_blocks_and_threads_change_nothing_that_a_seed_gives():
    data = read_fixes(frame(5, 400, 45.0, 5.0))
    one, other = (shoal.GeoInd(epsilon=EPSILON).protect(data, seed=3, engine=Local(n)) for n in (1, 2))
    assert one.data.equals(other.data)


def test_blocks_have_randomness_of_their_own(monkeypatch):
    monkeypatch.setattr(shoal.mechanisms.blocks.blocks_of, "__defaults__", (100,))
    release = shoal.GeoInd(epsilon=EPSILON).protect(frame(4, 100, 45.0, 5.0), seed=3)
    assert len(set(release.data["lat"].to_pylist())) > 300  # of 400, at the grid's six decimals; not of 100


def test_times_stay_and_everybody_has_one_name():
    data = frame(3, 20, 45.0, 5.0)
    release = shoal.GeoInd(epsilon=EPSILON).protect(data)
    times = pl.from_arrow(release.data).sort("datetime")["datetime"]
    assert times.to_list() == data["datetime"].sort().to_list()
    assert release.secret.mapping.num_rows == 3
    assert release.secret.suppressed.num_rows == 0


@pytest.mark.parametrize("lng", [179.99999, -180.0, 180.0])
def test_across_the_antimeridian_and_a_pole(lng):
    for lat in (10.0, 89.9999, 90.0, -90.0):
        release = shoal.GeoInd(epsilon=EPSILON).protect(frame(1, 500, lat, lng), seed=1)
        lats, lngs = release.data["lat"].to_numpy(), release.data["lng"].to_numpy()
        assert np.abs(lats).max() <= 90
        assert np.abs(lngs).max() <= 180
        _, radius = noise_of(release, lat, lng)
        assert 200 < radius.mean() < 400
        assert (np.sign(lngs) != np.sign(lngs[0])).any()


def test_budgets_count_draws_and_tell_no_exact_number():
    rows = pl.concat([frame(1, n, 45.0, 5.0).with_columns(uid=pl.lit(f"u{n}")) for n in (10, 137, 1234)])
    release = shoal.GeoInd(epsilon=0.01).protect(rows)
    assert release.manifest["budgets"] == {
        "epsilon_per_m_of_a_person_median": 1.4,
        "epsilon_per_m_of_a_person_max": 13.0,
    }
    assert any("median 1.4, largest 13" in remark for remark in release.remarks)
    assert release.secret.run["draws"] == 1381
    memo = shoal.GeoInd(epsilon=0.01, memo_cell_m=200).protect(rows)
    assert set(memo.manifest["budgets"].values()) == {0.01}


@given(st.floats(1e-5, 1e9))
@example(99.5)
@example(0.1 + 0.2)
def test_budgets_are_rounded_up_to_two_digits(value):
    up = rounded_up(value)
    assert value * (1 - 1e-11) <= up <= value * 1.1
    assert up == float(f"{up:.1e}")


def test_a_memo_gives_one_place_for_a_person_and_cell():
    rng = np.random.default_rng(2)
    n = 600
    lat, lng = 45 + rng.integers(0, 3, 2 * n) * 0.004 + rng.random(2 * n) * 1e-4, 5 + rng.random(2 * n) * 0.01
    data = frame(2, n, lat, lng)
    release = shoal.GeoInd(epsilon=EPSILON, memo_cell_m=250).protect(data)
    names = dict(release.secret.mapping.select(["original_uid", "uid"]).to_pandas().to_numpy())
    out = pl.from_arrow(release.data).sort("uid", "datetime")
    raw = data.with_columns(uid=pl.col("uid").replace_strict(names)).sort("uid", "datetime")
    cells = [lattice_cell(*place, 250)[:2] for place in raw.select("lat", "lng").rows()]
    pairs = {}
    for uid, cell, place in zip(raw["uid"], cells, out.select("lat", "lng").rows(), strict=True):
        pairs.setdefault((uid, cell), set()).add(place)
    assert all(len(places) == 1 for places in pairs.values())
    assert len({place for places in pairs.values() for place in places}) == len(pairs)  # drawn anew for each
    assert release.secret.run["draws"] == len(pairs)


def test_the_memo_draws_around_the_middle_of_the_cell():
    """Many people at one spot: the mean of their places is the middle, not the spot."""
    spot, side = (45.0012, 5.0007), 2000
    release = shoal.GeoInd(epsilon=EPSILON, memo_cell_m=side).protect(frame(5000, 1, *spot), seed=5)
    _, _, *middle = lattice_cell(*spot, side)
    assert metres(spot, middle) > 100
    angle, radius = noise_of(release, *middle)
    assert stats.kstest(radius, stats.gamma(2, scale=1 / EPSILON).cdf).pvalue > ALIKE
    assert stats.kstest(angle, stats.uniform.cdf).pvalue > ALIKE


@given(st.floats(-90, 90), st.floats(-180, 180), st.sampled_from([1, 50, 200, 5000, 3_000_000]))
@example(90.0, 0.0, 200)
@example(-90.0, 180.0, 200)
@example(0.0, -180.0, 200)
def test_the_lattice_is_the_one_that_the_docs_define(lat, lng, side):
    from shoal.kernels.points.noise import cells, middles

    row, column = np.empty(1, np.int64), np.empty(1, np.int64)
    cells(np.array([lat]), np.array([lng]), float(side), row, column)
    *cell, mid_lat, mid_lng = lattice_cell(lat, lng, side)
    assert (int(row[0]), int(column[0])) == tuple(cell)
    found = np.empty(1), np.empty(1)
    middles(row, column, float(side), *found)
    assert abs(found[0][0] - mid_lat) < 1e-9
    assert min(abs(found[1][0] - mid_lng), 360 - abs(found[1][0] - mid_lng)) < 1e-9
    if side <= 5000:
        # Half a diagonal; a row at a pole may be wider than high.
        assert metres((lat, lng), (mid_lat, mid_lng)) < 1.1 * side


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("ln(4)/200", 0.00693147),
        (" ln( 10 ) / 100 ", 0.0230259),
        ("1/200", 0.005),
        ("0.01", 0.01),
        (".5", 0.5),
        ("1e-2", 0.01),
        (1, 1.0),
        (0.123456789, 0.123457),
    ],
)
def test_epsilon_as_it_is_typed(typed, value):
    mechanism = shoal.GeoInd(epsilon=typed)
    assert mechanism.epsilon == value
    assert mechanism.claim.epsilon_per_m == value
    assert mechanism.parameters()["epsilon"] == value


@pytest.mark.parametrize(
    "typed",
    [
        *(0, -1, math.inf, math.nan, None, True, 1e-6, 11, [1]),
        *("", "0", "-1", "inf", "nan", "ln(4)", "ln(x)/200", "ln(4)/y", "ln(4)/0", "ln(0)/200", "ln(1)/200"),
        *("ln(-4)/200", "log(4)/200", "ln4/200", "ln(4)/200/2", "(4)/200", "4**2", "__import__('os')", "1_0", "٣"),
        *("ln(1e999)/200", "1e999", "ln(0.5)/200", "ln(4)/-200", "1//2", "/200", "ln()/200", "0x10"),
    ],
)
def test_epsilon_that_cannot_be(typed):
    with pytest.raises(ParameterError, match="`epsilon="):
        shoal.GeoInd(epsilon=typed)


@pytest.mark.parametrize("side", [0, -5, 2.5, "200", 10_000_001])
def test_cells_that_cannot_be(side):
    with pytest.raises(ParameterError, match="`memo_cell_m="):
        shoal.GeoInd(epsilon=EPSILON, memo_cell_m=side)


def test_words_say_what_is_drawn():
    plain, memo = shoal.GeoInd(epsilon=EPSILON).promise, shoal.GeoInd(epsilon=EPSILON, memo_cell_m=200).promise
    assert "anew for each point" in plain.holds
    assert any("mean of many draws" in line for line in plain.not_covered)
    assert "lattice of 200 m" in memo.holds
    assert not any("mean of many draws" in line for line in memo.not_covered)
    assert any("are in one cell" in line for line in memo.not_covered)
