"""The whole reproduction of GLOVE on few people: what is written, and that finished work is not done again."""

import csv
import json

import numpy as np
import pytest

from reproduce import crowd
from shoal.errors import DataError, ParameterError
from shoal.reproduce.glove import piece
from shoal.reproduce.glove.judge import Goal, note_on, usual_reason
from shoal.reproduce.glove.plan import DAYS, FIGURES, PERCENTS, Job, jobs, suppressions
from shoal.reproduce.glove.run import reproduce


def silent(phase, done, total):
    pass


@pytest.fixture
def groupings(monkeypatch):
    """Count what is grouped, and let a test interrupt."""
    done, real = [], piece.group_people

    def counted(traces, k, limit, progress, *, workers):
        done.append((len(traces), k))
        if len(done) == counted.stop_at:
            raise KeyboardInterrupt
        return real(traces, k, limit, progress, workers=workers)

    counted.stop_at = None
    monkeypatch.setattr(piece, "group_people", counted)
    return done, counted


def test_all_figures_of_own_data(tmp_path, groupings):
    findings = reproduce(tmp_path, data=crowd.people(), progress=silent)
    done, _ = groupings
    # k = 2, 3, 5; days 1, 2, 3 of four; five parts of the people.
    assert len(done) == 3 + 3 + 5
    for figure in ("fig7", "fig8", "fig9", "fig10", "fig11"):
        for axis in ("space", "time"):
            assert (tmp_path / "data" / f"{figure}-{axis}.svg").read_text().startswith("<svg")
            with (tmp_path / "data" / f"{figure}-{axis}.csv").open() as file:
                assert len(list(csv.reader(file))) > 4
    page = (tmp_path / "README.md").read_text()
    assert all(f.what in page and f.measured.get("kmerge", f.measured.get("w4m")) in page for f in findings)
    other = [f for f in findings if "w4m" in f.measured]
    assert [f.where for f in other] == [f"Table 2, W4M-LC, k = {k}, data" for k in (2, 5) for _ in range(5)]
    assert {f.where.split(",")[0] for f in findings} == {"Fig. 7", "Fig. 8", "Fig. 9", "Fig. 10", "Fig. 11", "Table 2"}
    with (tmp_path / "table2.csv").open() as file:
        table = list(csv.DictReader(file))
    assert [(row["k"], row["way"]) for row in table] == [
        (k, way) for k in "25" for way in ("paper", "split", "hull", "kmerge", "kmerge")
    ]
    assert all(row["samples_created"] == "0" for row in table if row["way"] != "split")
    with (tmp_path / "figures.csv").open() as file:
        numbers = {
            (r["part"], r["way"], r["suppressed"], r["counted"], r["figure"]): r["value"] for r in csv.DictReader(file)
        }
    mean = float(numbers["k2", "hull", "15 km, 6 h", "per_sample", "span_max_m.mean"])
    (row,) = (r for r in table if r["k"] == "2" and r["way"] == "hull")
    assert float(row["mean_span_per_sample_m"]) == round(mean)


def test_finished_groupings_are_not_made_again(tmp_path, groupings):
    done, counted = groupings
    chosen = {"figures": ("fig7", "fig8"), "presets": ("civ",), "users": 60, "progress": silent}
    counted.stop_at = 3
    with pytest.raises(KeyboardInterrupt):
        reproduce(tmp_path, **chosen)
    assert {path.name for path in (tmp_path / "civ").glob("*.json")} == {"k2.json", "k3.json"}
    counted.stop_at = None
    done.clear()
    first = reproduce(tmp_path, **chosen)
    assert done == [(60, 5)]
    done.clear()
    assert reproduce(tmp_path, **chosen) == first
    assert done == []


def test_other_people_or_a_damaged_file_are_made_again(tmp_path, groupings):
    done, _ = groupings
    chosen = {"figures": ("fig7",), "presets": ("civ",), "users": 60, "progress": silent}
    first = reproduce(tmp_path, **chosen)
    kept = tmp_path / "civ" / "k2.json"
    whole = kept.read_text()
    for broken in (whole[:100], "{}", json.dumps(json.loads(whole) | {"figures": {}})):
        kept.write_text(broken)
        done.clear()
        assert reproduce(tmp_path, **chosen) == first
        assert done == [(60, 2)]
        assert kept.read_text() == whole
    done.clear()
    assert reproduce(tmp_path, **chosen, seed=1) != first
    assert reproduce(tmp_path, **(chosen | {"users": 70}), seed=1) != first
    assert done == [(60, 2), (70, 2)]


def test_each_grouping_is_planned_once():
    plan = jobs(FIGURES, "civ", 14)
    assert len(plan) == len(set(plan)) == 3 + (len(DAYS) - 1) + (len(PERCENTS) - 1)
    assert jobs(FIGURES, "dakar", 14) == [Job(2), Job(5)]
    assert jobs(("fig9",), "sen", 14) == []
    assert jobs(FIGURES, "dakar", 14, [2]) == [Job(2)]
    asked = suppressions("civ", Job(2))
    assert len(asked) == len(set(asked))


def test_one_k_alone(tmp_path, groupings):
    chosen = {"presets": ("civ", "dakar"), "users": 60, "progress": silent}
    findings = reproduce(tmp_path, sizes=[5], **chosen)
    assert groupings[0] == [(60, 5), (60, 5)]
    assert {f.where.split(" suppressed")[0][:15] for f in findings} == {
        "Fig. 8, k = 5, ",
        "Table 2, k = 5,",
        "Table 2, W4M-LC",
    }
    assert (tmp_path / "civ" / "fig8-time.svg").exists()
    with pytest.raises(ParameterError):
        reproduce(tmp_path, figures=("fig7",), sizes=[5], **chosen)


def test_verdicts():
    share = Goal(0.2, 0.4, more_is_better=True)
    assert note_on(share, {"paper": (0, 0.3), "split": (0, 0.1)}, "x") == "as printed: paper"
    assert note_on(share, {"paper": (0, 0.5), "split": (0, 0.6)}, "x") == "better than printed"
    assert note_on(share, {"paper": (0.3, 0.1), "kmerge": (0.3, 0.3)}, "of this") == "not met: of this"
    assert note_on(Goal(900, 1100, more_is_better=False), {"kmerge": (0, 700)}, "x") == "better than printed"
    assert note_on(Goal.none(), {"paper": (1, 1)}, "x") == ""
    assert usual_reason("civ", 100).startswith("100 people in place of 82,728")
    assert usual_reason("civ", 82_728) == "synthetic people"
    assert usual_reason("data", 100) == "other people than the paper's"


def test_errors_of_what_is_left_are_not_praised_where_most_is_gone(tmp_path):
    chosen = {"figures": ("table2",), "presets": ("civ",), "users": 60, "progress": silent}
    found = reproduce(tmp_path, **chosen)
    errors = [f for f in found if "error, read as" in f.what and "leaving out" not in f.where]
    assert len(errors) == 8
    assert all(f.note.startswith("not comparable: ") for f in errors)


def test_too_few_people_are_refused(tmp_path):
    few = crowd.people().select(np.arange(39))
    with pytest.raises(DataError, match="few people"):
        reproduce(tmp_path, data=few, progress=silent)
