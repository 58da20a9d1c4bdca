"""Recipes through the command line: what they do, what they refuse, what they leave behind."""

import json
import re
import shutil
import signal
import stat
import time
from collections import defaultdict
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from shoal import synth

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"

RECIPE = """
[input]
path = "events.parquet"
[protect]
mechanism = "glove"
k = 2
[audit]
require_k = {require_k}
[utility]
[output]
release = "release"
utility = "utility.json"
"""


@pytest.fixture
def ready(desk):
    """Write events and a recipe for them."""
    pq.write_table(synth.cdr(60, 2), desk.home / "events.parquet")
    desk.write("recipe.toml", RECIPE.format(require_k=2))
    return desk


def groups(home):
    """Who is published with the same boxes as whom."""
    boxes = pl.read_parquet(home / "release" / "data.parquet").drop("lat", "lng")
    mapping = dict(pl.read_parquet(home / "release.secret" / "mapping.parquet").select("uid", "original_uid").rows())
    members = defaultdict(set)
    for (uid,), rows in boxes.group_by("uid"):
        members[tuple(rows.drop("uid").sort("t_start").rows())].add(mapping[uid])
    return sorted(map(sorted, members.values()))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.stem)
def test_recipes_of_the_docs(desk, recipe):
    shutil.copy(recipe, desk.home / "recipe.toml")
    for command in re.findall(r"^# \$ shoal (.*)$", recipe.read_text(encoding="utf-8"), re.MULTILINE):
        assert desk(*command.split()).code == 0
    before = desk.names()
    dry = desk("run", "recipe.toml", "--dry-run", "--json")
    assert (dry.code, desk.names()) == (0, before), dry.err
    planned = json.loads(dry.out)
    assert planned["steps"][0]["name"] == "read"
    done = desk("run", "recipe.toml", "--json")
    found = json.loads(done.out, parse_constant=pytest.fail)
    failed = {check["id"] for check in found["audit"]["checks"] if check["status"] == "fail"}
    assert (done.code, failed) == (0, set()), done.err
    new = {desk.home / name.split("/")[0] for name in set(desk.names()) - set(before)}
    assert {Path(path) for path in planned["writes"]} == new
    assert desk.home / "recipe.lock.json" in new


def test_a_recipe_does_what_the_commands_do(ready):
    before = ready.names()
    dry = ready("run", "recipe.toml", "--dry-run")
    assert dry.code == 0
    assert "estimate from 60 people" in " ".join(dry.out.split())
    assert ready.names() == before
    done = ready("run", "recipe.toml")
    assert done.code == 0, done.err
    assert "no promise found broken" in done.out
    assert "What is left" in done.out
    assert "promise: Every published person" in done.said
    for name in ("recipe.lock.json", "utility.json"):
        assert stat.S_IMODE((ready.home / name).stat().st_mode) == 0o600
    assert sorted(path.name for path in (ready.home / "release").iterdir()) == ["data.parquet", "manifest.json"]
    assert json.loads((ready.home / "release.secret" / "audit.json").read_bytes())["require_k"] == 2
    single = ready("utility", "release", "--original", "events.parquet", "--json")
    assert json.loads(single.out) == json.loads((ready.home / "utility.json").read_bytes())


def test_the_same_recipe_gives_the_same_groups(ready):
    assert ready("run", "recipe.toml", "-q").code == 0
    first = groups(ready.home)
    for name in ("release", "release.secret"):
        shutil.rmtree(ready.home / name)
    (ready.home / "utility.json").unlink()
    refused = ready("run", "recipe.toml")
    assert refused.code == 1
    assert "published before" in refused.said
    again = ready("run", "recipe.toml", "--again", "-q")
    assert again.code == 0, again.err
    assert groups(ready.home) == first


def test_an_input_that_changed_since_the_lock(ready):
    assert ready("run", "recipe.toml", "-q").code == 0
    for name in ("release", "release.secret"):
        shutil.rmtree(ready.home / name)
    (ready.home / "utility.json").unlink()
    frame = pl.read_parquet(ready.home / "events.parquet")
    frame.head(frame.height - 1).write_parquet(ready.home / "events.parquet")
    before = ready.names()
    for option in ((), ("--dry-run",)):
        refused = ready("run", "recipe.toml", "--again", *option)
        assert (refused.code, refused.out, ready.names()) == (1, "", before)
        assert "not the one of the lock (1 file changed)" in refused.said
        assert "--update-lock" in refused.said
    assert ready("run", "recipe.toml", "--again", "--update-lock", "-q").code == 0


