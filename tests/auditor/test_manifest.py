"""What a manifest has room for: versions, dates, maps and parameters that there can be, and no others."""

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import synth
from shoal.auditor import checks, versions
from shoal.auditor.case import Case
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_points import sound_points
from shoal.auditor.versions import installed, is_possible
from shoal.contract.files import VERSIONS_OF

assert checks.THEMES

TODAY = date(2026, 6, 1)


def broken(written, *ids):
    """What a stranger finds, who has the release alone."""
    return {f"{check.id}.{name}" for check in run_checks(Case(written.release), only=ids) for name in check.broken}


# ------------------------------------------------------------------------------------------------- versions


@pytest.fixture
def here(monkeypatch):
    def say(**known):
        monkeypatch.setattr(versions, "installed", lambda name: known.get(name, "unknown"))

    return say


@pytest.mark.parametrize("name", VERSIONS_OF)
def test_what_is_installed_is_possible(name):
    assert is_possible(name, installed(name), TODAY)


def test_versions_from_the_first_to_a_few_generations_more_are_possible(here):
    here(pyarrow="27.1.0", numpy="2.5.1", shoal="0.2.0")
    for name, fine, odd in (
        ("pyarrow", ("26.0.0", "26.0.1", "27.1.1", "31.0.0"), ("25.1.2", "31.0.1", "32.0.0", "99.9.9", "26.100.0")),
        ("numpy", ("2.4.0", "2.4.6", "2.5.2"), ("2.3.9", "6.0.1", "65.66.67", "02.4.6", "2.4", "2.4.6.1")),
        ("shoal", ("0.1.0", "0.1.3", "0.2.0"), ("0.0.9", "0.2.1", "9.9.9", "0.2.0rc1", "0.1.0+ann", "unknown")),
    ):
        assert all(is_possible(name, said, TODAY) for said in fine)
        assert not any(is_possible(name, said, TODAY) for said in (*odd, None, 26, ["26.0.0"], ""))


def test_a_version_that_is_no_release_has_to_be_the_one_here(here):
    here(numpy="2.5.0rc1", polars="unknown")
    assert is_possible("numpy", "2.5.0rc1", TODAY)
    assert not is_possible("numpy", "2.5.0rc2", TODAY)
    assert is_possible("numpy", "2.4.3", TODAY)
    assert is_possible("polars", "unknown", TODAY)
    assert not is_possible("polars", "2.1.0", TODAY)
    assert not is_possible("host", "1.0.0", TODAY)


def test_any_version_of_python_may_be_named_that_is_out(here):
    here(python="3.11.7")
    for said, fine in (("3.10.9", False), ("3.11.0", True), ("3.15.2", True), ("3.16.0", False), ("3.12.31", False)):
        assert is_possible("python", said, TODAY) == fine
    assert is_possible("python", "3.16.0", date(2027, 12, 1))


# ------------------------------------------------------------------------------------------------- the date


@pytest.mark.parametrize("sound", [sound_boxes, sound_points])
def test_a_release_is_not_older_than_its_data(sound, tmp_path):
    draft = sound(seed=1)
    column = "t_start" if sound is sound_boxes else "datetime"
    last = draft.data[column].max().date()
    for days, fine in ((-2, False), (-1, True), (0, True)):
        draft.manifest["date"] = (last + timedelta(days)).isoformat()
        found = broken(draft.write(tmp_path / str(days)), "schema")
        assert found == (set() if fine else {"schema.date_after_data"})


def test_a_release_is_not_of_tomorrow(tmp_path):
    draft = sound_points(seed=1)
    for days, fine in ((0, True), (1, True), (3, False)):
        draft.manifest["date"] = (datetime.now(UTC).date() + timedelta(days)).isoformat()
        assert broken(draft.write(tmp_path / str(days)), "schema") == (set() if fine else {"schema.date"})


# ------------------------------------------------------------------------------------------------- the map


def crs(lat, lng):
    return f"+proj=laea +lat_0={lat} +lon_0={lng} +datum=WGS84 +units=m +no_defs"


@pytest.mark.parametrize(("lat", "lng"), [(6, 355), (6, -181), (6, 180), (91, -5), (-91, -5), (6, 999)])
def test_every_map_has_one_name(lat, lng, tmp_path):
    draft = sound_boxes(groups=12, boxes=2, seed=1)
    draft.manifest["crs"] = crs(lat, lng)
    assert broken(draft.write(tmp_path), "grid") == {"grid.map"}


