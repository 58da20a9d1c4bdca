"""Every command has ``--json`` and ``-h``; shells complete names without loading what is behind them."""

import json

import pytest
from typer.testing import CliRunner

from shoal.cli.app import app
from system.test_commands import all_commands


@pytest.fixture
def read_json(desk):
    """Run a command that must print JSON on stdout and nothing else there."""

    def run(*arguments):
        result = desk(*arguments, "--json")
        assert result.code == 0, result.err
        return json.loads(result.out, parse_constant=pytest.fail)

    return run


def test_every_command_has_json_and_short_help(desk):
    for path in [path for path, subs in all_commands() if not subs]:
        found = CliRunner().invoke(app, [*path, "-h"])
        assert found.exit_code == 0, path
        assert "--json" in found.stdout, path
    assert "Usage: shoal" in desk.alone("-h").out


def test_protect_tells_what_it_wrote(desk, read_json):
    rows = "".join(f"person-{i},2020-06-0{1 + i % 3}T12:00:00Z,6.{i},-5.2\n" for i in range(9))
    desk.write("events.csv", "uid,datetime,lat,lng\n" + rows)
    found = read_json("protect", "uniform", "events.csv", "--cell-m", 1000, "--minutes", 60, "--out", "release")
    manifest = json.loads((desk.home / "release" / "manifest.json").read_bytes())
    assert found["manifest"] == manifest
    assert found["release"] == str(desk.home / "release")
    assert (found["withheld"], found["remarks"]) == ([], [])
    assert "person-" not in json.dumps(found)


def test_small_commands(desk, read_json):
    assert read_json("clean") == {"removed": []}
    (desk.home / ".shoal-0123456789abcdef.part").write_bytes(b"")
    assert read_json("clean")["removed"][0].endswith(".shoal-0123456789abcdef.part")
    gps = read_json("synth", "gps", "--users", 2, "--days", 1, "--out", "gps.parquet")
    assert gps["files"] == ["gps.parquet", "gps.truth.parquet"]
    cdr = read_json("synth", "cdr", "--users", 20, "--days", 1, "--out", "cdr.parquet")
    assert (cdr["people"], cdr["files"]) == (20, ["cdr.parquet"])
    calls = read_json("synth", "calls", "--users", 20, "--weeks", 1, "--out", "calls")
    assert len(calls["files"]) == 4


@pytest.mark.slow
def test_reproduce(read_json, desk):
    assert desk("synth", "cdr", "--users", "150", "--days", "2", "--seed", "1", "--out", "events.parquet").code == 0
    findings = read_json("reproduce", "anonymizability", "--data", "events.parquet")
    assert set(findings[0]) == {"where", "what", "printed", "measured", "note"}


@pytest.mark.parametrize(
    ("words", "offered"),
    [("shoal ins", "inspect"), ("shoal protect g", "geoind glove"), ("shoal inspect --js", "--json")],
)
def test_shells_complete_names(desk, words, offered):
    desk.env |= {"_SHOAL_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    assert desk.alone().out.split() == offered.split()
    del desk.env["_SHOAL_COMPLETE"]
    assert "complete -o default -F" in desk.alone("--show-completion", "bash").out
