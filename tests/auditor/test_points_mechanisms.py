"""What the mechanisms publish of synthetic people passes the audit, every claim of points examined."""

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
