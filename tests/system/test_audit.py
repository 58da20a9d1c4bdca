"""``shoal audit`` as a user starts it, on releases that Shoal itself made."""

import hashlib
import json
import stat

import polars as pl
import pyarrow.parquet as pq
import pytest

from shoal import synth


@pytest.fixture
def events(desk):
    pq.write_table(synth.cdr(60, 2, preset="civ", seed=4), desk.home / "events.parquet")
    return "events.parquet"


def audited(desk, *arguments):
    result = desk("audit", *arguments, "--json")
    return result, json.loads(result.out)


def status(verdict):
    return {check["id"]: check["status"] for check in verdict["checks"]}


def test_a_uniform_release_keeps_the_little_that_it_promises(desk, events):
    assert desk.protect(events).code == 0
    result, verdict = audited(desk, "release", "--original", events, "--secret", "release.secret")
    assert (result.code, result.err, verdict["ok"], verdict["mechanism"]) == (0, "", True, "uniform")
    found = status(verdict)
    assert {id_ for id_, s in found.items() if s == "not_run"} == {
        *("disjoint", "group_size", "page", "people_per_group", "insider", "intersection", "require_k")
    }
    kept = desk.home / "release.secret" / "audit.json"
    assert json.loads(kept.read_text()) == verdict
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    again, _ = audited(desk, "release", "--original", events)
    assert again.code == 0, "the secret directory beside the release is found, and audit.json is replaced"
    assert sorted(path.name for path in (desk.home / "release.secret").iterdir()) == [
        *("audit.json", "manifest.sha256", "mapping.parquet", "run.json", "suppressed.parquet")
    ]


def test_a_uniform_release_fails_a_demand_for_k(desk, events):
    assert desk.protect(events).code == 0
    result, verdict = audited(desk, "release", "--require-k", 2)
    assert (result.code, verdict["ok"], verdict["require_k"]) == (3, False, 2)
    check = next(c for c in verdict["checks"] if c["id"] == "require_k")
    assert check["status"] == "fail"
    assert "unique" in check["reason"]
    assert check["figures"]["unique"]["share"] > 0.5
    assert desk("audit", "release").code == 0, "without the demand nothing is broken"


def test_the_table_names_what_was_not_run(desk, events):
    assert desk.protect(events).code == 0
    result = desk("audit", "release")
    assert result.code == 0
    assert "not run" in result.out
    assert "needs --original" in result.out
    assert "a failed attack proves nothing" in " ".join(result.out.split())


def test_tampering_is_seen(desk, events):
    assert desk.protect(events).code == 0
    data = desk.home / "release" / "data.parquet"
    rows = pq.read_table(data)
    pq.write_table(rows.slice(0, rows.num_rows - 1), data, store_schema=False)
    result, verdict = audited(desk, "release", "--original", events)
    assert result.code == 3
    failed = {c["id"] for c in verdict["checks"] if c["status"] == "fail"}
    assert {"digests", "metadata"} <= failed
    # With the digest made to fit, the secret directory still knows the manifest.
    path = desk.home / "release" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["sha256"]["data.parquet"] = hashlib.sha256(data.read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))
    failed = {c["id"] for c in audited(desk, "release", "--original", events)[1]["checks"] if c["status"] == "fail"}
    assert "digests" not in failed
    assert {"manifest_digest", "coverage"} <= failed


def test_the_wrong_mapping_is_seen(desk, events):
    assert desk.protect(events).code == 0
    assert desk.protect(events, "--again", out="second").code == 0
    result, verdict = audited(desk, "release", "--original", events, "--secret", "second.secret")
    assert result.code == 3
    assert status(verdict)["mapping"] == status(verdict)["manifest_digest"] == "fail"


def test_earlier_releases_are_intersected(desk, events):
    assert desk.protect(events).code == 0
    assert desk.protect(events, "--again", out="second", cell_m=2000).code == 0
    result, verdict = audited(
        desk, "second", "--original", events, "--earlier", "release", "--earlier-secret", "release.secret"
    )
    check = next(c for c in verdict["checks"] if c["id"] == "intersection")
    assert (result.code, check["status"]) == (0, "pass")
    assert check["figures"]["releases"][0]["people_in_both"] > 0


def test_wrong_usage_and_bad_input(desk, events):
    assert desk("audit").code == 2
    assert desk("audit", "release", "--earlier", "x").code == 2
    missing = desk("audit", "nowhere")
    assert missing.code == 1
    assert "no release there" in missing.said
    assert desk.protect(events).code == 0
    assert desk("audit", "release", "--require-k", 1).code == 1
    assert desk("audit", "release", "--original", "nowhere.parquet").code == 1


def test_nothing_of_the_data_is_printed(desk, events):
    assert desk.protect(events).code == 0
    result = desk("audit", "release", "--original", events, "--require-k", 2, "--json")
    people = pl.read_parquet(desk.home / events)["uid"].unique().to_list()
    tokens = pl.read_parquet(desk.home / "release" / "data.parquet")["uid"].unique().to_list()
    words = set(result.out.replace('"', " ").replace(",", " ").split())
    assert not words & {str(person) for person in people if len(str(person)) > 3}
    assert not any(token in result.out + result.err for token in tokens)


@pytest.mark.slow
def test_the_self_test_passes(desk):
    result = desk("audit", "--self-test", "--json")
    rows = json.loads(result.out)
    assert result.code == 0
    assert all(list(row) == ["broken", "expected_id", "rejected_by", "ok"] and row["ok"] for row in rows)
    assert rows[0]["broken"] == "nothing"
    assert len(rows) > 30
    assert desk.names() == [], "nothing is left on the desk"


@pytest.mark.slow
def test_nearly_everybody_is_unique_in_gowalla_on_a_kilometre_and_an_hour(desk, shared_data):
    data = shared_data("gowalla_nyc.parquet")
    assert desk.protect(data).code == 0
    result, verdict = audited(desk, "release", "--require-k", 2)
    assert result.code == 3
    check = next(c for c in verdict["checks"] if c["id"] == "require_k")
    assert check["figures"]["unique"]["share"] > 0.9
