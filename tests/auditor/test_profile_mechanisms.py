"""What the mechanisms publish of made-up profiles passes the audit, every claim of profiles examined."""

import numpy as np
import pytest

import shoal
from shoal.auditor.selftest.sound_cells import made_up_names, made_up_values, profile_table
from shoal.data.profile_table import read_profile_table

KNOWN = ("w1_weekday_day", "w2_weekend_night")
OF_PROFILES = {
    "primule": (lambda: shoal.Primule(k=5), "cells_agree"),
    "primule weeks": (lambda: shoal.Primule(k=5, weeks=1), "cells_agree"),
    "primule known": (lambda: shoal.Primule(k=5, known=KNOWN), "cells_agree"),
    "primule keep": (lambda: shoal.Primule(k=5, small="keep"), "cells_agree"),
    "laplace": (lambda: shoal.LaplaceProfiles(epsilon=1.0), "cells_noise"),
}


@pytest.fixture(scope="module")
def people():
    """Sixty people in one to three towns; three of them in a hamlet, too."""
    rng = np.random.default_rng(6)
    names = made_up_names(rng, 60)
    rows = [(name, f"town-{town}") for at, name in enumerate(names) for town in range(at % 3 + 1)]
    rows += [(name, "hamlet") for name in names[:3]]
    uids, towns = (np.array(column) for column in zip(*rows, strict=True))
    return read_profile_table(profile_table(uids, towns, made_up_values(rng, len(rows), 2))).profiles


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_PROFILES)
def test_releases_of_profiles_pass_their_audit(people, tmp_path, name):
    mechanism, examined = OF_PROFILES[name]
    release, secret = tmp_path / "release", tmp_path / "secret"
    mechanism().protect(people).write(release, secret=secret, ledger=None)
    verdict = shoal.audit(release, original=people, secret=secret)
    assert verdict.ok, [(check.id, check.reason) for check in verdict.checks if check.status == "fail"]
    assert verdict[examined].status == "pass"
    assert shoal.audit(release).failed == (("claim",) if examined == "cells_noise" else ())


@pytest.mark.parametrize("first", [1, 3_550_301])
def test_people_and_municipalities_may_go_by_the_same_numbers(tmp_path, first):
    rng = np.random.default_rng(6)
    uids = np.array([str(first + at) for at in range(40)])
    towns = np.array([str(first + at % 4) for at in range(40)])
    numbered = read_profile_table(profile_table(uids, towns, made_up_values(rng, 40, 1))).profiles
    release, secret = tmp_path / "release", tmp_path / "secret"
    shoal.Primule(k=5).protect(numbered).write(release, secret=secret, ledger=None)
    verdict = shoal.audit(release, original=numbered, secret=secret)
    assert verdict.ok, [(check.id, check.reason) for check in verdict.checks if check.status == "fail"]
    elsewhere = read_profile_table(profile_table(uids, np.array(["town"] * 40), made_up_values(rng, 40, 1))).profiles
    assert "raw_ids" in shoal.audit(release, original=elsewhere, secret=secret).failed
