"""The commands end to end: what they print where, what they write, what they refuse."""

import json
import re
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from typer.main import get_command

from shoal.cli.app import app

TOKEN = re.compile(r"[0-9a-f]{32}")


@pytest.fixture
def events(desk):
    """Write a table of a few people over three days."""
    rng = np.random.default_rng(5)
    n = 400
    frame = pl.DataFrame(
        {
            "uid": [f"person-{i:03}" for i in rng.integers(0, 40, n)],
            "datetime": pl.Series(1_591_012_800 + rng.integers(0, 3 * 86_400, n)).cast(pl.Int64),
            "lat": 6 + rng.normal(0, 0.1, n),
            "lng": -5 + rng.normal(0, 0.1, n),
        }
    )
    frame.write_parquet(desk.home / "events.parquet")
    return frame


def all_commands():
    """Walk the commands of the package."""

    def walk(command, path):
        subs = command.list_commands(None) if hasattr(command, "list_commands") else []
        yield path, sorted(subs)
        for name in subs:
            yield from walk(command.get_command(None, name), [*path, name])

    return list(walk(get_command(app), []))


# ------------------------------------------------------------------------------------------------------ talk


def test_every_command_has_help_and_every_leaf_an_example(desk):
    commands = all_commands()
    leaves = [" ".join(path) for path, subs in commands if not subs]
    assert {"demo", "inspect", "synth cdr", "synth gps", "synth calls", "protect uniform"} <= set(leaves)
    for path, subs in commands:
        code, out, err = desk(*path, "--help")
        assert (code, err) == (0, ""), path
        assert all(name in out for name in subs)
        if not subs:
            assert f"Example: shoal {' '.join(path)}" in " ".join(out.split()), path


def test_version(desk):
    result = desk.alone("--version")
    assert (result.code, result.err) == (0, "")
    assert re.fullmatch(r"shoal \d+\.\d+\.\d+\n", result.out)


def test_inspect_prints_its_result_on_stdout_and_talk_on_stderr(desk, events):
    result = desk("inspect", "events.parquet")
    assert result.code == 0
    assert re.search(r"people\s+40\n", result.out)
    assert re.search(r"records\s+400\n", result.out)
    assert "2020-06-01 to 2020-06-04" in result.out
    assert "nothing found" in result.out
    assert "reading" in result.err
    assert "person-" not in result.out + result.err
    assert desk.names() == ["events.parquet"]


def test_inspect_as_json_is_json_and_nothing_else(desk, events):
    result = desk("inspect", "events.parquet", "--json")
    assert (result.code, result.err) == (0, "")
    found = json.loads(result.out, parse_constant=pytest.fail)
    assert (found["people"], found["rows"], found["records"]) == (40, 400, 400)
    assert found["stoppers"] == []
    assert set(found["spreads"]["samples per person"]) == {"mean", "q5", "q25", "q50", "q75", "q95"}


def test_json_without_any_value_is_json_too(desk):
    desk.write("one.csv", "uid,datetime,lat,lng\na,2020-06-01T12:00:00Z,6.1,-5.2\n")
    found = json.loads(desk("inspect", "one.csv", "--json").out, parse_constant=pytest.fail)
    assert found["spreads"]["gap between samples (min)"]["mean"] is None
    assert "only one person: nobody to hide among" in found["remarks"]


def test_quiet_says_nothing_but_errors(desk, events):
    quiet = desk("inspect", "events.parquet", "-q")
    assert (quiet.code, quiet.err) == (0, "")
    assert "people" in quiet.out
    assert desk.protect("events.parquet", "--quiet")[:] == (0, "", "")
    refused = desk.protect("events.parquet", "-q")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("error ")


# --------------------------------------------------------------------------------------------------- protect