def test_a_demand_that_is_not_met(ready):
    ready.write("recipe.toml", RECIPE.format(require_k=40))
    done = ready("run", "recipe.toml")
    assert done.code == 3
    assert "DEMAND NOT MET" in done.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("events.parquet", "evnts.parquet"), "no file or directory 'evnts.parquet'"),
        (("mechanism", "mechnism"), "did you mean 'mechanism'?"),
        (("k = 2\n", 'k = "two"\n'), 'k = "two" in [protect]'),
        (("[output]", "[ouput]"), "did you mean 'output'?"),
        (('release = "release"', 'release = "taken"'), "exists already"),
        (('release = "release"', 'release = "release"\nsecret = "release/secret"'), "lies inside the release"),
        (('utility = "utility.json"', 'utility = "release/utility.json"'), "where another output goes"),
        (("require_k = 2", 'earlier = [{ release = "june", secret = "june.secret" }]'), "no earlier release"),
        (("k = 2\n", "k = 200\n"), "people"),
        (("[audit]", "[audit"), "no TOML at line"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(ready, change, said):
    text = RECIPE.format(require_k=2)
    assert change[0] in text
    ready.write("recipe.toml", text.replace(*change, 1))
    (ready.home / "taken").mkdir()
    before = ready.names()
    refused = ready("run", "recipe.toml")
    assert (refused.code, refused.out) == (1, ""), refused.err
    assert said in refused.said
    assert ready.names() == before
    assert not (ready.state / "shoal" / "ledger").exists()


def test_wrong_usage(desk):
    assert desk("run").code == 2
    assert desk("run", "a.toml", "--dry").code == 2
    assert "no recipe that can be opened" in desk("run", "nowhere.toml").said


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_killed_halfway(desk, signum):
    assert desk("synth", "cdr", "--users", 3000, "--days", 7, "--out", "events.parquet").code == 0
    desk.write("recipe.toml", RECIPE.format(require_k=2))
    before = desk.names()
    process = desk.start("run", "recipe.toml")
    for line in process.stderr:
        if line.startswith("protecting"):
            break
    time.sleep(0.3)
    process.send_signal(signum)
    process.communicate(timeout=120)
    assert process.returncode != 0
    assert desk.names() == before


# ------------------------------------------------------------------------------------------------------ init


def test_init_writes_a_recipe_that_runs(desk):
    (desk.home / "data").mkdir()
    desk("synth", "cdr", "--users", 60, "--days", 2, "--out", "data/events.parquet")
    done = desk("init", "data/events.parquet", "--out", "june.toml", "--grid-m", 200)
    assert done.code == 0, done.err
    text = (desk.home / "june.toml").read_text()
    assert 'mechanism = "glove"' in text
    assert 'path = "data/events.parquet"' in text
    assert "\ngrid_m = 200" in text
    refused = desk("init", "data/events.parquet", "--out", "june.toml")
    assert (refused.code, (desk.home / "june.toml").read_text()) == (1, text)
    assert "exists already" in refused.said
    ran = desk("run", "june.toml", "-q")
    assert ran.code == 0, ran.err
    assert (desk.home / "june-measured" / "summary.json").exists()


def test_init_writes_a_recipe_that_runs_for_very_few_people(desk):
    rows = [f"{uid},2024-03-0{1 + at // 8}T{10 + at % 8}:00:00Z,48.{uid},11.5\n" for at in range(16) for uid in "123"]
    desk.write("few.csv", "uid,datetime,lat,lng\n" + "".join(rows))
    assert desk("init", "few.csv", "--out", "few.toml").code == 0
    ran = desk("run", "few.toml", "-q")
    assert ran.code == 0, ran.err
    assert json.loads((desk.home / "few-measured" / "summary.json").read_text())["kgap"].keys() == {"2"}


@pytest.mark.parametrize(
    ("make", "data", "options", "mechanism"),
    [
        ("gps --users 3 --days 1 --out gps.parquet", "gps.parquet", "", "promesse"),
        (
            "calls --users 200 --weeks 1 --out calls",
            "calls/events.parquet",
            "--cells calls/cells.parquet --tz Europe/Rome",
            "primule",
        ),
    ],
)
def test_init_chooses_by_what_it_finds(desk, make, data, options, mechanism):
    assert desk("synth", *make.split()).code == 0
    done = desk("init", data, *options.split(), "--out", "recipe.toml", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["mechanism"] == mechanism
    assert desk("run", "recipe.toml", "--dry-run").code == 0


def test_init_takes_over_how_to_read_and_shows_no_value(desk):
    rows = "".join(f"person-{i % 9};2020-0{1 + i % 6}-01 12:00;6.1;-5.2\n" for i in range(40)).replace(";", ",")
    desk.write("mine.csv", "sim,when,lat,lng\n" + rows)
    columns = ("--columns", "uid=sim,datetime=when", "--tz", "Africa/Abidjan")
    done = desk("init", "mine.csv", *columns, "--out", "recipe.toml")
    assert done.code == 0, done.err
    text = (desk.home / "recipe.toml").read_text()
    assert 'mechanism = "geoind"' in text
    assert 'columns = { "uid" = "sim", "datetime" = "when" }' in text
    assert "person-" not in text
    assert desk("run", "recipe.toml", "--dry-run").code == 0
