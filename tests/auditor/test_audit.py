"""Audits from Python: what runs with what is given, and what single checks see."""

import json
import re
import stat

import polars as pl
import pytest

import shoal
from shoal.auditor.registry import ORDER
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_points import sound_points
from shoal.auditor.selftest.sound_profiles import sound_profiles
from shoal.contract.files import ABOUT_OTHERS
from shoal.data.options import ReadOptions
from shoal.data.sightings import read_sightings
from shoal.errors import DataError, ParameterError


@pytest.fixture
def written(tmp_path):
    return sound_boxes(seed=1).write(tmp_path)


def audited(written, **more):
    return shoal.audit(written.release, original=written.original, secret=written.secret, **more)


def test_the_verdict_is_what_the_contract_says(written):
    verdict = audited(written, require_k=2)
    result = json.loads(json.dumps(verdict.to_dict()))
    assert list(result) == ["ok", "mechanism", "claim", "require_k", "checks"]
    assert (result["ok"], result["mechanism"], result["require_k"]) == (True, "made-up", 2)
    assert result["claim"] == {"name": "k-anonymity", "k": 2}
    assert [check["id"] for check in result["checks"]] == list(ORDER)
    for check in result["checks"]:
        assert list(check) == ["id", "status", "reason", "figures"]
        assert check["status"] in ("pass", "fail", "note", "not_run")
        assert "\n" not in check["reason"]
    assert re.fullmatch(r"Verdict\(ok: 0 failed, \d+ passed, 2 noted, \d+ not run\)", repr(verdict))
    mine = [check for check in verdict.checks if not check.figures.get(ABOUT_OTHERS)]
    unknown = sum(check.status == "not_run" for check in mine)
    assert f"{unknown} not run" in repr(verdict), "checks of other kinds leave nothing unknown"


def test_a_stranger_can_run_only_some_checks_and_the_rest_say_what_is_missing(written):
    verdict = shoal.audit(written.release)
    assert verdict.ok
    assert verdict["group_size"].status == verdict["attack_whole_trace"].status == "pass"
    for id_ in ("raw_ids", "mapping", "coverage", "truthful", "everyone", "attack_points"):
        assert verdict[id_].status == "not_run"
        assert "`original`" in verdict[id_].reason or "`secret`" in verdict[id_].reason


def test_the_ledger_is_mentioned_where_nothing_was_intersected(written):
    reason = audited(written, ledger=3)["intersection"].reason
    assert "`earlier`" in reason
    assert "3" in reason


def test_traces_and_frames_do_as_well_as_a_path(written):
    for original in (shoal.read(written.original), pl.read_parquet(written.original)):
        verdict = shoal.audit(written.release, original=original, secret=written.secret)
        assert verdict.ok
        assert verdict["coverage"].figures == audited(written)["coverage"].figures


@pytest.mark.parametrize("sound", [sound_points, sound_profiles])
def test_other_kinds_of_original_do_as_well_as_a_path(tmp_path, sound):
    written = sound(seed=8).write(tmp_path)
    read = shoal.data.read_fixes if sound is sound_points else shoal.data.read_profiles
    from_path = audited(written)
    assert from_path.ok
    for original in (read(written.original), pl.read_parquet(written.original)):
        verdict = shoal.audit(written.release, original=original, secret=written.secret)
        assert verdict.ok
        assert verdict["everyone"].figures == from_path["everyone"].figures


def test_an_earlier_release_with_the_same_groups_changes_nothing(written):
    check = audited(written, earlier=[(written.release, written.secret)])["intersection"]
    assert check.status == "pass"
    assert check.figures["releases"][0]["fewest"] == 2


def test_larger_groups_pass_a_larger_demand(tmp_path):
    written = sound_boxes(k=5, groups=10, seed=2).write(tmp_path)
    assert audited(written, require_k=5).ok
    assert audited(written, require_k=6).failed == ("require_k",)


def test_wrong_mapping_wrong_original(written, tmp_path):
    other = sound_boxes(seed=9).write(tmp_path / "other")
    mixed = shoal.audit(written.release, original=written.original, secret=other.secret)
    assert {"mapping", "manifest_digest", "coverage", "everyone"} <= set(mixed.failed)
    stranger = shoal.audit(written.release, original=other.original, secret=written.secret)
    assert {"mapping", "coverage", "everyone"} <= set(stranger.failed)


def test_ids_of_digits_do_not_cry_wolf_in_tokens(tmp_path):
    """Six digits occur in random tokens by chance; that is no leak."""
    draft = sound_boxes(groups=300, boxes=2, seed=3)
    tokens = "\n".join(draft.mapping["uid"])
    by_chance = re.search(r"[1-9][0-9]{5}", tokens).group()
    names = pl.Series([by_chance, *(f"{number:06}" for number in range(600))])
    old = pl.concat([draft.mapping["original_uid"], draft.suppressed.filter(pl.col("t").is_null())["original_uid"]])
    for part, column in (("raw", "uid"), ("mapping", "original_uid"), ("suppressed", "original_uid")):
        table = getattr(draft, part)
        setattr(draft, part, table.with_columns(pl.col(column).replace_strict(old, names)))
    written = draft.write(tmp_path)
    assert audited(written).ok