def test_a_release_and_its_secret(desk, events):
    result = desk.protect("events.parquet", "--min-per-day", 2)
    assert (result.code, result.out) == (0, "")
    assert "Nothing is promised" in result.said
    assert desk.names() == [
        "events.parquet",
        "release",
        "release.secret",
        "release.secret/manifest.sha256",
        "release.secret/mapping.parquet",
        "release.secret/run.json",
        "release.secret/suppressed.parquet",
        "release/data.parquet",
        "release/manifest.json",
    ]
    secret = desk.home / "release.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in secret.iterdir()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in (desk.state / "shoal").iterdir()} == {0o600}

    mapping = pl.read_parquet(secret / "mapping.parquet")
    screened = pl.read_parquet(secret / "suppressed.parquet")
    assert set(screened["reason"]) == {"screened"}
    assert sorted([*mapping["original_uid"], *screened["original_uid"]]) == sorted(set(events["uid"]))
    data = pl.read_parquet(desk.home / "release" / "data.parquet")
    assert set(data["uid"]) == set(mapping["uid"])
    assert all(TOKEN.fullmatch(uid) for uid in data["uid"])
    assert data.equals(data.sort("uid", "t_start"))

    published = b"".join(path.read_bytes() for path in (desk.home / "release").iterdir())
    assert b"person-" not in published
    manifest = json.loads((desk.home / "release" / "manifest.json").read_text())
    assert (manifest["mechanism"], manifest["grid"]) == ("uniform", {"cell_m": 1000, "dt_s": 3600})
    assert str(desk.home) not in json.dumps(manifest)
    assert "seed" not in json.dumps(manifest)


def test_the_secret_goes_where_it_is_told(desk, events):
    (desk.home / "vault").mkdir()
    assert desk.protect("events.parquet", "--secret", "vault/s").code == 0
    assert (desk.home / "vault" / "s" / "mapping.parquet").exists()
    assert not (desk.home / "release.secret").exists()


def test_tokens_differ_between_runs_and_the_boxes_do_not(desk, events):
    assert desk.protect("events.parquet", out="one").code == 0
    assert desk.protect("events.parquet", "--again", out="two").code == 0
    one, two = (pl.read_parquet(desk.home / name / "data.parquet") for name in ("one", "two"))
    assert not set(one["uid"]) & set(two["uid"])
    columns = one.columns[1:]
    assert one.select(columns).sort(columns).equals(two.select(columns).sort(columns))


def test_call_records_and_person_through_the_command_line(desk):
    desk.write("cells.csv", "cell,lat,lng,municipality\nA,6.1,-5.2,x\nB,6.2,-5.3,y\n")
    desk.write(
        "calls.csv",
        "sim,owner,when,duration,cell_start,cell_end\n"
        "1,ann,2020-06-01 12:00:00,30,A,B\n"
        "2,ann,2020-06-01 12:30:00,30,B,B\n",
    )
    options = ["--cells", "cells.csv", "--tz", "Africa/Abidjan", "--person", "owner", "--columns", "datetime=when"]
    result = desk.protect("calls.csv", *options)
    assert result.code == 0, result
    assert "columns not used, and dropped: sim" in result.said
    mapping = pl.read_parquet(desk.home / "release.secret" / "mapping.parquet")
    assert mapping["original_uid"].to_list() == ["ann"]
    assert pl.read_parquet(desk.home / "release" / "data.parquet").height == 2


def test_strange_identifiers_are_published_as_tokens_only(desk):
    strange = ["01", "1", "two\nlines", 'q"uote', "../../etc", "=cmd()", "[red]x", "12345678901234567890"]
    frame = pl.DataFrame({"uid": strange}).with_columns(datetime=pl.lit("2020-06-01T12:00:00Z"), lat=6.1, lng=-5.2)
    frame.write_csv(desk.home / "e.csv")
    assert desk.protect("e.csv").code == 0
    mapping = pl.read_parquet(desk.home / "release.secret" / "mapping.parquet")
    assert sorted(mapping["original_uid"]) == sorted(strange)
    assert mapping["uid"].n_unique() == len(strange)


# ---------------------------------------------------------------------------------------------------- ledger


