"""What the mechanisms publish of synthetic people passes the audit, every claim of points examined."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.data import read_fixes
from shoal.synth.gps import gps

OF_POINTS = {
    "promesse": (lambda: shoal.Promesse(alpha_m=100.0), "smoothing"),
    "promesse fixed": (lambda: shoal.Promesse(alpha_m=50.0, endpoint_trim="fixed", interpolation="chord"), "smoothing"),
    "geoind": (lambda: shoal.GeoInd(epsilon=0.01), "noise_law"),
    "geoind memo": (lambda: shoal.GeoInd(epsilon=0.01, memo_cell_m=100), "noise_law"),
    "w4m": (lambda: shoal.WaitForMe(k=2, delta_m=200.0), "cylinder"),
    "w4m wide": (lambda: shoal.WaitForMe(k=3, delta_m=2000.0, trash=0.4), "cylinder"),
}


@pytest.fixture(scope="module")
def people():
    return read_fixes(gps(8, 2, seed=5).points)


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_POINTS)
def test_releases_of_points_pass_their_audit(people, tmp_path, name):
    mechanism, examined = OF_POINTS[name]
    release, secret = tmp_path / "release", tmp_path / "secret"
    mechanism().protect(people).write(release, secret=secret, ledger=None)
    verdict = shoal.audit(release, original=people, secret=secret)
    assert verdict.ok, [(check.id, check.reason) for check in verdict.checks if check.status == "fail"]
    assert verdict[examined].status == "pass"
    assert shoal.audit(release).failed == (("claim",) if examined == "noise_law" else ())


@pytest.mark.slow
@pytest.mark.parametrize("moments", [1, 4, 20])
def test_cylinders_of_several_places_at_a_time_pass(tmp_path, moments):
    """Records of everybody at few common times: which belongs to which is not published."""
    rng = np.random.default_rng(moments)
    people, each = 14, 20
    place = rng.normal(0, 0.02, (people, 1, 2)) + rng.normal(0, 0.002, (people, each, 2)).cumsum(axis=1)
    at = (1_700_000_000 + 600 * (np.arange(each) % moments)) * 1_000_000
    frame = pl.DataFrame(
        {
            "uid": [f"person-{number:05}" for number in np.repeat(np.arange(people), each)],
            "datetime": pl.Series(np.tile(at, people)).cast(pl.Datetime("us", "UTC")),
            "lat": 45 + place[..., 0].ravel(),
            "lng": 7 + place[..., 1].ravel(),
        }
    )
    release, secret = tmp_path / "release", tmp_path / "secret"
    shoal.WaitForMe(k=2).protect(read_fixes(frame)).write(release, secret=secret, ledger=None)
    verdict = shoal.audit(release, original=frame, secret=secret)
    assert verdict["cylinder"].status == "pass", verdict["cylinder"].reason


@pytest.mark.parametrize("records", [1, 2, 6, 8, 9, 10, 30, 48, 50])
def test_noise_of_very_few_records_passes(tmp_path, records):
    at = np.arange(records)
    frame = pl.DataFrame(
        {
            "uid": [f"person-{number % 3:05}" for number in at],
            "datetime": pl.Series((1_700_000_000 + 600 * at) * 1_000_000).cast(pl.Datetime("us", "UTC")),
            "lat": 45 + 0.01 * at,
            "lng": np.full(records, 7.0),
        }
    )
    release, secret = tmp_path / "release", tmp_path / "secret"
    shoal.GeoInd(epsilon=0.01).protect(read_fixes(frame)).write(release, secret=secret, ledger=None)
    verdict = shoal.audit(release, original=frame, secret=secret)
    assert verdict.ok, [(check.id, check.reason) for check in verdict.checks if check.status == "fail"]