def test_strangers_see_that_a_map_is_centred_elsewhere(tmp_path):
    draft = sound_boxes(groups=12, boxes=2, seed=1)
    draft.manifest["counts"] |= {"people_suppressed": 0, "samples_suppressed": 0}  # else what is left may lie aside
    for lat, lng, fine in ((6, -5, True), (8, -5, False), (6, -7, False), (6, -3, False), (-6, 175, False)):
        draft.manifest["crs"] = crs(lat, lng)
        found = broken(draft.write(tmp_path / f"{lat} {lng}"), "grid")
        assert found == (set() if fine else {"grid.centre_near"})


@pytest.mark.parametrize("centre", [(0.0, 179.9), (71.2, -179.6), (-89.2, 20.0), (48.1, 0.4)])
def test_sound_maps_are_near_wherever_they_are(centre, tmp_path):
    """Across the antimeridian, near the poles, with somebody far away who makes one box of the world."""
    rng = np.random.default_rng(1)
    lat = np.clip(centre[0] + rng.normal(0, 0.3, 120), -89.9, 89.9)
    lng = (centre[1] + rng.normal(0, 0.3, 120) + 180) % 360 - 180
    lat[0], lng[0] = 41.0, 100.0
    times = [datetime(2024, 1, 1 + i % 5, i % 24, tzinfo=UTC) for i in range(120)]
    events = pl.DataFrame({"uid": [f"person-{i % 12}" for i in range(120)], "datetime": times, "lat": lat, "lng": lng})
    for name, mechanism in (("one", shoal.Glove(k=2)), ("two", shoal.Uniform(cell_m=1000, minutes=60))):
        mechanism.protect(shoal.read(events)).write(tmp_path / name, record=False)
        (check,) = run_checks(Case(tmp_path / name, original=events), only={"grid"})
        assert check.status == "pass", check.reason


def test_a_map_on_the_other_side_of_the_antimeridian_is_near(tmp_path):
    lng = 179.7 + np.arange(20) / 100
    times = [datetime(2024, 1, 1, i, tzinfo=UTC) for i in range(20)]
    events = {"uid": ["a", "b"] * 10, "datetime": times, "lat": np.full(20, 10.0), "lng": lng}
    shoal.Uniform(cell_m=1000, minutes=60).protect(pl.DataFrame(events)).write(tmp_path / "release", record=False)
    assert "+lon_0=-180" in json.loads((tmp_path / "release" / "manifest.json").read_text())["crs"]
    assert run_checks(Case(tmp_path / "release"), only={"grid"})[0].status == "pass"


# ------------------------------------------------------------------------------------------------- no false alarms

EVERY_OPTION = [
    {"k": 2, "partition": 8},
    {"k": 2, "partition": 50_000, "leftover_limit": 0.5},
    {"k": 3, "suppress_share": 0.12345, "align_m": 300, "align_minutes": 30, "min_per_day": 0.5},
    {"k": 2, "publish": "merge", "suppress_km": 15, "suppress_hours": 6.5, "align_m": 1000},
]


@pytest.mark.parametrize("parameters", EVERY_OPTION, ids=str)
def test_strangers_find_nothing_in_what_is_sound(parameters, tmp_path):
    traces = shoal.read(synth.cdr(40, 2, preset="civ", seed=4), grid=shoal.Grid(50, 60))
    shoal.Glove(**parameters).protect(traces).write(tmp_path / "release", record=False)
    verdict = shoal.audit(tmp_path / "release")
    assert verdict.failed == ()


def test_a_mechanism_of_somebody_elses_publishes_what_there_is_room_for(tmp_path):
    from shoal.mechanisms.options import real
    from toys.jitter import Jitter

    @dataclass(frozen=True)
    class Named(Jitter):
        name: ClassVar[str] = "named"
        wobble: float = real(help="Has a name that is on no list.", low=0, default=0.5)

    events = synth.gps(3, 2, seed=1).points
    Named(degrees=0.0123456).protect(events).write(tmp_path / "release", record=False)
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert manifest["parameters"] == {"degrees": 0.0123, "min_per_day": 0.0}
    assert shoal.audit(tmp_path / "release").ok