def test_the_ledger_refuses_a_second_release_of_the_same_people_at_the_same_time(desk, events):
    assert desk.protect("events.parquet", out="one").code == 0
    ledger = (desk.state / "shoal" / "ledger").read_bytes()
    assert b"person-" not in ledger
    before = desk.names()

    # One person in common is enough; a digest of the file would not see it.
    one = events.filter(pl.col("uid") == events["uid"][0])
    one.write_csv(desk.home / "part.csv")
    for data in ("events.parquet", "part.csv"):
        refused = desk.protect(data, out="two")
        assert refused.code == 1
        assert "--again" in refused.said
        assert "person-" not in refused.err
        assert [name for name in desk.names() if name != "part.csv"] == before
        assert (desk.state / "shoal" / "ledger").read_bytes() == ledger

    assert desk.protect("events.parquet", "--again", out="two").code == 0
    assert len((desk.state / "shoal" / "ledger").read_bytes()) > len(ledger)


def test_the_ledger_allows_other_times_and_other_people(desk, events):
    assert desk.protect("events.parquet", out="one").code == 0
    events.with_columns(pl.col("datetime") + 30 * 86_400).write_parquet(desk.home / "later.parquet")
    events.with_columns(pl.col("uid") + "x").write_parquet(desk.home / "others.parquet")
    assert desk.protect("later.parquet", out="two").code == 0
    assert desk.protect("others.parquet", out="three").code == 0
    assert desk.protect("later.parquet", out="four").code == 1


def test_a_ledger_of_ones_own(desk, events):
    assert desk.protect("events.parquet", "--ledger", "mine", out="one").code == 0
    assert not desk.state.exists()
    assert desk.protect("events.parquet", "--ledger", "mine", out="two").code == 1
    assert desk.protect("events.parquet", out="three").code == 0


def test_what_is_not_for_release_is_stamped_repeatable_and_not_in_the_ledger(desk, events):
    for name in ("one", "two"):
        assert desk.protect("events.parquet", "--seed", 7, "--not-for-release", out=name).code == 0
        assert json.loads((desk.home / name / "manifest.json").read_text())["not_for_release"] is True
    one, two = ((desk.home / name / "data.parquet").read_bytes() for name in ("one", "two"))
    assert one == two
    assert "7" not in (desk.home / "one" / "manifest.json").read_text().split('"sha256"')[0].split('"parameters"')[1]
    assert not (desk.state / "shoal" / "ledger").exists()


def test_not_for_release_needs_no_seed(desk, events):
    result = desk.protect("events.parquet", "--not-for-release")
    assert result.code == 0, result
    assert json.loads((desk.home / "release" / "manifest.json").read_text())["not_for_release"] is True
    assert not (desk.state / "shoal" / "ledger").exists()


# ----------------------------------------------------------------------------------------------- being stopped


@pytest.mark.slow
def test_sigterm_at_any_moment_leaves_nothing_or_a_whole_release(desk):
    rng = np.random.default_rng(6)
    n = 700_000
    pl.DataFrame(
        {
            "uid": rng.integers(0, 20_000, n),
            "datetime": 1_591_012_800 + rng.integers(0, 14 * 86_400, n),
            "lat": 6 + rng.normal(0, 0.3, n),
            "lng": -5 + rng.normal(0, 0.3, n),
        }
    ).write_parquet(desk.home / "events.parquet")
    arguments = ["protect", "uniform", "events.parquet", "--cell-m", 500, "--minutes", 1, "--out", "release"]
    stopped = 0
    # Told while it starts, reads and works, and then as soon as half-written directories lie there.
    for moment in (0.1, 0.2, 0.5, 1.0, "parts", "parts", "parts"):
        process = desk.start(*arguments)
        if moment == "parts":
            while process.poll() is None and not list(desk.home.glob(".shoal-*")):
                time.sleep(0.001)
            moment = rng.uniform(0, 0.15)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        if process.returncode == 0:
            break
        stopped += 1
        assert process.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM), err
        assert "Traceback" not in err
        assert desk.names() == ["events.parquet"]
        assert not (desk.state / "shoal" / "ledger").exists()
    assert stopped >= 2
    if not (desk.home / "release").exists():
        assert desk(*arguments).code == 0
    pq.read_table(desk.home / "release" / "data.parquet")
    assert (desk.home / "release.secret" / "mapping.parquet").exists()
    assert not [name for name in desk.names() if name.startswith(".")]


# -------------------------------------------------------------------------------------------------- synth, demo


