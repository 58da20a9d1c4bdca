"""Raw data that claim nothing are found, however little was done to them; what something was done to is not."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal import synth
from shoal.auditor import checks
from shoal.auditor.case import Case
from shoal.auditor.nearness import DEGREE_M, Near, Tolerance, Track, _share, near
from shoal.auditor.registry import run_checks
from shoal.contract.claims import Nothing
from shoal.contract.kinds import cell_names
from shoal.data import Points, Profiles, read_fixes
from shoal.data.layout import ALWAYS
from shoal.release import Protected
from shoal.release.build import build_release

assert checks.THEMES


def published(payload, folder):
    about = {"mechanism": "toy", "parameters": {}, "claim": Nothing(), "span_s": ALWAYS}
    build_release(Protected(payload=payload), **about).write(folder / "release", record=False)
    return folder / "release"


def looked_at(release, original, *, secret=True):
    folder = release.with_name("release.secret") if secret else None
    (check,) = run_checks(Case(release, original=original, secret=folder, seed=1), only={"raw_data"})
    return check


# ------------------------------------------------------------------------------------------------- points


@pytest.fixture(scope="module")
def events():
    return synth.cdr(60, 5, preset="civ", seed=1)


@pytest.fixture(scope="module")
def trips():
    """Somebody who moves, and stays for hours, seen once a minute."""
    return pl.from_arrow(synth.gps(3, 2, seed=1).points).gather_every(10).to_arrow()


def moved(source, folder, **changes):
    """Publish the points of an original, changed."""
    fixes = read_fixes(source)
    points = Points.of_people(fixes)
    values = {name: getattr(points, name) for name in ("people", "person_of", "offsets", "t_us", "lat", "lng")}
    for name, change in changes.items():
        values[name] = change(values[name].copy())
    return published(Points(**values), folder)


def a_few(values):
    values[::20] += 0.1
    return values


def noise(metres, seed=3):
    return lambda values: values + np.random.default_rng(seed).normal(0, metres / DEGREE_M, values.size)


RAW = {
    "as they are": {},
    "four decimals": {"lat": lambda v: v.round(4), "lng": lambda v: v.round(4)},
    "centimetres": {"lat": noise(0.05), "lng": noise(0.05, 4)},
    "some metres": {"lat": noise(3), "lng": noise(3, 4)},
    "a few moved": {"lat": a_few},
    "half a minute": {"t_us": lambda v: v + 30_000_000},
    "later": {"t_us": lambda v: v + 864_123 * 1_000_000},
    "earlier": {"t_us": lambda v: v - 7_777 * 1_000_000},
    "elsewhere": {"lat": lambda v: v + 0.123, "lng": lambda v: v - 0.2},
}
OTHER = {
    "noise of 100 m": {"lat": noise(100), "lng": noise(100, 4)},
    "noise of 1 km": {"lat": noise(1000), "lng": noise(1000, 4)},
    "two decimals": {"lat": lambda v: v.round(2), "lng": lambda v: v.round(2)},
    "shuffled places": {"lat": np.random.default_rng(1).permutation},
}


@pytest.mark.parametrize("source", ["events", "trips"])
@pytest.mark.parametrize("how", RAW)
def test_raw_points_fail_whatever_is_known_of_them(source, how, request, tmp_path):
    original = request.getfixturevalue(source)
    release = moved(original, tmp_path, **RAW[how])
    check = looked_at(release, original)
    assert check.status == "fail"
    assert {"points", "records"} == set(check.broken)
    assert check.figures["recorded_share"] > 0.9
    assert looked_at(release, original, secret=False).status == "fail"
    assert looked_at(release, original, secret=False).figures["of_anybody"]


@pytest.mark.parametrize("how", ["as they are", "four decimals", "a few moved", "later"])
def test_raw_points_fail_where_only_cells_are_left_of_the_original(how, events, tmp_path):
    assert looked_at(moved(events, tmp_path, **RAW[how]), shoal.read(events)).broken == ("points",)


@pytest.mark.parametrize("source", ["events", "trips"])
@pytest.mark.parametrize("how", OTHER)
def test_points_that_something_was_done_to_pass(source, how, request, tmp_path):
    original = request.getfixturevalue(source)
    release = moved(original, tmp_path, **OTHER[how])
    for known in (original, shoal.read(original)):
        check = looked_at(release, known)
        assert check.status == "pass", check.reason
    assert looked_at(release, original, secret=False).status == "pass"


def test_every_other_record_is_raw_data_too(events, tmp_path):
    some = pl.from_arrow(events).gather_every(2)
    assert looked_at(moved(some, tmp_path), events).broken == ("points", "records")


def test_nobody_is_told_from_chance_in_a_crowd():
    assert Near(1.0, 0.5).beyond_chance == 1
    assert Near(0.5, 0.5).beyond_chance == 0
    assert Near(1.0, 1.0).beyond_chance == 0


def test_nearness_is_what_the_definition_says():
    rng = np.random.default_rng(5)
    tolerance = Tolerance(50, 60)

    def some(size):
        lat, lng = 60 + rng.uniform(0, 0.004, size), 179.999 + rng.uniform(0, 0.008, size)
        t = rng.integers(0, 1200, size) * 1_000_000
        return Track.of(rng.integers(0, 3, size), t, lat, (lng + 180) % 360 - 180)

    for _ in range(20):
        one, two = some(40), some(60)
        hits = 0
        for owner, t, lat, lng in zip(one.owner, one.t, one.lat, one.lng, strict=True):
            east = (two.lng - lng + 180) % 360 - 180
            close = (two.owner == owner) & (np.abs(two.t - t) <= 60) & (np.abs(two.lat - lat) * DEGREE_M <= 50)
            hits += bool((close & (np.abs(east) * np.cos(np.radians(lat)) * DEGREE_M <= 50)).any())
        assert _share(one, two, tolerance) == hits / 40
        assert 0 < hits < 40
    assert near(one.take(np.zeros(40, bool)), two, tolerance, rng) == Near(0.0, 0.0)


# ------------------------------------------------------------------------------------------------- profiles


@pytest.fixture(scope="module")
def profiles():
    rng = np.random.default_rng(2)
    rate = rng.beta(1, 4, 300)
    days = {name: 5 if "weekday" in name else 2 for name in cell_names(3)}
    values = np.stack([rng.binomial(count, rate) / count for count in days.values()], axis=1)
    people = {"uid": [f"p{i // 2:04}" for i in range(300)], "municipality": ["rome", "pisa"] * 150}
    return pl.DataFrame(people).hstack(pl.DataFrame(values, schema=list(days)))


def as_profiles(frame, change, folder):
    uid, town = (pa.array(frame[name].to_list()) for name in ("uid", "municipality"))
    values = np.ascontiguousarray(change(frame.select(cell_names(3)).to_numpy()) + 0.0)
    return published(Profiles(uid, town, values, 3), folder)


def laplace(scale):
    return lambda v: np.round(v + np.random.default_rng(1).laplace(0, scale, v.shape), 4)


def first_changed(values):
    return np.concatenate((1 - values[:, :1], values[:, 1:]), axis=1)


@pytest.mark.parametrize("change", [np.array, lambda v: v.round(1), laplace(0.005), lambda v: v + 0.01, first_changed])
def test_raw_profiles_fail(profiles, change, tmp_path):
    release = as_profiles(profiles, change, tmp_path)
    assert looked_at(release, profiles).broken == ("profiles",)
    assert looked_at(release, profiles, secret=False).status == "not_run"
    assert looked_at(release, None).status == "not_run"


@pytest.mark.parametrize("change", [lambda v: np.round(2 * v) / 2, laplace(0.2), lambda v: v[::-1], lambda v: 0 * v])
def test_profiles_that_something_was_done_to_pass(profiles, change, tmp_path):
    assert looked_at(as_profiles(profiles, change, tmp_path), profiles).status == "pass"


# ------------------------------------------------------------------------------------------------- boxes


@pytest.mark.parametrize(
    ("cell_m", "minutes", "status"),
    [(100, 1, "fail"), (200, 1, "pass"), (100, 2, "pass"), (100, 60, "pass"), (1000, 1, "pass"), (1000, 60, "pass")],
)
def test_cells_of_the_usual_grid_are_raw_data(events, cell_m, minutes, status, tmp_path):
    release = tmp_path / "release"
    shoal.Uniform(cell_m=cell_m, minutes=minutes).protect(shoal.read(events)).write(release, record=False)
    assert looked_at(release, events).status == status
    assert looked_at(release, None, secret=False).status == status


@pytest.mark.parametrize(("grid", "status"), [(shoal.Grid(10, 10), "fail"), (shoal.Grid(500, 300), "pass")])
def test_a_finer_base_grid_makes_no_release_of_raw_cells(events, grid, status, tmp_path):
    """Neither does a coarse one make raw data of larger cells."""
    cells, minutes = (100, 1) if grid.cell_m < 100 else (1000, 10)
    traces = shoal.read(events, grid=grid)
    shoal.Uniform(cell_m=cells, minutes=minutes).protect(traces).write(tmp_path / "release", record=False)
    assert looked_at(tmp_path / "release", None, secret=False).status == status
    (tmp_path / "cells").mkdir()
    fine = shoal.Uniform(cell_m=grid.cell_m, minutes=max(1, grid.dt_s // 60))
    fine.protect(traces).write(tmp_path / "cells" / "release", record=False)
    assert looked_at(tmp_path / "cells" / "release", None, secret=False).status == "fail"
