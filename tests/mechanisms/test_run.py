"""The way of every mechanism: what can be refused is refused before the long work, once for command line and Python."""

import json

import polars as pl
import pytest

import shoal
from shoal import synth
from shoal.errors import DataError, LedgerError, OutputError, ParameterError
from shoal.mechanisms.uniform import Uniform


@pytest.fixture
def events():
    return synth.cdr(20, 2, preset="civ", seed=1)


@pytest.fixture(autouse=True)
def _own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def watched(monkeypatch):
    """Count how often the long work was begun."""
    begun, work = [], Uniform._protect
    monkeypatch.setattr(Uniform, "_protect", lambda self, *rest: begun.append(1) or work(self, *rest))
    return begun


UNIFORM = Uniform(cell_m=1000, minutes=60)


def test_a_release_is_written_with_what_was_run(events, tmp_path):
    told = []
    written = shoal.protect(events, UNIFORM, tmp_path / "out", progress=lambda *line: told.append(line))
    assert written.path == tmp_path / "out"
    assert written.secret == tmp_path / "out.secret"
    assert told[-1] == ("writing", 1, 1)
    run = json.loads((written.secret / "run.json").read_text())
    traces = shoal.read(events)
    assert run["people"] == 20
    assert run["records"] == traces.samples
    assert run["span_s"] == list(traces.span_s)
    assert run["parameters"] == UNIFORM.parameters()
    assert run["grid"] == {"cell_m": 100, "dt_s": 60}


def test_people_in_the_ledger_are_refused_before_the_work(events, tmp_path, watched):
    shoal.protect(events, UNIFORM, tmp_path / "first")
    with pytest.raises(LedgerError):
        shoal.protect(events, UNIFORM, tmp_path / "second")
    assert len(watched) == 1
    assert not (tmp_path / "second").exists()
    shoal.protect(events, UNIFORM, tmp_path / "second", again=True)
    shoal.protect(events, UNIFORM, tmp_path / "third", record=False)
    shoal.protect(events, UNIFORM, tmp_path / "fourth", not_for_release=True)
    assert len(watched) == 4


def test_who_is_screened_does_not_count_for_the_ledger(events, tmp_path):
    busy = Uniform(cell_m=1000, minutes=60, min_per_day=20)
    first = shoal.protect(events, busy, tmp_path / "first")
    published = set(first.release.secret.mapping["original_uid"].to_pylist())
    assert 0 < len(published) < 20
    rest = pl.from_arrow(events).filter(~pl.col("uid").cast(pl.String).is_in(published))
    shoal.protect(rest, UNIFORM, tmp_path / "rest")


def test_a_place_that_is_taken_is_refused_before_reading(tmp_path, watched):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError):
        shoal.protect(tmp_path / "no-such-input.parquet", UNIFORM, tmp_path / "out")
    assert not watched


def test_a_seed_needs_a_stamp(events, tmp_path, watched):
    with pytest.raises(ParameterError, match="`seed`"):
        shoal.protect(events, UNIFORM, tmp_path / "out", seed=1)
    assert not watched
    written = shoal.protect(events, UNIFORM, tmp_path / "out", seed=1, not_for_release=True)
    assert written.release.manifest["not_for_release"] is True
    assert not (tmp_path / "state" / "shoal" / "ledger").exists()


def test_nobody_left(events, tmp_path):
    with pytest.raises(DataError, match="nobody left"):
        Uniform(cell_m=1000, minutes=60, min_per_day=10_000).protect(events)


def test_reading_is_told_and_takes_options(tmp_path):
    source = tmp_path / "events.csv"
    source.write_text("who,datetime,lat,lng,age\n1,2020-01-01 00:00:00,6.1,-5.2,40\n")
    options = shoal.ReadOptions(columns={"uid": "who"}, tz="UTC")
    reports = []
    written = shoal.protect(
        source, UNIFORM, tmp_path / "out", grid=shoal.Grid(500, 60), options=options, on_read=reports.append
    )
    assert reports[0].ignored_columns == ("age",)
    assert written.release.manifest["base_grid"] == {"cell_m": 500, "dt_s": 60}


def test_nothing_left_to_publish_is_refused_before_anything_is_written(events, tmp_path):
    with pytest.raises(DataError, match="nothing is left"):
        shoal.protect(events, shoal.Glove(k=2, suppress_km=0.01), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == []


def test_what_was_left_out_below_what_was_allowed_is_told(events):
    told = shoal.Glove(k=2, suppress_share=0.3).protect(events).remarks
    reached = shoal.Glove(k=2, suppress_share=0.3).protect(events).manifest["parameters"]["suppress_share_reached"]
    assert reached < 0.3
    assert told == (
        f"left out: {reached:.1%} of samples, of 30.0% allowed: "
        "one price holds for all groups, and the next step would go beyond what is allowed",
    )
    assert shoal.Glove(k=2).protect(events).remarks == ()


def test_the_population_is_recorded_and_keeps_people_apart(events, tmp_path):
    shoal.protect(events, UNIFORM, tmp_path / "first", population="orange")
    written = shoal.protect(events, UNIFORM, tmp_path / "second", population="moov")
    assert json.loads((written.secret / "run.json").read_text())["population"] == "moov"
    with pytest.raises(LedgerError, match="'moov'"):
        shoal.protect(events, UNIFORM, tmp_path / "third", population="moov")
