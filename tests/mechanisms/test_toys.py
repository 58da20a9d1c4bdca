"""A mechanism is one file and one line: toys of all three kinds go from the command line to an audited release."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal import synth
from shoal.contract.kinds import cell_names
from shoal.errors import ParameterError
from shoal.mechanisms import registry

TESTS = Path(__file__).resolve().parents[1]
LINES = {
    "jitter": "toys.jitter:Jitter",
    "rounding": "toys.rounding:Rounding",
    "onecrowd": "toys.onecrowd:OneCrowd",
}
TYPED = {
    "jitter": ["--degrees", "0.01"],
    "rounding": ["--steps", "2"],
    "onecrowd": ["--k", "5"],
}


@pytest.fixture(autouse=True)
def _nothing_is_remembered():
    """What is registered here for a test is known to no other."""
    registry.homes.cache_clear()
    yield
    registry.homes.cache_clear()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    rng = np.random.default_rng(4)
    pl.from_arrow(synth.gps(6, 3, seed=1).points).write_parquet(folder / "gps.parquet")
    pl.from_arrow(synth.cdr(30, 3, preset="civ", seed=1)).write_parquet(folder / "cdr.parquet")
    towns = {"uid": [f"p{i // 2:02}" for i in range(40)], "municipality": ["rome", "pisa"] * 20}
    cells = {name: rng.integers(0, 6, 40) / 5 for name in cell_names(2)}
    pl.DataFrame(towns | cells).write_parquet(folder / "profiles.parquet")
    files = {"jitter": "gps.parquet", "rounding": "profiles.parquet", "onecrowd": "cdr.parquet"}
    return {name: folder / file for name, file in files.items()}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A package that registers the toys, as pip would have installed it: a line each."""
    folder = tmp_path_factory.mktemp("site")
    about = folder / "toys-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    lines = "".join(f"{name} = {home}\n" for name, home in LINES.items())
    (about / "entry_points.txt").write_text(f"[{registry.ENTRY_POINTS}]\n{lines}")
    (folder / "toys").symlink_to(TESTS / "toys")
    return folder


@pytest.fixture
def shoal_command(installed, tmp_path):
    def run(*arguments, code=0):
        state = {"XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONPATH": str(installed), "COLUMNS": "200"}
        command = [sys.executable, "-m", "shoal", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **state})
        assert done.returncode == code, done.stderr + done.stdout
        return done

    return run


@pytest.mark.parametrize("name", LINES)
def test_from_the_command_line_to_an_audited_release(name, shoal_command, inputs, tmp_path):
    source, release = inputs[name], tmp_path / "release"
    shoal_command("protect", name, source, *TYPED[name], "--out", release)
    verdict = json.loads(shoal_command("audit", release, "--original", source, "--json").stdout)
    assert verdict["ok"]
    assert verdict["mechanism"] == name
    assert {check["id"]: check["status"] for check in verdict["checks"]}["claim"] == "pass"
    figures = json.loads(shoal_command("utility", release, "--original", source, "--json").stdout)
    assert figures["people_published"] == {"jitter": 6, "rounding": 20, "onecrowd": 30}[name]
    assert figures["people_suppressed"] == 0
    shoal_command("utility", release, "--original", source)
    shoal_command("protect", name, source, *TYPED[name], "--out", tmp_path / "again", code=1)


@pytest.mark.parametrize("name", LINES)
def test_its_options_are_on_the_command_line(name, shoal_command):
    told = shoal_command("protect", name, "--help").stdout
    assert TYPED[name][0] in told
    assert f"Example: shoal protect {name}" in told
    assert name in shoal_command("protect", "--help").stdout


def test_errors_speak_options_there_and_python_here(shoal_command, inputs, tmp_path):
    said = shoal_command("protect", "onecrowd", inputs["onecrowd"], "--k", "1", "--out", tmp_path / "no", code=1).stderr
    assert "--k 1" in said
    from toys.onecrowd import OneCrowd

    with pytest.raises(ParameterError, match="`k=1`"):
        OneCrowd(k=1)


def test_a_claim_that_does_not_hold_is_found_out(shoal_command, inputs, tmp_path):
    """The toy's class is not asked: its claim is."""
    source, release = inputs["onecrowd"], tmp_path / "release"
    shoal_command("protect", "onecrowd", source, "--k", "5", "--out", release)
    manifest = json.loads((release / "manifest.json").read_text())
    manifest["promise"]["claim"] = {"name": "safety"}
    (release / "manifest.json").write_text(json.dumps(manifest, sort_keys=True, indent=2) + "\n")
    verdict = json.loads(shoal_command("audit", release, "--json", code=3).stdout)
    assert {check["id"]: check["status"] for check in verdict["checks"]}["claim"] == "fail"


@pytest.mark.parametrize("name", LINES)
def test_the_same_from_python(name, inputs, tmp_path, monkeypatch):
    monkeypatch.setitem(registry.BUILT_IN, name, LINES[name])
    mechanism = registry.find(name)(*[{"jitter": 0.01, "rounding": 2, "onecrowd": 5}[name]])
    written = shoal.protect(inputs[name], mechanism, tmp_path / "release", record=False)
    verdict = shoal.audit(written.path, original=inputs[name])
    assert verdict.ok
    assert (written.secret / "audit.json").is_file()
    shoal.utility(written.path, original=inputs[name])


def test_one_that_cannot_be_loaded_says_so(monkeypatch):
    monkeypatch.setitem(registry.BUILT_IN, "ghost", "nowhere.at_all:Ghost")
    with pytest.raises(ParameterError, match="cannot be loaded"):
        registry.find("ghost")
    with pytest.raises(ParameterError, match="known mechanism"):
        registry.find("gloves")


def test_every_built_in_one_is_a_public_name():
    for name in registry.BUILT_IN:
        mechanism = registry.find(name)
        assert mechanism.name == name
        assert getattr(shoal, mechanism.__name__) is mechanism
        assert mechanism.__name__ in shoal.__all__
