"""``shoal audit --self-test`` on a few made-up releases; `tests/auditor` and `tests/accept` try all of them."""

import dataclasses
import json

import pytest
from typer.testing import CliRunner

from shoal.auditor.selftest import run as made_up
from shoal.cli.app import app
from shoal.contract.kinds import BOXES
from shoal.errors import DataError

FEW = 3


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(made_up, "SOUND", {BOXES: made_up.SOUND[BOXES]})
    monkeypatch.setattr(made_up, "ALL", made_up.ALL[:FEW])


@pytest.mark.usefixtures("few")
def test_it_prints_a_row_for_each():
    found = CliRunner().invoke(app, ["audit", "--self-test", "--json"])
    rows = json.loads(found.stdout)
    assert found.exit_code == 0
    assert [list(row) for row in rows] == [["broken", "expected_id", "condition", "rejected_by", "ok"]] * (FEW + 1)
    assert rows[0]["broken"] == "nothing (boxes)"
    assert all(row["ok"] for row in rows)


@pytest.mark.usefixtures("few")
def test_a_miss_is_an_error_that_says_what_to_do(monkeypatch):
    other = dataclasses.replace(made_up.ALL[0], condition=made_up.ALL[1].condition)
    monkeypatch.setattr(made_up, "ALL", (other,))
    found = CliRunner().invoke(app, ["audit", "--self-test", "-q"])
    assert "MISSED" in found.stdout
    assert isinstance(found.exception, DataError)
    assert "do not rely" in found.exception.hint
