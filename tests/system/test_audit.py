"""``shoal audit`` as a user starts it, on releases that Shoal itself made."""

import hashlib
import json
import stat

import polars as pl
import pyarrow.parquet as pq
import pytest

from shoal import synth
from shoal.auditor.registry import ABOUT_OTHERS


@pytest.fixture
def events(desk):
    pq.write_table(synth.cdr(60, 2, preset="civ", seed=4), desk.home / "events.parquet")
    return "events.parquet"


def audited(desk, *arguments):
    result = desk("audit", *arguments, "--json")
    return result, json.loads(result.out)


def status(verdict):
    return {check["id"]: check["status"] for check in verdict["checks"]}


def not_run(verdict):
    return {id_ for id_, s in status(verdict).items() if s == "not_run"}


def test_a_uniform_release_keeps_the_little_that_it_promises(desk, events):
    assert desk.protect(events).code == 0
    result, verdict = audited(desk, "release", "--original", events, "--secret", "release.secret")
    assert (result.code, result.err, verdict["ok"], verdict["mechanism"]) == (0, "", True, "uniform")
    assert verdict["claim"] == {"name": "nothing"}
    missing = {c["id"] for c in verdict["checks"] if c["status"] == "not_run" and not c["figures"].get(ABOUT_OTHERS)}
    assert missing == {"page", "intersection", "require_k"}
    assert {"disjoint", "group_size", "insider", "window_coverage", "noise_law"} <= not_run(verdict), (
        "about other releases"
    )
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
    assert check["reason"].startswith("demand not met: ")
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


def test_a_reader_needs_no_more_than_80_columns(desk, events):
    assert desk.protect(events).code == 0
    desk.env["COLUMNS"] = "80"
    result = desk("audit", "release", "--original", events, "--require-k", 2)
    assert result.code == 3
    lines = [line.rstrip() for line in result.out.splitlines()]
    assert max(map(len, lines)) <= 80
    assert lines[0] == "Audit of a uniform release that claims nothing"
    words = [line[:8].strip() for line in lines[1:] if line[:8].strip() in ("pass", "FAIL", "note", "not run")]
    assert list(dict.fromkeys(words)) == ["FAIL", "pass", "note", "not run"], "each kind of result stands together"
    assert words == sorted(words, key=["FAIL", "pass", "note", "not run"].index)
    assert "DEMAND NOT MET (" in result.out


def test_a_verdict_that_cannot_be_kept_is_printed_all_the_same(desk, events):
    assert desk.protect(events).code == 0
    (desk.home / "release.secret" / "audit.json").mkdir()
    result, verdict = audited(desk, "release", "--original", events)
    assert (result.code, verdict["ok"]) == (1, True)
    assert "audit.json cannot be written" in result.said
    result, verdict = audited(desk, "release", "--original", events, "--require-k", 2)
    assert (result.code, verdict["ok"]) == (3, False)
    assert "audit.json cannot be written" in result.said
    (desk.home / "release.secret" / "audit.json").rmdir()
    assert not [name for name in desk.names() if "part" in name.rpartition("/")[2].split(".")]


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
    assert (result.code, check["status"]) == (0, "note"), "no k is promised that both could miss"
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
def test_nearly_everybody_is_unique_in_gowalla_on_a_kilometre_and_an_hour(desk, shared_data):
    data = shared_data("gowalla_nyc.parquet")
    assert desk.protect(data).code == 0
    result, verdict = audited(desk, "release", "--require-k", 2)
    assert result.code == 3
    check = next(c for c in verdict["checks"] if c["id"] == "require_k")
    assert check["figures"]["unique"]["share"] > 0.9