@pytest.mark.parametrize("name", ["7", "a,b", "=cmd()", "../x", 'quo"te', "two\nlines", "person"])
def test_odd_identifiers(tmp_path, name):
    draft = sound_boxes(seed=5)
    first = draft.mapping["original_uid"][0]
    for part, column in (("raw", "uid"), ("mapping", "original_uid"), ("suppressed", "original_uid")):
        table = getattr(draft, part)
        setattr(draft, part, table.with_columns(pl.col(column).replace(first, name)))
    assert audited(draft.write(tmp_path)).ok


def test_short_identifiers_are_found_as_whole_values(tmp_path):
    draft = sound_boxes(seed=6)
    first = draft.mapping["original_uid"][0]
    for part, column in (("raw", "uid"), ("mapping", "original_uid"), ("suppressed", "original_uid")):
        table = getattr(draft, part)
        setattr(draft, part, table.with_columns(pl.col(column).replace(first, "bo7")))
    draft.manifest["parameters"]["publish"] = "bo7"
    assert "raw_ids" in audited(draft.write(tmp_path)).failed


def test_uids_of_a_person_are_searched_too(tmp_path):
    draft = sound_boxes(seed=7)
    draft.raw = draft.raw.with_columns(owner="uid", uid="card-" + pl.col("uid"))
    options = ReadOptions(person="owner")
    assert audited(draft.write(tmp_path / "sound"), options=options).ok
    draft.manifest["parameters"]["publish"] = draft.raw["uid"][0]
    assert "raw_ids" in audited(draft.write(tmp_path / "broken"), options=options).failed


def test_unreadable_files_fail_and_do_not_crash(written):
    (written.release / "data.parquet").write_bytes(b"PAR1 and no more")
    verdict = audited(written)
    assert {"schema", "digests"} <= set(verdict.failed)
    assert verdict["coverage"].status == "not_run"
    (written.release / "manifest.json").write_text("{")
    assert {"schema", "digests", "promise"} <= set(shoal.audit(written.release).failed)


def test_what_a_claim_says_is_in_the_verdict_only_if_it_is_known(tmp_path):
    for claim in (
        {"name": "safety"},
        {"name": ["k-anonymity"]},
        {"name": "k-anonymity", "k": "2"},
        "k-anonymity",
        None,
    ):
        draft = sound_boxes(groups=12, boxes=2, seed=1)
        draft.manifest["promise"]["claim"] = claim
        verdict = shoal.audit(draft.write(tmp_path / str(claim)).release)
        assert verdict.claim is None
        assert {"claim", "promise"} <= set(verdict.failed)
        assert not {"claim.completed", "promise.completed"} & verdict.broken


def test_the_secret_directory_beside_the_release_is_found_and_keeps_the_verdict(written, monkeypatch):
    beside = written.release.with_name("release.secret")
    written.secret.rename(beside)
    assert shoal.audit(written.release).kept is None, "strangers have no original"
    assert not (beside / "audit.json").exists()
    monkeypatch.chdir(written.release)
    for release in (written.release, "."):
        verdict = shoal.audit(release, original=written.original)
        assert verdict["mapping"].status == "pass"
        assert (verdict.kept, verdict.not_kept) == (beside / "audit.json", None)
        assert json.loads(verdict.kept.read_text()) == verdict.to_dict()
        assert stat.S_IMODE(verdict.kept.stat().st_mode) == 0o600
    assert sorted(path.name for path in beside.iterdir()) == [
        *("audit.json", "manifest.sha256", "mapping.parquet", "suppressed.parquet")
    ]


def test_a_verdict_that_cannot_be_kept_comes_out_all_the_same(written):
    (written.secret / "audit.json").mkdir()
    verdict = audited(written)
    assert verdict.ok
    assert verdict.kept is None
    assert "writing failed" in verdict.not_kept


def test_names_of_many_parts_do_not_cry_wolf(tmp_path):
    """People with many parts tie in every order of people: ties alone are no leak."""
    for seed in range(5):
        written = sound_points(people=8, parts=60, points=2, seed=seed).write(tmp_path / str(seed))
        assert audited(written)["row_order"].status == "pass"


def test_bad_calls(written, tmp_path):
    with pytest.raises(DataError, match="no release"):
        shoal.audit(tmp_path / "nowhere")
    with pytest.raises(DataError, match="no secret directory"):
        shoal.audit(written.release, secret=tmp_path / "nowhere")
    with pytest.raises(DataError, match="no release"):
        shoal.audit(written.release, earlier=[(tmp_path / "nowhere", written.secret)])
    for k in (0, 1, 2.5, True):
        with pytest.raises(ParameterError, match=r"`require_k=.*`"):
            shoal.audit(written.release, require_k=k)
    (written.secret / "mapping.parquet").unlink()
    with pytest.raises(DataError, match=r"mapping\.parquet"):
        audited(written)


def test_points_are_read_in_the_order_of_the_input_and_by_its_rules(written):
    points = read_sightings(written.original).frame
    assert points.columns == ["uid", "epoch_us", "lat", "lng"]
    assert points["uid"].to_list() == pl.read_parquet(written.original)["uid"].to_list()
    with pytest.raises(DataError, match="row 1"):
        read_sightings(pl.DataFrame({"uid": ["a"], "datetime": ["2020-01-01T00:00:00Z"], "lat": [91.0], "lng": [0.0]}))
