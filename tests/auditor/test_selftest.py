"""The auditor rejects what is broken on purpose, each for its reason; without any one check it would not."""

import json
from dataclasses import replace

import pytest

from shoal.auditor import registry
from shoal.auditor.registry import ORDER
from shoal.auditor.selftest.broken import ALL
from shoal.auditor.selftest.run import Trial, trials
from shoal.auditor.verdict import Verdict

pytestmark = pytest.mark.xdist_group("selftest")


@pytest.fixture(scope="module")
def results():
    return trials()


def test_the_sound_release_passes_every_check(results):
    assert results[0].broken is None
    assert results[0].to_dict() == {"broken": "nothing", "expected_id": None, "rejected_by": [], "ok": True}
    assert [check.id for check in results[0].verdict.checks] == list(ORDER)
    not_run = {check.id for check in results[0].verdict.checks if check.status == "not_run"}
    assert not_run == {"page"}


@pytest.mark.parametrize("number", range(1, len(ALL) + 1), ids=lambda n: ALL[n - 1].words.replace(" ", "_"))
def test_each_broken_release_is_rejected_for_the_right_reason(results, number):
    row = results[number].to_dict()
    assert row["ok"], row
    reason = results[number].verdict[row["expected_id"]].reason
    assert "could not be completed" not in reason
    assert "\n" not in reason


def without(trial, id_):
    checks = tuple(check for check in trial.verdict.checks if check.id != id_)
    return Trial(trial.broken, Verdict(trial.verdict.mechanism, trial.verdict.require_k, checks))


@pytest.mark.parametrize("id_", ORDER)
def test_no_check_can_be_missing_unnoticed(results, id_):
    assert not all(without(trial, id_).to_dict()["ok"] for trial in results)


@pytest.mark.parametrize("id_", sorted({broken.expected_id for broken in ALL}))
def test_no_check_that_can_fail_may_pass_everything(results, id_):
    """A check that always says "pass" is as bad as a missing one."""

    def blind(trial):
        checks = tuple(replace(c, status="pass") if c.id == id_ else c for c in trial.verdict.checks)
        return Trial(trial.broken, Verdict(trial.verdict.mechanism, trial.verdict.require_k, checks))

    assert not all(blind(trial).to_dict()["ok"] for trial in results)


def test_every_check_that_can_fail_has_a_broken_release():
    figures_only = {"page", "insider", "homogeneity"}
    assert {broken.expected_id for broken in ALL} == set(ORDER) - figures_only


def test_a_check_that_is_really_switched_off_is_noticed(monkeypatch):
    monkeypatch.delitem(registry._ENTRIES, "coverage")
    assert [row.to_dict()["ok"] for row in trials()].count(False) == 1 + sum(b.expected_id == "coverage" for b in ALL)


def test_reasons_and_figures_hold_no_identifier_and_no_token(results):
    for trial in results:
        text = json.dumps(trial.verdict.to_dict())
        assert "person-0" not in text
        assert not any(f"person-{digit}" in text for digit in range(10))
        assert "nobody-listed-me" not in text
