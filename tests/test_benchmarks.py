"""Benchmarks are run by hand, so at least what they import has to be there."""

import importlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path, monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert callable(module.main)


@pytest.fixture
def figures(monkeypatch, tmp_path):
    """Return the module that notes and the one that shows, both on files of their own."""
    monkeypatch.syspath_prepend(BENCHMARKS / "figures")
    noted, show = (importlib.import_module(name) for name in ("noted", "show"))
    monkeypatch.setattr(noted, "NOTED", tmp_path / "build" / "bench.jsonl")
    monkeypatch.setattr(show, "NOTED", tmp_path / "build" / "bench.jsonl")
    monkeypatch.setattr(show, "LAST", tmp_path / "last.json")
    monkeypatch.setattr(sys, "argv", ["show.py"])
    (tmp_path / "last.json").write_text('{"tag": null, "figures": {"not run": {"cpu_s": 7.0}}}')
    return noted, show


def test_all_figures_come_in_one_table_beside_those_of_the_last_tag(figures, monkeypatch, capsys):
    noted, show = figures
    noted.note("reading", ratio=9.0, to="of polars", cpu_s=1.0)
    noted.note("reading", ratio=2.5, to="of polars", cpu_s=0.5, gb=0.25)
    show.main()
    before = capsys.readouterr().out
    assert "no tag has figures yet" in before
    assert before.splitlines()[-1].split() == ["reading", "2.5×", "–", "0.5", "–", "0.25", "–", "of", "polars"]

    monkeypatch.setattr(sys, "argv", ["show.py", "--keep", "v9"])
    show.main()
    kept = json.loads(show.LAST.read_text())
    assert (kept["tag"], set(kept["figures"])) == ("v9", {"reading", "not run"})

    monkeypatch.setattr(sys, "argv", ["show.py"])
    noted.note("reading", ratio=1250.0, cpu_s=0.125)
    show.main()
    shown = capsys.readouterr().out
    assert "then: at v9" in shown
    assert shown.splitlines()[-1].split() == ["reading", "1,250×", "2.5×", "0.125", "0.5", "–", "0.25"]


def test_figures_stand_beside_those_of_another_checkout(figures, monkeypatch, tmp_path, capsys):
    noted, show = figures
    noted.note("reading", cpu_s=0.5)
    (tmp_path / "other.jsonl").write_text('{"work": "reading", "cpu_s": 2.0}\n')
    monkeypatch.setattr(sys, "argv", ["show.py", "--then", str(tmp_path / "other.jsonl")])
    show.main()
    assert capsys.readouterr().out.splitlines()[-1].split() == ["reading", "–", "–", "0.5", "2", "–", "–"]


def test_the_figures_of_the_last_tag_can_be_read():
    last = json.loads((BENCHMARKS / "figures" / "last.json").read_text())
    assert set(last) == {"tag", "figures"}
