"""``shoal reproduce primule``: all figures on few people, taken up again, and the region they live in."""

import csv
import json

import numpy as np
import pytest

from shoal.reproduce.primule import tuscany
from shoal.reproduce.primule.plan import jobs
from shoal.reproduce.primule.run import reproduce

FIGURES = ("fig4a", "fig4b", "fig5a", "fig5b", "fig9-1")


def silent(phase, done, total):
    pass


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("primule")
    reproduce(folder, users=1_500, progress=silent)
    return folder


@pytest.mark.slow
def test_every_figure_has_its_files(out):
    for name in FIGURES:
        assert (out / f"{name}.svg").read_text().startswith("<svg")
        assert (out / f"{name}.csv").is_file()
    with (out / "fig6-7.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["mechanism"] for row in rows} >= {job.words for job in jobs()}
    assert "| Fig. 5a | similarity above 0.95, k = 10 | about 70% |" in (out / "README.md").read_text()


@pytest.mark.slow
def test_figures_agree_with_each_other(out):
    pieces = {job.words: json.loads((out / f"{job.name}.json").read_text())["figures"] for job in jobs()}
    above = [pieces[f"k = {k}"]["above"]["0.95"] for k in (10, 20, 50, 100)]
    assert above == sorted(above, reverse=True)
    losses = [pieces[f"ε = {epsilon}"]["information_loss"] for epsilon in (1, 2, 3, 10)]
    assert losses == sorted(losses, reverse=True)
    for figures in pieces.values():
        matrix = figures["against_original"]["matrix"]
        assert sum(sum(row.values()) for row in matrix.values()) == figures["profiles"]
        assert sum(map(sum, figures["counts"])) == figures["profiles"]


@pytest.mark.slow
def test_what_is_finished_is_not_run_again(out, monkeypatch):
    before = (out / "findings.csv").read_bytes()
    monkeypatch.setattr("shoal.reproduce.primule.run.make_piece", None)
    reproduce(out, users=1_500, progress=silent)
    assert (out / "findings.csv").read_bytes() == before


def test_without_polygons_or_population_the_region_is_invented(tmp_path, monkeypatch):
    monkeypatch.setattr(tuscany, "_population", lambda: {1: 5})
    assert tuscany.largest_municipalities(3, tmp_path / "none.geojson") is None
    monkeypatch.setattr(tuscany, "_population", lambda: None)
    assert tuscany.largest_municipalities(3) is None


def test_the_largest_municipalities_with_their_middle(tmp_path, monkeypatch):
    def square(x, y, side):
        return [[[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]]

    shapes = {
        1: {"type": "Polygon", "coordinates": square(11.0, 43.0, 0.2)},
        2: {"type": "MultiPolygon", "coordinates": [square(10.0, 42.0, 0.01), square(10.2, 43.4, 0.4)]},
        3: {"type": "Polygon", "coordinates": square(11.5, 43.5, 0.1)},
    }
    features = [
        {"properties": {"name": f"town {code}", "com_istat_code_num": code}, "geometry": shape}
        for code, shape in shapes.items()
    ]
    path = tmp_path / "t.geojson"
    path.write_text(json.dumps({"features": features}))
    monkeypatch.setattr(tuscany, "_population", lambda: {1: 500, 2: 900})
    found = tuscany.largest_municipalities(2, path)
    assert found["municipality"].to_pylist() == ["town 2", "town 1"]
    assert np.allclose(found["lat"].to_numpy(), [43.6, 43.1])
    assert np.allclose(found["lng"].to_numpy(), [10.4, 11.1])
