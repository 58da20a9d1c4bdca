"""``shoal protect glove`` and ``shoal utility`` as a user starts them."""

import json

import pyarrow.parquet as pq
import pytest

from shoal import synth


@pytest.fixture
def events(desk):
    pq.write_table(synth.cdr(40, 2, preset="civ", seed=4), desk.home / "events.parquet")
    return "events.parquet"


def parameters(desk, *options):
    """What the manifest says after ``protect glove``; the release is audited on the way."""
    done = desk("protect", "glove", "events.parquet", "--out", "release", *options)
    assert done.code == 0, done
    audit = desk("audit", "release", "--original", "events.parquet", "--secret", "release.secret", "--json")
    assert audit.code == 0, audit
    return json.loads((desk.home / "release" / "manifest.json").read_text())["parameters"]


def test_every_option_of_kmerge_reaches_the_release(desk, events):
    given = parameters(
        desk,
        *("--k", 3, "--suppress-share", 0.05, "--suppress-km", 40, "--suppress-hours", 12.5, "--leftover-limit", 0.9),
        *("--align-m", 200, "--align-minutes", 10, "--partition", 20, "--min-per-day", 0.5, "--threads", 1),
        *("--grouping", "published", "--effort", 2, "--minutes-per-km", 60),
    )
    reached = given.pop("suppress_share_reached")
    assert 0 <= reached <= 0.05
    assert given == {
        "k": 3,
        "publish": "kmerge",
        "suppress_share": 0.05,
        "suppress_km": 40,
        "suppress_hours": 12.5,
        "leftover_limit": 0.9,
        "align_m": 200,
        "align_minutes": 10,
        "partition": 20,
        "minutes_per_km": 60,
        "grouping": "published",
        "effort": 2,
        "min_per_day": 0.5,
    }


def test_the_paper_s_boxes_and_what_is_left_of_the_accuracy(desk, events):
    assert parameters(desk, "--publish", "merge")["publish"] == "merge"
    done = desk("utility", "release", "--original", events, "--json")
    found = json.loads(done.out)
    assert (found["people_published"], found["people_suppressed"], found["samples_created"]) == (40, 0, 0)
    assert found["per_sample"]["span_s"]["mean"] > 60
    table = desk("utility", "release", "--original", events)
    assert table.code == 0
    assert "per raw sample" in table.out


@pytest.mark.parametrize(
    "wrong",
    [
        *(("--k", 1), ("--k", "2.5"), ("--k", 41), ("--publish", "hull"), ("--partition", 7), ("--threads", 0)),
        *(("--suppress-share", 1), ("--align-m", 150), ("--leftover-limit", "nan")),
    ],
)
def test_impossible_values_leave_nothing(desk, events, wrong):
    done = desk("protect", "glove", events, "--out", "release", *wrong)
    assert done.code == 1, done
    assert "hint" in done.err
    assert desk.names() == ["events.parquet"]
