"""``shoal reproduce anonymizability``: every figure, the findings, and going on where it stopped."""

import csv

import numpy as np
import pytest

import shoal
from shoal import synth
from shoal.reproduce import anonymizability
from shoal.reproduce.anonymizability import reproduce

PEOPLE, TARGETS, DAYS = 30, 12, 2


def silent(*_):
    """Tell nobody."""


@pytest.fixture(autouse=True)
def _few_people(monkeypatch):
    monkeypatch.setattr(anonymizability, "SMALL_USERS", PEOPLE)
    monkeypatch.setattr(anonymizability, "SMALL_TARGETS", TARGETS)
    monkeypatch.setattr(anonymizability, "DAYS", DAYS)


@pytest.fixture
def done(tmp_path):
    return tmp_path, reproduce(tmp_path, presets=("civ",), progress=silent)


def test_the_findings_are_those_of_measure(done):
    _, findings = done
    gap = shoal.measure(shoal.read(synth.cdr(PEOPLE, DAYS, preset="civ", seed=0)), k=2).to_polars()
    found = {finding.what: finding.measured for finding in findings}
    assert found["median 2-gap"] == {"civ": f"{np.median(gap['kgap']):.3f}"}
    assert found["temporal is all of it"] == {"civ": f"{(gap['spatial'] == 0).mean():.1%}"}
    assert all(finding.printed for finding in findings)


def test_every_figure_is_a_picture_and_numbers(done):
    folder, _ = done
    names = {"kgap-2", "ratio", "civ/kgap-by-k", "civ/kgap-by-level", "civ/gini", "civ/twi", "civ/person-1"}
    for name in names:
        assert (folder / f"{name}.svg").read_text().startswith("<svg")
        with (folder / f"{name}.csv").open() as file:
            assert len(list(csv.reader(file))) > 100
    with (folder / "civ" / "kgap-by-k.csv").open() as file:
        series = {row["series"] for row in csv.DictReader(file)}
    assert series == {"k = 2", "k = 5", "k = 10", "k = 25"}, "no larger than the crowd"
    page = (folder / "README.md").read_text()
    assert f"{PEOPLE} people" in page
    assert anonymizability.FEWER in page


def test_it_goes_on_where_it_stopped(done, monkeypatch):
    folder, findings = done
    (folder / "civ" / "level-5000-120.npz").unlink()
    levels = []

    def counted(traces, sizes, **options):
        levels.append(options.get("level"))
        return real(traces, sizes, **options)

    real = anonymizability.gaps
    monkeypatch.setattr(anonymizability, "gaps", counted)
    monkeypatch.setattr(anonymizability, "measure", None)
    assert reproduce(folder, presets=("civ",), progress=silent) == findings
    assert [str(level) for level in levels] == ["5 km, 120 min"]
