"""Pages of every kind, made once, and a browser to open them in."""

import shutil
from pathlib import Path

import pytest

import shoal
from shoal import synth
from shoal.auditor.selftest.sound_cells import sound_cells
from shoal.auditor.selftest.sound_smoothing import sound_smoothing
from shoal.cli.report import comparison_document, measure_document
from shoal.measurement.directory import write
from shoal.report.census import census_page
from shoal.report.release import private_page, public_page
from shoal.report.results import Results
from shoal.report.write import page_bytes
from shoal.usefulness.words import useful_for

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "build" / "pages"
ARGUMENTS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run", "--disable-default-apps"),
)

COMPARED = """\
mechanism,parameters,claim,refused,seconds,audit_failed,attack_points,attack_whole_trace,near_share,samples_deleted_share
first,--k 2,k-anonymity,,1.2,,0.0,0.0,0.15,0.05
first,--k 5,k-anonymity,,1.4,,0.0,0.0,0.08,0.05
second,--cell-m 5000,nothing,,0.2,,0.4,0.9,0.35,0.0
third,--epsilon 0.01,geo-indistinguishability,,0.3,,0.8,1.0,0.7,0.0
fourth,,,too few people; add some,,,,,,
"""


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """A page of each kind of results, by name."""
    pytest.importorskip("vl_convert", reason="no vl_convert")
    folder = tmp_path_factory.mktemp("pages")
    made = {"measure": _measured(folder), "comparison": _compared(folder), **_released(folder)}
    for name, sound in (("points", sound_smoothing), ("profiles", sound_cells)):
        written = sound(seed=1).write(folder / name)
        if name == "profiles":
            census = shoal.sociometer(written.release, original=written.original, secret=written.secret)
            census.keep(written.secret)
            made["census"] = census_page(census.told())
        made[name] = private_page(_looked_at(written.release, written.secret, written.original))
    paths = {"dossier": folder / "dossier.html"}
    dossier = shoal.dossier(folder / "release", recipient="public", secret=folder / "release.secret")
    paths["dossier"].write_text(dossier.to_html(), encoding="utf-8")
    for name, document in made.items():
        paths[name] = folder / f"{name}.html"
        paths[name].write_bytes(page_bytes(document))
    SHOTS.mkdir(parents=True, exist_ok=True)
    return paths


def _looked_at(release, secret, original):
    shoal.audit(release, original=original, secret=secret)
    shoal.utility(release, original=original, secret=secret).keep(secret)
    return Results.of(release, secret)


def _events():
    return shoal.read(synth.cdr(120, 3, preset="civ", seed=1))


def _released(folder):
    events = _events()
    release = shoal.Glove(k=2, suppress_share=0.05).protect(events).write(folder / "release", record=False)
    results = _looked_at(release, f"{release}.secret", events)
    assert results.audit["ok"]
    useful = useful_for(results.utility["figures"])
    return {"release": private_page(results, useful), "published": public_page(results)}


def _measured(folder):
    write(shoal.measure(_events(), k=(2, 5), levels=True), folder / "measured")
    return measure_document(folder / "measured")


def _compared(folder):
    told = '{"people": 100, "sample": 50, "need": {"metres": 500, "seconds": 1800}}'
    (folder / "compare.csv").write_text(COMPARED)
    (folder / "compare.json").write_text(told)
    return comparison_document(folder)
