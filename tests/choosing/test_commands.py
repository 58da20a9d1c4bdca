"""``shoal compare`` and ``shoal choose`` through the command line."""

import csv
import json
import os
import re
import shlex
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal import synth
from shoal.choosing.compare import compare
from shoal.choosing.people import Source
from shoal.choosing.piece import tried
from shoal.cli.app import app
from shoal.errors import ShoalError

run = CliRunner().invoke


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "events.parquet"
    pl.DataFrame(synth.cdr(220, 2, preset="abidjan", seed=3)).write_parquet(path)
    return path


def test_a_comparison_is_one_table_and_goes_on_where_it_stopped(events, tmp_path):
    out = tmp_path / "compared"
    arguments = ["compare", str(events), "--mechanisms", "glove,uniform", "--people", "200", "--out", str(out)]
    first = run(app, arguments)
    assert first.exit_code == 0, first.output
    assert max(map(len, first.stdout.splitlines())) <= 80
    assert "200 of 220 people" in first.stdout
    assert re.search(r"^uniform 10000 240 ", first.stdout, re.MULTILINE), "a row has one line"
    assert re.search(r"glove 2: near .* among 200 people", " ".join(first.stdout.split()))
    assert out.stat().st_mode & 0o777 == 0o700
    rows = list(csv.DictReader((out / "compare.csv").open()))
    assert [row["mechanism"] for row in rows] == ["glove"] * 2 + ["uniform"] * 3
    assert float(rows[0]["attack_points"]) == 0, "k-anonymous: nobody is singled out"
    assert {"visits_per_tile.jensen_shannon", "thirds.sparse.within_share", "near_share_error"} <= rows[0].keys()
    whole = json.loads((out / "compare.json").read_text())
    assert whole["sample"] == 200
    assert not list(Path(os.environ["XDG_STATE_HOME"]).iterdir()), "no ledger"

    pieces = {path.name: path.stat().st_mtime_ns for path in (out / "pieces").iterdir()}
    last = max(pieces)
    (out / "pieces" / last).unlink()
    again = run(app, [*arguments, "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["runs"][0] == whole["runs"][0]
    for path in (out / "pieces").iterdir():
        assert (path.stat().st_mtime_ns == pieces[path.name]) == (path.name != last)


def test_a_recipe_says_how_to_read_and_what_to_run(events, tmp_path):
    renamed = tmp_path / "renamed.parquet"
    pl.read_parquet(events).rename({"uid": "sim"}).write_parquet(renamed)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        """
        [input]
        path = "elsewhere.parquet"
        columns = { uid = "sim" }
        grid_m = 200
        [protect]
        mechanism = "uniform"
        cell_m = 1000
        minutes = 60
        [[compare]]
        mechanism = "geoind"
        epsilon = "ln(4)/200"
        [[compare]]
        mechanism = "uniform"
        cell_m = 400
        minutes = 30
        [output]
        release = "release"
        """
    )
    arguments = ["compare", str(renamed), "--recipe", str(recipe), "--out", str(tmp_path / "c"), "--json"]
    found = run(app, arguments)
    assert found.exit_code == 0, found.output
    told = [(one["mechanism"], one["parameters"]) for one in json.loads(found.stdout)["runs"]]
    assert told == [
        ("uniform", {"cell_m": 1000, "minutes": 60}),
        ("geoind", {"epsilon": "ln(4)/200"}),
        ("uniform", {"cell_m": 400, "minutes": 30}),
    ]
    for more in (["--mechanisms", "glove"], ["--tz", "UTC"]):
        refused = run(app, [*arguments[:-3], "--out", str(tmp_path / "d"), *more])
        assert isinstance(refused.exception, ShoalError)
        assert not (tmp_path / "d").exists()


def test_what_cannot_be_run_is_told_and_the_rest_goes_on(events, tmp_path):
    found = run(app, ["compare", str(events), "--mechanisms", "promesse,uniform", "--out", str(tmp_path / "c"), "-q"])
    assert found.exit_code == 0, found.output
    assert "promesse 500" in found.stdout


@pytest.mark.parametrize("finished", [0, 1])
def test_an_interrupted_comparison_leaves_finished_pieces_or_nothing(events, tmp_path, monkeypatch, finished):
    begun = []

    def interrupted(setting, *arguments, **options):
        begun.append(setting)
        if len(begun) > finished:
            raise KeyboardInterrupt
        return tried(setting, *arguments, **options)

    monkeypatch.setattr("shoal.choosing.compare.tried", interrupted)
    out = tmp_path / "compared"
    with pytest.raises(KeyboardInterrupt):
        compare(Source(events), out, mechanisms=["uniform"], people=60)
    assert len(list(tmp_path.rglob("*.json"))) == finished
    assert out.exists() == bool(finished)


@pytest.mark.parametrize(
    "arguments",
    [
        ["choose", "--need", "far away"],
        ["choose", "--need", "5 km, 1 h", "--for", "120%"],
        ["choose", "--need", "5 km, 1 h", "--against", "everybody"],
        ["choose", "--need", "5 km, 1 h", "--people", "some"],
        ["compare", "--mechanisms", "golve"],
        ["compare", "--mechanisms", "primule"],
        ["compare", "--need", "3 apples"],
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(events, tmp_path, arguments):
    out = ["--out", str(tmp_path / "out")] if arguments[0] == "compare" else []
    found = run(app, [arguments[0], str(events), *arguments[1:], *out])
    assert isinstance(found.exception, ShoalError)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_of_somebody_elses_is_left_alone(events, tmp_path):
    (tmp_path / "letters").write_text("dear")
    found = run(app, ["compare", str(events), "--out", str(tmp_path)])
    assert isinstance(found.exception, ShoalError)
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]


def test_a_choice_ends_in_a_command_that_keeps_what_it_foretold(events, tmp_path):
    asked = ["choose", str(events), "--need", "5 km, 4 h", "--for", "30%", "--against", "whole"]
    told = run(app, asked)
    assert told.exit_code == 0, told.output
    found = json.loads(run(app, [*asked, "--json"]).stdout)
    chosen = found["candidates"][found["chosen"]]
    assert chosen["claim"]["name"] == "k-anonymity"
    assert found["command"] in told.stdout
    assert len(found["why"]) >= 4
    command = shlex.split(found["command"])
    made = run(app, [*command[1:-1], str(tmp_path / "r"), "--not-for-release"])
    assert made.exit_code == 0, made.output
    from shoal.usefulness.run import beside
    from shoal.usefulness.within import Need, hits

    share = hits(beside(tmp_path / "r", original=shoal.read(events))[1], Need(5000, 14400)).mean()
    assert share == pytest.approx(chosen["foretold"]["share"], rel=0.2)


def test_where_none_does_it_says_what_would_help(events):
    asked = ["choose", str(events), "--need", "100 m, 1 min", "--for", "90%", "--against", "whole", "--lose", "5%"]
    found = run(app, asked)
    assert found.exit_code == 0, found.output
    text = " ".join(found.stdout.split())
    assert "None keeps 90% within 100 m, 1 min and leaves out at most 5%" in text
    assert "What would help:" in text
    assert "counts of people instead of traces" in text
    assert "glove 5 0% with 55 people" in text
    assert "What keeps far too little with few people was not tried with more." in text
    assert "shoal protect" not in text
    first = json.loads(run(app, [*asked, "--json"]).stdout)["candidates"][0]
    assert (first["parameters"], first["foretold"]["crowd"]) == ({"k": 5}, 55)
    lines = found.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    points = lines[next(i for i, line in enumerate(lines) if line.startswith("- ")) :]
    assert all(line.startswith(("- ", "  ")) for line in points), "a point goes on under its own words"
    assert not any(line.endswith("-") for line in points), "what is to be typed is not cut at its hyphens"
