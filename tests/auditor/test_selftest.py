"""The auditor rejects what is broken on purpose, each for its reason; without any one condition it would not."""

import json

import pytest

from shoal.auditor.conditions import COMPLETED, without
from shoal.auditor.registry import ENTRIES, ORDER, conditions
from shoal.auditor.selftest.run import ALL, SOUND, sound_status, trials
from shoal.contract.claims import (
    CellNoise,
    Cylinder,
    GeoIndistinguishability,
    KAnonymousCells,
    SpeedSmoothing,
    WindowHiding,
)
from shoal.contract.kinds import BOXES, PROFILES

pytestmark = pytest.mark.slow

CRASH = "row_order.completed"
"""The one release that makes a check stumble; that every check is held to it is tried apart."""

CONDITIONS = [name for name in conditions() if not name.endswith("." + COMPLETED)] + [CRASH]


@pytest.fixture(scope="module")
def results():
    return {trial.broken or trial.sort: trial for trial in trials((*SOUND, *ALL))}


WINDOWS = ("window_parameters", "window_withheld", "window_coverage", "window_absence", "far_leak", "tightest_fit")
CLAIMED_OF_POINTS = {
    SpeedSmoothing: {"smoothing"},
    GeoIndistinguishability: {"noise_law", "budgets"},
    Cylinder: {"cylinder"},
}
TRIED_ON_POINTS = {"attack_nearest", "attack_relinking", "attack_seen_times", "attack_ring", "attack_averaging"}
ON_POINTS = TRIED_ON_POINTS.union(*CLAIMED_OF_POINTS.values())
CLAIMED_OF_PROFILES = {
    PROFILES: {"profiles_listed", "raw_data"},
    KAnonymousCells: {"profiles_listed", "cells_agree", "people_agree", "cells_named", "cells_truthful"},
    CellNoise: {"profiles_listed", "noise_grid", "cells_noise", "budgets"},
}
NOTED_OF_PROFILES = {"attack_profile", "cells_alike"}
ON_PROFILES = NOTED_OF_PROFILES.union(*CLAIMED_OF_PROFILES.values()) - {"raw_data"}
ATTACKS = ("attack_points", "attack_top_places", "attack_whole_trace", "attack_times")


@pytest.mark.parametrize("kind", SOUND, ids=lambda kind: kind.name)
def test_the_sound_release_of_every_kind_comes_to_what_it_should(results, kind):
    trial = results[kind]
    assert trial.to_dict() == {
        "broken": f"nothing ({kind.name})",
        "expected_id": None,
        "condition": None,
        "rejected_by": [],
        "ok": True,
    }
    found = {check.id: check.status for check in trial.verdict.checks}
    assert list(found) == list(ORDER)
    assert found == {id_: sound_status(id_, kind) for id_ in ORDER}
    if kind is BOXES:
        assert {id_ for id_, status in found.items() if status == "not_run"} == {
            "page",
            "raw_data",
            *WINDOWS,
            *ON_POINTS,
            *ON_PROFILES,
        }
        assert {id_ for id_, status in found.items() if status == "note"} == {"insider", "homogeneity"}
    elif kind is WindowHiding:
        groups = {"group_size", "people_per_group", "require_k", "intersection"}
        assert {id_ for id_, status in found.items() if status == "not_run"} == {
            "page",
            "raw_data",
            *groups,
            *ON_POINTS,
            *ON_PROFILES,
        }
        assert {id_ for id_, status in found.items() if status == "note"} == {"insider", "homogeneity", *ATTACKS}
    else:
        ran = {id_ for id_, status in found.items() if status == "pass"}
        assert ran == {
            *("schema", "metadata", "files", "digests", "tokens", "number_format", "promise", "raw_ids", "mapping"),
            *("manifest_digest", "row_order", "everyone", "claim"),
            *(CLAIMED_OF_PROFILES | CLAIMED_OF_POINTS).get(kind, ("raw_data",)),
        }


@pytest.mark.parametrize("broken", ALL, ids=lambda broken: broken.words.replace(" ", "_"))
def test_each_broken_release_is_rejected_by_the_very_condition(results, broken):
    row = results[broken].to_dict()
    assert row["ok"], row
    assert row["expected_id"] in row["rejected_by"]
    reason = results[broken].verdict[row["expected_id"]].reason
    assert ("could not be completed" in reason) == (broken.condition == CRASH)
    assert "\n" not in reason


def test_every_condition_has_a_broken_release():
    assert {broken.condition for broken in ALL} == set(CONDITIONS)
    assert len({broken.words for broken in ALL}) == len(ALL)


@pytest.mark.parametrize("name", CONDITIONS)
def test_without_a_condition_the_self_test_fails(name):
    aimed = [broken for broken in ALL if broken.condition == name]
    # Another check cannot break this condition; only the claim looks at what the others came to.
    only = ORDER if name.startswith("claim.") else {aimed[0].expected_id}
    with without(name):
        assert not any(trial.to_dict()["ok"] for trial in trials(aimed, only=only))


@pytest.mark.parametrize("id_", ["page", "insider", "homogeneity", "claim"])
def test_a_check_that_is_missing_is_noticed(monkeypatch, id_):
    """Even one without conditions: the sound release does not come to what it should."""
    monkeypatch.delitem(ENTRIES, id_)
    assert [trial.to_dict()["ok"] for trial in trials([BOXES])] == [False]


def test_what_reports_rates_alone_has_nothing_to_break():
    bare = {id_ for id_, entry in ENTRIES.items() if entry.conditions == (COMPLETED,)}
    assert bare == {"insider", "homogeneity", *TRIED_ON_POINTS, *NOTED_OF_PROFILES}


def test_reasons_and_figures_hold_no_identifier_and_no_token(results):
    for trial in results.values():
        text = json.dumps(trial.verdict.to_dict())
        assert not any(f"person-{digit}" in text for digit in range(10))
        assert not any(word in text for word in ("nobody-listed-me", "bo7", "wanderer"))