def test_synth_cdr(desk):
    first = desk("synth", "cdr", "--users", 30, "--days", 2, "--out", "a.parquet", "--seed", 4)
    assert (first.code, first.out) == (0, "")
    assert desk("synth", "cdr", "--users", 30, "--days", 2, "--out", "b.parquet", "--seed", 4, "-q").err == ""
    a, b = (pl.read_parquet(desk.home / name) for name in ("a.parquet", "b.parquet"))
    assert a.equals(b)
    assert {"uid", "datetime", "lat", "lng"} <= set(a.columns)
    refused = desk("synth", "cdr", "--users", 30, "--out", "a.parquet")
    assert (refused.code, refused.out) == (1, "")
    assert "exists" in refused.said
    assert desk("inspect", "a.parquet").code == 0
    assert desk.names() == ["a.parquet", "b.parquet"]


def test_synth_check_prints_target_beside_measured(desk):
    result = desk("synth", "cdr", "--users", 30, "--days", 2, "--check", "--json")
    assert result.code == 0, result
    assert json.loads(result.out, parse_constant=pytest.fail)
    assert desk.names() == []


@pytest.mark.parametrize(
    "options",
    [
        ["cdr", "--users", 0, "--out", "x.parquet"],
        ["cdr", "--users", "2.5", "--out", "x.parquet"],
        ["cdr", "--users", 10, "--days", "NaN", "--out", "x.parquet"],
        ["cdr", "--users", 10, "--preset", "senn", "--out", "x.parquet"],
        ["cdr", "--users", 10],
        ["gps", "--users", 2, "--days", 1, "--out", "none/x.parquet"],
        ["calls", "--users", 2, "--weeks", 0, "--out", "x"],
    ],
    ids=lambda options: " ".join(map(str, options)),
)
def test_synth_refuses_in_order(desk, options):
    result = desk("synth", *options)
    assert (result.code, result.out) == (1, "")
    assert [line.split()[0] for line in result.err.splitlines()] == ["error", "expected", "hint"]
    assert desk.names() == []


def test_synth_gps_writes_the_truth_beside(desk):
    result = desk("synth", "gps", "--users", 2, "--days", 1, "--out", "gps.parquet")
    assert (result.code, result.out) == (0, "")
    assert desk.names() == ["gps.parquet", "gps.truth.parquet"]
    found = json.loads(desk("inspect", "gps.parquet", "--json").out)
    assert found["people"] == 2
    refused = desk("synth", "gps", "--users", 2, "--days", 1, "--out", "gps.parquet")
    assert refused.code == 1


def test_synth_calls_reads_back_as_call_records(desk):
    result = desk("synth", "calls", "--users", 20, "--weeks", 1, "--out", "calls")
    assert (result.code, result.out) == (0, "")
    assert desk.names() == ["calls", *(f"calls/{n}.parquet" for n in ("cells", "events", "municipalities", "truth"))]
    found = desk("inspect", "calls/events.parquet", "--cells", "calls/cells.parquet", "--json")
    assert found.code == 0, found
    assert 0 < json.loads(found.out)["people"] <= 20


@pytest.mark.slow
def test_demo_does_the_whole_job(desk):
    result = desk("demo", "--out", "tour")
    assert result.code == 0, result
    assert "$ shoal inspect tour/events.parquet" in result.out
    assert "Where to look" in result.out
    assert "no promise found broken" in result.out
    assert json.loads((desk.home / "tour" / "release.secret" / "audit.json").read_text())["ok"]
    assert (desk.home / "tour" / "release" / "data.parquet").exists()
    assert (desk.home / "tour" / "release.secret" / "mapping.parquet").exists()
    assert "START HERE" in result.out
    assert "no broken promise" in (desk.home / "tour" / "release.secret" / "report-private.html").read_text()
    assert not desk.state.exists()
    assert {path.name for path in desk.home.iterdir()} == {"tour"}
    again = desk("demo", "--out", "tour")
    assert again.code == 1
    assert "exists" in again.said


def test_the_package_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "shoal", "--help"], capture_output=True, text=True, check=True)
    assert "protect" in done.stdout
