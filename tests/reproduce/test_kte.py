"""The whole reproduction of kte on few people: what is written, and that finished work is not done again."""

import csv
import json
import math
import os
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from reproduce import crowd
from shoal.data import Boxes, Grid, Projection
from shoal.data.traces import traces_from_samples
from shoal.errors import DataError, ParameterError
from shoal.reproduce.glove.subsets import first_days
from shoal.reproduce.kte import piece
from shoal.reproduce.kte.findings import _day_over_night, findings_of
from shoal.reproduce.kte.granularity import WEEK_HOURS, figures_of
from shoal.reproduce.kte.piece import Piece
from shoal.reproduce.kte.plan import FIGURES, PRESETS, TAUS, VARIANTS, Job, jobs
from shoal.reproduce.kte.run import reproduce


def silent(phase, done, total):
    pass


@pytest.fixture
def runs(monkeypatch):
    """Count runs of the mechanism, and let a test interrupt."""
    done, real = [], piece.hidden

    def counted(traces, minutes, variant, progress):
        done.append((len(traces), minutes, variant))
        if len(done) == counted.stop_at:
            raise KeyboardInterrupt
        return real(traces, minutes, variant, progress)

    counted.stop_at = None
    monkeypatch.setattr(piece, "hidden", counted)
    return done, counted


def test_own_data_with_both_variants(tmp_path, runs):
    people = first_days(crowd.people(), 2)
    findings = reproduce(tmp_path, data=people, taus=[60, 120], progress=silent)
    assert sorted(runs[0]) == sorted((len(people), tau, variant) for tau in (30, 60, 120) for variant in VARIANTS)
    assert [f.where for f in findings] == ["Fig. 5, data"] * 6 + ["Fig. 7, data"] * 2
    assert all(set(f.measured) == set(VARIANTS) for f in findings)
    for figure in ("fig5", "fig7"):
        for axis in ("space", "time"):
            assert (tmp_path / "data" / f"{figure}-{axis}.svg").read_text().startswith("<svg")
            with (tmp_path / "data" / f"{figure}-{axis}.csv").open() as file:
                assert {row[0] for row in csv.reader(file)} >= (
                    {"mean", "median", "as printed, median"} if figure == "fig5" else {"repaired", "as printed"}
                )
    page = (tmp_path / "README.md").read_text()
    assert all(f.what in page and f.measured["repaired"] in page for f in findings)
    with (tmp_path / "granularity.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 6
    kept = json.loads((tmp_path / "data" / "tau60-days2-repaired.json").read_text())
    (row,) = (r for r in rows if (r["tau_min"], r["variant"], r["counted"]) == ("60", "repaired", "per_box"))
    assert float(row["median_km"]) == round(kept["figures"]["per_box"]["span_sum_m"]["median"] / 1000, 2)
    assert float(row["q75_min"]) == round(kept["figures"]["per_box"]["span_s"]["q75"] / 60, 2)


def test_finished_runs_are_not_made_again(tmp_path, runs):
    done, counted = runs
    chosen = {"figures": ("fig6",), "taus": [60, 120], "variants": ["repaired"], "users": 60, "progress": silent}
    counted.stop_at = 3
    with pytest.raises(KeyboardInterrupt):
        reproduce(tmp_path, **chosen)
    assert {path.name for path in tmp_path.rglob("*.json")} == {f"tau{tau}-days2-repaired.json" for tau in (60, 120)}
    counted.stop_at = None
    done.clear()
    first = reproduce(tmp_path, **chosen)
    assert done == [(60, 60, "repaired"), (60, 120, "repaired")], "civ is done, sen is not"
    pages = [path.read_bytes() for path in sorted(tmp_path.rglob("*.*"))]
    done.clear()
    assert reproduce(tmp_path, **chosen) == first
    assert done == []
    assert [path.read_bytes() for path in sorted(tmp_path.rglob("*.*"))] == pages
    (tmp_path / "civ" / "tau60-days2-repaired.json").write_text("{}")
    assert reproduce(tmp_path, **chosen) == first
    assert done == [(60, 60, "repaired")]
    reproduce(tmp_path, **(chosen | {"users": 70}))
    assert len(done) == 1 + 4, "other people"


def test_plan():
    assert jobs(FIGURES, "dakar", 14, TAUS, ["repaired"]) == {"fig5": [Job(tau, 14) for tau in TAUS]}
    assert jobs(FIGURES, "shanghai", 1, TAUS, ["repaired"]) == {"fig5": [Job(tau, 1) for tau in (10, 30, 60)]}
    assert jobs(FIGURES, "shanghai", 1, [240], ["repaired"]) == {}
    assert jobs(FIGURES, "sen", 2, [10], VARIANTS) == {"fig6": [Job(10, 2, variant) for variant in VARIANTS]}
    paper = jobs(FIGURES, "abidjan", 14, TAUS, ["repaired"])
    assert paper["fig7"][0] in paper["fig5"], "at the scale of the paper one run serves both"
    assert all(jobs(FIGURES, name, 2, TAUS, VARIANTS) for name in PRESETS)


def test_nothing_to_show_and_too_few_people_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="fig6 for civ"):
        reproduce(tmp_path, figures=("fig6",), presets=("dakar",), progress=silent)
    with pytest.raises(DataError, match="few people"):
        reproduce(tmp_path, data=crowd.people().select(np.arange(9)), progress=silent)
    assert not list(tmp_path.iterdir())


