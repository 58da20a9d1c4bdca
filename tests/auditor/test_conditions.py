"""Conditions, gates and the claim: what a check is held to before its own code runs."""

import os
from dataclasses import replace

import pytest

import shoal
from shoal.auditor import checks
from shoal.auditor.case import Case
from shoal.auditor.conditions import Hold, without
from shoal.auditor.registry import ENTRIES, ORDER, conditions, examiners, run_checks
from shoal.auditor.run import judge
from shoal.auditor.selftest.run import SOUND
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_points import sound_points
from shoal.auditor.selftest.sound_profiles import sound_profiles
from shoal.auditor.selftest.sound_windows import sound_windows
from shoal.contract.claims import (
    CellNoise,
    Cylinder,
    GeoIndistinguishability,
    KAnonymity,
    KAnonymousCells,
    Nothing,
    SpeedSmoothing,
    WindowHiding,
)
from shoal.contract.kinds import BOXES, POINTS

assert checks.THEMES


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    return sound_boxes(groups=12, boxes=3, seed=1).write(tmp_path_factory.mktemp("boxes"))


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    return sound_points(seed=1).write(tmp_path_factory.mktemp("points"))


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    return sound_windows(planes=2, seed=1).write(tmp_path_factory.mktemp("windows"))


def case_of(written, **more):
    return Case(written.release, original=written.original, secret=written.secret, **more)


def crash(_case, _hold):
    raise ZeroDivisionError("person-123456789 lives at 6.1, -5.2")


def test_a_condition_that_was_not_declared_is_our_own_fault():
    with pytest.raises(AssertionError):
        Hold("mapping", ("names_known",))("names_once", True, "")


def test_broken_conditions_are_named_and_their_words_joined():
    hold = Hold("mapping", ("one", "two", "three"))
    assert not hold.none("one", 3, "names")
    assert not hold("two", False, "b")
    assert hold.none("three", 0, "people")
    finding = hold.note("all is well", people=3)
    assert (finding.status, finding.reason, finding.broken) == ("fail", "3 names; b", ("one", "two"))
    assert finding.figures == {"people": 3}


def test_without_takes_conditions_out_by_name_and_puts_them_back():
    def broken():
        hold = Hold("mapping", ("one",))
        assert not hold("one", False, "words"), "what follows must not rely on it"
        return hold.passed("fine").broken

    with without("mapping.one"):
        assert broken() == ()
    assert broken() == ("one",)


@pytest.mark.parametrize("id_", ORDER)
def test_a_check_that_crashes_fails_and_says_nothing_of_the_data(monkeypatch, boxes, points, windows, tmp_path, id_):
    # One check is for releases that claim nothing, some are for those that hide windows, some for points.
    claims = ENTRIES[id_].claims or (KAnonymity,)
    release = points if id_ == "raw_data" else boxes if KAnonymity in claims else windows
    if BOXES not in (ENTRIES[id_].kinds or (BOXES,)):
        usual = points if ENTRIES[id_].kinds == (POINTS,) else sound_profiles().write(tmp_path / "profiles")
        release = SOUND[claims[0]]().write(tmp_path) if ENTRIES[id_].claims else usual
    monkeypatch.setitem(ENTRIES, id_, replace(ENTRIES[id_], function=crash))
    (check,) = run_checks(case_of(release), only={id_})
    assert (check.status, check.broken) == ("fail", ("completed",))
    assert check.reason == "the check could not be completed (ZeroDivisionError)"
    with without(f"{id_}.completed"):
        assert run_checks(case_of(release), only={id_})[0].status == "not_run"


def test_a_panic_of_another_library_is_a_crash_too(monkeypatch, boxes):
    from polars.exceptions import PanicException

    def panic(_case, _hold):
        raise PanicException

    monkeypatch.setitem(ENTRIES, "tokens", replace(ENTRIES["tokens"], function=panic))
    assert run_checks(case_of(boxes), only={"tokens"})[0].broken == ("completed",)


