"""The statistics beside the papers'."""

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import ParameterError
from shoal.synth import PRESETS, Statistic, cdr, check


def by_name(statistics: list[Statistic]) -> dict[str, Statistic]:
    return {statistic.name: statistic for statistic in statistics}


def test_within_fifteen_percent():
    assert Statistic("a", "", 100.0, 115.0).within is True
    assert Statistic("a", "", 100.0, 84.9).within is False
    assert Statistic("a", "", None, 1.0).within is None


def test_what_depends_on_the_number_of_people_is_not_compared_elsewhere():
    table = cdr(400, 14, seed=1)
    found = by_name(check(table, "civ", 400, 14))
    for name in ("users", "antennas in use", "area"):
        assert found[name].target is None
        assert "82,728" in found[name].note
    assert found["users"].measured == 400
    assert found["samples per user"].within
    assert found["radius of gyration, median"].target == 1.8


def test_other_days_scale_the_samples_and_drop_the_radius():
    found = by_name(check(cdr(400, 7, seed=1), "civ", 400, 7))
    assert found["samples per user"].target == pytest.approx(108)
    assert found["radius of gyration, mean"].target is None


@pytest.mark.parametrize("name", ["civ", "sen"])
def test_radius_of_gyration_at_two_thousand(name):
    found = by_name(check(cdr(2_000, 14, preset=name, seed=5), name, 2_000, 14))
    assert found["radius of gyration, median"].measured == pytest.approx(PRESETS[name].rog_median_km, rel=0.25)
    assert found["radius of gyration, mean"].measured == pytest.approx(PRESETS[name].rog_mean_km, rel=0.25)


def test_radius_of_gyration_of_a_known_walk():
    """One person, half of the time 0.1 degrees of latitude (11.06 km) from the other half."""
    times = np.arange(4) * 60_000_000
    table = pa.table(
        {
            "uid": ["a"] * 4 + ["b"],
            "datetime": pa.array([*times.tolist(), 0], pa.timestamp("us", "UTC")),
            "lat": [7.5, 7.5, 7.6, 7.6, 7.5],
            "lng": [-5.5] * 5,
        }
    )
    found = by_name(check(table, "civ", 2, 14))
    # Median and mean of (11.06 / 2, 0).
    assert found["radius of gyration, mean"].measured == pytest.approx(11.06 / 4, abs=0.05)
    assert found["places per user"].measured == 1.5


def test_repeats_on_the_grid_count_once():
    table = pa.table(
        {
            "uid": ["a"] * 3,
            "datetime": pa.array([0, 30_000_000, 60_000_000], pa.timestamp("us", "UTC")),
            "lat": [7.5] * 3,
            "lng": [-5.5] * 3,
        }
    )
    assert by_name(check(table, "civ", 1, 14))["samples per user"].measured == 2


def test_both_numbers_of_people_of_abidjan_are_its_own():
    table = cdr(50, 1, preset="abidjan")
    for users in (20_160, 29_191):
        assert by_name(check(table, "abidjan", users, 14))["antennas in use"].target == 400


def test_unknown_preset():
    with pytest.raises(ParameterError):
        check(cdr(2, 1), "nowhere", 2, 1)