def test_figures_of_boxes_by_hand():
    """Two people, three samples and two; one sample of the second is withheld."""
    hour = 3600 // 60
    t = np.array([2 * hour, 2 * hour + 5, 30 * hour, 2 * hour + 1, 40 * hour], np.int32)
    x = np.array([0, 1, 7, 2, 9], np.int32)
    traces = traces_from_samples(
        pa.array(["a", "b"]), np.array([0, 0, 0, 1, 1]), t, x, np.zeros_like(x), Projection(7, -5), Grid()
    )
    columns = {
        "t": [2 * hour, 30 * hour, 2 * hour],
        "dt": [6, 1, 6],
        "x": [0, 7, 0],
        "dx": [3, 1, 3],
        "y": [0, 0, 0],
        "dy": [1, 1, 1],
    }
    boxes = Boxes(
        people=traces.people,
        sequence_of=np.array([0, 1], np.int32),
        offsets=np.array([0, 2, 3]),
        **{name: np.array(values, np.int32) for name, values in columns.items()},
        crs=traces.crs,
        grid=traces.grid,
    )
    figures = figures_of(traces, boxes, utc_offset_h=3)
    assert figures["samples_deleted_share"] == 0.2
    assert (figures["people_discarded"], figures["boxes"]) == (0, 3)
    assert figures["per_sample"]["span_sum_m"]["mean"] == (3 * 400 + 200) / 4
    assert figures["per_box"]["span_sum_m"]["mean"] == pytest.approx((2 * 400 + 200) / 3)
    assert figures["per_box"]["span_s"]["median"] == 360
    assert (figures["per_sample"]["one_cell_share"], figures["per_box"]["one_cell_share"]) == (1 / 4, 1 / 3)
    for part, early in (("per_sample", 3), ("per_box", 2)):
        by_hour = figures[part]["by_hour"]
        # The local clock is three hours ahead: 02:00 UTC is 05:00, 30 hours on it is 09:00 of the next day.
        assert {h: n for h, n in enumerate(by_hour["count"]) if n} == {5: early, 24 + 9: 1}
        assert (by_hour["span_sum_m"][5], by_hour["span_s"][33]) == (400 * early, 60)


def one_piece(median_m, median_s, deleted, by_hour=None, people=29_191):
    spans = {"span_sum_m": {"median": median_m}, "span_s": {"median": median_s}, "by_hour": by_hour}
    spans["one_cell_share"] = 0.1
    figures = {"samples_deleted_share": deleted, "per_sample": spans, "per_box": spans}
    return Piece({}, people, 0, figures)


def verdicts(name, figure, by_tau):
    pieces = {Job(tau, 14): found for tau, found in by_tau.items()}
    return [f.note.split(":")[0] for f in findings_of({name: {figure: list(pieces)}}, {name: pieces}) if f.printed]


def test_verdicts():
    fine, worse = one_piece(2_000, 1_200, 0.03), one_piece(4_000, 3_000, 0.09)
    as_printed = "as printed"
    assert verdicts("abidjan", "fig5", {60: fine}) == [as_printed] * 3
    assert verdicts("abidjan", "fig5", {60: one_piece(500, 1_200, 0)}) == [
        "better than printed",
        as_printed,
        "better than printed",
    ]
    assert verdicts("abidjan", "fig5", {10: fine, 240: worse}) == ["not met"] * 4 + [as_printed]
    # In civ the printed span in space shrinks as tau grows, in sen it stays.
    shrinks = {10: one_piece(3_000, 600, 0.03), 240: one_piece(1_500, 1_200, 0.03)}
    assert verdicts("civ", "fig6", shrinks)[3:] == [as_printed, as_printed]
    assert verdicts("sen", "fig6", shrinks)[3:] == ["not met", as_printed]
    assert verdicts("civ", "fig6", {10: fine, 240: fine})[3:] == ["not met", "not met"]


def test_day_and_night():
    def week(day, night):
        hours = [day if 8 <= hour % 24 < 20 else night for hour in range(WEEK_HOURS)]
        return {"count": [1 if h else 0 for h in hours], "span_sum_m": hours, "span_s": [60] * WEEK_HOURS}

    finer = one_piece(1, 1, 0, week(1_000, 4_000))
    assert _day_over_night(finer, "per_box", "span_sum_m") == 0.25
    assert verdicts("abidjan", "fig7", {30: finer}) == ["as printed", "as printed"]
    assert verdicts("abidjan", "fig7", {30: one_piece(1, 1, 0, week(4_000, 1_000))}) == ["not met", "as printed"]
    nothing = one_piece(1, 1, 0, week(1_000, 0))
    assert math.isnan(_day_over_night(nothing, "per_box", "span_sum_m"))
    assert verdicts("abidjan", "fig7", {30: nothing}) == ["not met", "not met"]


def command(folder, *arguments):
    return subprocess.run(
        [Path(sysconfig.get_path("scripts")) / "shoal", "reproduce", "kte", *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        text=True,
        capture_output=True,
        timeout=300,
        check=False,
    )


def test_command(tmp_path):
    few = ("--users", "60", "--presets", "shanghai", "--tau", "30,60", "--variant", "repaired", "--out", "out")
    done = command(tmp_path, *few)
    assert done.returncode == 0, done.stderr
    assert "median in time, tau = 30–60 min" in done.stdout
    assert "below 45 min" in done.stdout, "printed"
    assert {path.name for path in (tmp_path / "out" / "shanghai").iterdir()} == {
        *(f"tau{tau}-days1-repaired.json" for tau in (30, 60)),
        *(f"fig5-{axis}.{ending}" for axis in ("space", "time") for ending in ("svg", "csv")),
    }


def test_wrong_names_are_refused(tmp_path):
    for arguments, hint in (
        (("--tau", "45"), "120"),
        (("--variant", "printed"), "repaired"),
        (("--presets", "civ", "--only", "fig5", "--out", "out"), "civ and sen"),
    ):
        done = command(tmp_path, *arguments)
        assert done.returncode == 1
        assert hint in done.stderr
    assert not list(tmp_path.rglob("*.*"))
