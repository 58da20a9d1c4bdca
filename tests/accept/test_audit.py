"""The auditor audited, whole, through the command line. Run by ``make accept``."""

import json

import pytest

pytestmark = pytest.mark.accept


def test_the_self_test_passes(shoal_run):
    run = shoal_run("audit --self-test --json")
    rows = json.loads(run.out)
    print(f"{len(rows)} made-up releases: {run.seconds:.0f} s")
    assert all(list(row) == ["broken", "expected_id", "condition", "rejected_by", "ok"] and row["ok"] for row in rows)
    sound = [row for row in rows if row["condition"] is None]
    assert rows[: len(sound)] == sound
    assert [row["broken"] for row in sound[:3]] == ["nothing (boxes)", "nothing (points)", "nothing (profiles)"]
    assert all(row["condition"].startswith(f"{row['expected_id']}.") for row in rows[len(sound) :])
    assert len(rows) > 150
