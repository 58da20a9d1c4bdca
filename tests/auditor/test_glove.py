"""Releases that GLOVE makes keep what they promise, by an auditor that knows nothing of how."""

import pandas as pd
import pytest

import shoal
from shoal import synth
from shoal.auditor.registry import ENTRIES
from shoal.contract.claims import KAnonymity
from shoal.contract.kinds import BOXES

CASES = {
    "plain": {"k": 2},
    "share": {"k": 3, "suppress_share": 0.1, "align_m": 500},
    "merge": {"k": 2, "publish": "merge", "suppress_km": 15, "suppress_hours": 6},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_glove_release_keeps_its_promise(case, tmp_path):
    parameters = CASES[case]
    traces = shoal.read(synth.cdr(60, 2, preset="civ", seed=4))
    shoal.Glove(**parameters).protect(traces).write(tmp_path / "release", record=False)
    verdict = shoal.audit(
        tmp_path / "release", original=traces, secret=tmp_path / "release.secret", require_k=parameters["k"]
    )
    assert [check for check in verdict.checks if check.status == "fail"] == []
    about_others = {
        id_
        for id_, entry in ENTRIES.items()
        if BOXES not in (entry.kinds or (BOXES,)) or KAnonymity not in (entry.claims or (KAnonymity,))
    }
    assert "raw_data" in about_others
    not_run = {check.id for check in verdict.checks if check.status == "not_run"}
    assert not_run == {"page", "intersection", *about_others}
    stricter = shoal.audit(tmp_path / "release", require_k=50)
    assert stricter.failed == ("require_k",)


def test_people_who_are_alike_to_the_cell_are_no_raw_data(tmp_path):
    """Their boxes are single cells, and hide them all the same."""
    events = synth.cdr(1, 2, preset="civ", seed=4).to_pandas().drop(columns="uid")
    alike = pd.concat([events.assign(uid=f"person-{number}") for number in range(4)])
    shoal.Glove(k=2).protect(shoal.read(alike)).write(tmp_path / "release", record=False)
    assert shoal.audit(tmp_path / "release", original=alike).ok