def test_names_of_conditions_are_unique():
    assert len(set(conditions())) == len(conditions())


def test_claims_are_examined_by_checks_of_their_substance():
    assert examiners(Nothing()) == {"promise"}
    assert examiners(KAnonymity(2)) == {"group_size", "people_per_group"}
    of_windows = {"window_coverage", "window_absence", "far_leak", "tightest_fit"}
    assert examiners(WindowHiding(2, 60, 60)) == of_windows
    assert examiners(SpeedSmoothing(100.0)) == {"smoothing"}
    assert examiners(GeoIndistinguishability(0.01)) == {"noise_law"}
    assert examiners(Cylinder(2, 200.0)) == {"cylinder"}
    assert examiners(KAnonymousCells(2, ["w1_weekday_day"])) == {"cells_agree", "people_agree"}
    assert examiners(CellNoise(1.0)) == {"cells_noise"}


def test_a_claim_whose_check_is_gone_fails(monkeypatch, boxes):
    monkeypatch.delitem(ENTRIES, "group_size")
    verdict = shoal.audit(boxes.release)
    assert verdict.failed == ("claim",)
    assert "no check could examine it" in verdict["claim"].reason
    assert not verdict.ok


def test_checks_of_another_kind_are_not_run_and_say_so(points):
    verdict = judge(case_of(points))
    assert verdict.ok
    assert verdict["coverage"].status == "not_run"
    assert verdict["coverage"].reason == "about boxes; data.parquet holds points"
    assert verdict["claim"].reason == "nothing: examined by promise"


def test_checks_of_another_claim_are_not_run_and_attacks_report_rates(tmp_path):
    draft = sound_boxes(seed=2)
    draft.manifest["promise"] = Nothing().promise(draft.manifest["parameters"]).to_dict()
    verdict = judge(case_of(draft.write(tmp_path)))
    assert verdict.ok
    either = "not claimed: k-anonymity or window-hiding"
    for id_ in ("disjoint", "group_size", "people_per_group", "insider"):
        assert verdict[id_].status == "not_run"
        assert verdict[id_].reason == (either if id_ in ("disjoint", "insider") else "not claimed: k-anonymity")
    for id_ in ("attack_points", "attack_top_places", "attack_whole_trace", "attack_times", "homogeneity"):
        assert verdict[id_].status == "note"


@pytest.mark.parametrize("sound", [sound_points, sound_profiles])
def test_a_demand_that_cannot_be_tried_fails(tmp_path, sound):
    written = sound(seed=3).write(tmp_path)
    assert shoal.audit(written.release).ok
    verdict = shoal.audit(written.release, require_k=2)
    assert verdict.failed == ("require_k",)
    assert "could not be tried" in verdict["require_k"].reason
    twice = shoal.audit(written.release, secret=written.secret, earlier=[(written.release, written.secret)])
    assert twice.failed == ("intersection",)


def test_an_intersection_without_the_secret_fails(boxes):
    verdict = shoal.audit(boxes.release, earlier=[(boxes.release, boxes.secret)])
    assert verdict.failed == ("intersection",)
    assert "needs `secret`" in verdict["intersection"].reason


def test_no_label_chooses_a_check(tmp_path):
    """Whatever the manifest calls itself, the same checks run and say the same."""
    draft = sound_boxes(seed=4)
    plain = judge(case_of(draft.write(tmp_path / "plain"), seed=1))
    draft.manifest["mechanism"] = "supershield"
    other = judge(case_of(draft.write(tmp_path / "other"), seed=1))
    assert [(c.id, c.status, c.reason) for c in other.checks] == [(c.id, c.status, c.reason) for c in plain.checks]


@pytest.mark.parametrize("name", ["data.parquet", "manifest.json"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path, name):
    written = sound_boxes(seed=4).write(tmp_path)
    (written.release / name).unlink()
    os.mkfifo(written.release / name)
    checks = run_checks(case_of(written), only={"schema"})
    assert checks[0].status == "fail"
