"""Results show themselves in a notebook: well-formed, escaped, without a name, a colour or an extreme."""

import re
from xml.etree import ElementTree

import polars as pl
import pytest

import shoal
from shoal import synth
from shoal.choosing.compare import compare
from shoal.choosing.people import Source
from shoal.shown import table


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One of each, of synthetic people."""
    folder = tmp_path_factory.mktemp("results")
    events = pl.DataFrame(synth.cdr(60, 2, preset="abidjan", seed=3))
    events = events.with_columns(uid=pl.format("person-{}", pl.col("uid")))
    written = shoal.protect(events, shoal.Uniform(cell_m=2000, minutes=120), folder / "release", not_for_release=True)
    noisy = shoal.protect(events, shoal.GeoInd(epsilon=0.01), folder / "noisy", not_for_release=True)
    return {
        "release": shoal.Uniform(cell_m=2000, minutes=120).protect(events),
        "released": shoal.open_release(written.path),
        "gap": shoal.measure(events, k=(2, 5)),
        "overview": shoal.overview(events),
        "verdict": shoal.audit(written.path, original=events, secret=written.secret),
        "accuracy": shoal.utility(written.path, original=events, secret=written.secret),
        "accuracy of points": shoal.utility(noisy.path, original=events, secret=noisy.secret),
        "comparison": compare(Source(events), folder / "compared", mechanisms=["uniform"], people=50),
    }


def test_all_of_them_are_well_formed_and_short(results):
    for name, result in results.items():
        text = result._repr_html_()
        ElementTree.fromstring(f"<div>{text}</div>")
        assert "<table>" in text, name
        assert len(text) < 30_000, name


def test_what_can_be_drawn_is_drawn(results):
    pytest.importorskip("vl_convert")
    for name in ("gap", "accuracy", "comparison"):
        text = results[name]._repr_html_()
        assert "<svg" in text, name
        assert results[name].chart.title in text, name


def test_no_person_is_named_and_no_colour_is_set(results):
    tokens = set(results["release"].data["uid"].to_pylist()) | set(results["released"].rows["uid"])
    for name, result in results.items():
        text = result._repr_html_()
        assert "person-" not in text, name
        assert not re.search(r"color|background", text), name
        assert not any(token in text for token in tokens), name


def test_no_extreme_is_shown(results):
    lowest, *_, highest = results["gap"].summary["kgap"]["2"]
    shown = results["gap"]._repr_html_()
    assert shoal.shown.number(highest) not in shown
    assert highest != lowest


def test_they_say_what_matters(results):
    html = {name: result._repr_html_() for name, result in results.items()}
    assert "Nothing is promised" in html["release"]
    assert "not for release" in html["released"]
    assert "a failed attack proves nothing" in html["verdict"]
    assert html["verdict"].count("<tr>") < len(results["verdict"].checks), (
        "checks of other kinds of release are left out"
    )
    assert "larger side of the box, km" in html["accuracy"]
    assert "distance from the person&#x27;s way, m" in html["accuracy of points"]
    assert "samples per person" in html["overview"]
    assert repr(results["overview"]).startswith("Overview(60 people, ")
    assert html["accuracy"].index("25 %") < html["accuracy"].index("median") < html["accuracy"].index("75 %")
    assert "How it is spread" in html["accuracy of points"]
    assert "50 of 60 people" in html["comparison"]


def test_everything_is_escaped():
    assert "<b>" not in table("<b>", [("<b>", 1.0)], ("<b>", "&"))
