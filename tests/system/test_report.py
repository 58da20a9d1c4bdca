"""``shoal report``, as a user starts it."""

import json

import pytest

pytest.importorskip("vl_convert", reason="no vl_convert")


@pytest.fixture
def released(desk):
    assert desk("synth", "cdr", "--users", 60, "--days", 2, "--seed", 1, "--out", "events.parquet").code == 0
    assert desk.protect("events.parquet", cell_m=20_000, minutes=480).code == 0
    return desk


@pytest.mark.slow
def test_a_release_gets_its_pages(released):
    desk = released
    first = desk("report", "release")
    assert first.code == 0, first.err
    page = desk.home / "release.secret" / "report-private.html"
    assert "keep it to yourself" in first.err
    assert oct(page.stat().st_mode)[-3:] == "600"
    text = page.read_text()
    assert "Not audited" in text
    assert "Not measured yet" in text

    assert desk("audit", "release", "--original", "events.parquet").code == 0
    again = desk("report", "release", "--original", "events.parquet", "--json")
    told = json.loads(again.out)
    assert (told["of"], told["publishable"]) == ("release", False)
    assert told["bytes"] < 2_000_000
    assert "Not audited" not in page.read_text()
    assert (desk.home / "release.secret" / "utility.json").exists()

    assert desk("report", "release", "--publishable").code == 0
    verdict = json.loads(desk("audit", "release", "--original", "events.parquet", "--json").out)
    assert verdict["ok"]
    assert next(check["status"] for check in verdict["checks"] if check["id"] == "page") == "pass"

    other = desk("report", "release", "--out", "page.html")
    assert other.code == 0
    assert desk("report", "release", "--out", "page.html").code == 1, "nothing is overwritten"


def test_what_cannot_be_a_page(released):
    desk = released
    assert desk("report", ".").code == 1
    assert "summary.json" in desk("report", ".").said
    assert desk("report", "release", "--publishable", "--out", "x.html").code == 2
    (desk.home / "release.secret" / "audit.json").write_text('{"ok": false, "checks": []}')
    failed = desk("report", "release", "--publishable")
    assert failed.code == 1
    assert not (desk.home / "release" / "report.html").exists()
