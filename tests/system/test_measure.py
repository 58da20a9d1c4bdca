"""``shoal measure`` as a user starts it."""

import json
import stat

import polars as pl
import pyarrow.parquet as pq
import pytest

import shoal
from shoal import synth


@pytest.fixture
def events(desk):
    table = synth.cdr(30, 2, preset="civ", seed=4)
    pq.write_table(table.append_column("tariff", [["x"] * table.num_rows]), desk.home / "events.parquet")
    return "events.parquet"


def test_a_directory_for_oneself_and_tables_without_names(desk, events):
    done = desk("measure", events, "--k", "2,5", "--levels", "--threads", 1, "--out", "measured")
    assert done.code == 0, done
    assert "columns not used, and dropped: tariff" in done.said
    for words in ("k = 5", "time costs more than place", "20 km, 480 min"):
        assert words in done.out
    folder = desk.home / "measured"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    users = pl.read_parquet(folder / "users.parquet")
    assert users.height == 2 * 30
    expected = shoal.measure(shoal.read(desk.home / events), k=(2, 5)).users
    both = zip(users.sort("uid", "k")["kgap"], pl.from_arrow(expected).sort("uid", "k")["kgap"], strict=True)
    assert all(a == pytest.approx(b) for a, b in both)
    assert not any(uid in done.out + done.err for uid in users["uid"])


def test_json_is_the_summary_and_nothing_else(desk, events):
    done = desk("measure", events, "--out", "measured", "--min-per-day", 20, "--json", "-q")
    assert (done.code, done.err) == (0, "")
    summary = json.loads(done.out, parse_constant=pytest.fail)
    assert summary == json.loads((desk.home / "measured" / "summary.json").read_text())
    assert summary["people"] + summary["screened"] == 30
    assert summary["screened"] > 0
    assert len(summary["kgap"]["2"]) == 11


@pytest.mark.parametrize("wrong", [("--k", 1), ("--k", 101), ("--k", 31), ("--threads", 0), ("--min-per-day", "nan")])
def test_impossible_values_leave_nothing(desk, events, wrong):
    done = desk("measure", events, "--out", "measured", *wrong)
    assert done.code == 1, done
    assert "hint" in done.err
    assert desk.names() == ["events.parquet"]


def test_nothing_is_overwritten(desk, events):
    (desk.home / "measured").mkdir()
    done = desk("measure", events, "--out", "measured")
    assert done.code == 1
    assert desk.names() == ["events.parquet", "measured"]
