"""A published page: what the house makes passes, and is what a stranger can count."""

import hashlib
import json

import pytest

import shoal
from shoal.auditor.case import Case
from shoal.auditor.page import without_known_script
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_cells import sound_cells
from shoal.auditor.selftest.sound_smoothing import sound_smoothing
from shoal.contract import page as allowed
from shoal.pages.html import written as page_written
from shoal.release.page import publish_page
from shoal.report.release import private_page, public_page
from shoal.report.results import Results

SCRIPT = "void 'draws';"


@pytest.fixture(autouse=True)
def _known_script(monkeypatch):
    monkeypatch.setitem(allowed.SCRIPTS, hashlib.sha256(SCRIPT.encode()).hexdigest(), "made up")


def measured(written, *, audited=True):
    if audited:
        shoal.audit(written.release, original=written.original, secret=written.secret)
    shoal.utility(written.release, original=written.original, secret=written.secret).keep(written.secret)
    return Results.of(written.release, written.secret)


def checked(written, **more):
    found = run_checks(Case(written.release, **more), only={"page", "digests", "schema", "manifest_digest", "raw_ids"})
    return {check.id: check for check in found}


@pytest.fixture(scope="module", params=[sound_boxes, sound_smoothing, sound_cells], ids=lambda sound: sound.__name__)
def release(request, tmp_path_factory):
    written = request.param(seed=1).write(tmp_path_factory.mktemp("release"))
    return written, measured(written)


def test_the_page_of_every_kind_passes(release):
    written, results = release
    page = page_written(public_page(results), SCRIPT)
    publish_page(written.release, written.secret, page)
    found = checked(written, original=written.original, secret=written.secret)
    assert {id_: check.status for id_, check in found.items()} == dict.fromkeys(found, "pass"), found["page"].reason
    assert b'id="facts"' in page


def test_the_publishers_own_page_is_none_that_can_be_published(release):
    written, results = release
    publish_page(written.release, written.secret, page_written(private_page(results), SCRIPT))
    assert checked(written)["page"].broken == ("readable",)


def test_boxes_and_tiles_are_those_that_anybody_can_count(tmp_path):
    written = sound_boxes(seed=2).write(tmp_path)
    results = measured(written, audited=False)
    document = public_page(results)
    counts = document.facts["people_by"]["width_m"]
    assert any(counts)
    assert document.facts["map"]["tiles"] is not None
    assert document.facts["audit"] is None
    assert "Not audited" in document.verdict.sentence
    publish_page(written.release, written.secret, page_written(document, SCRIPT))
    assert checked(written)["page"].status == "pass"
    at = next(i for i, count in enumerate(counts) if count)
    counts[at] -= 10
    publish_page(written.release, written.secret, page_written(document, SCRIPT))
    assert set(checked(written)["page"].broken) >= {"recounted"}


def test_identifiers_are_not_looked_for_in_the_known_script():
    assert without_known_script(f"a<script>{SCRIPT}</script>b".encode()) == b"a<script></script>b"
    other = b"a<script>person-1</script>b"
    assert without_known_script(other) == other


def test_a_page_after_the_audit_still_fits_the_whole_release(tmp_path):
    written = sound_boxes(groups=30, boxes=2, seed=3).write(tmp_path)
    publish_page(written.release, written.secret, page_written(public_page(measured(written)), SCRIPT))
    verdict = shoal.audit(written.release, original=written.original, secret=written.secret)
    assert verdict.ok, verdict.failed
    assert verdict["page"].status == "pass"
    assert json.loads((written.release / "manifest.json").read_bytes())["sha256"].keys() == {
        "data.parquet",
        "report.html",
    }
