"""Mechanisms for dense points, through the command line."""

import json

import polars as pl
import pytest

from shoal import synth


@pytest.fixture
def gps(desk):
    pl.from_arrow(synth.gps(4, 2, seed=1).points).write_parquet(desk.home / "gps.parquet")
    return "gps.parquet"


@pytest.mark.parametrize(
    ("typed", "claim"),
    [
        (["promesse", "--alpha-m", "100"], {"name": "speed-smoothing", "alpha_m": 100.0}),
        (
            ["promesse", "--alpha-m", "100", "--endpoint-trim", "fixed", "--interpolation", "chord"],
            {"name": "speed-smoothing", "alpha_m": 100.0},
        ),
        (["geoind", "--epsilon", "ln(4)/200"], {"name": "geo-indistinguishability", "epsilon_per_m": 0.00693147}),
        (
            ["geoind", "--epsilon", "0.01", "--memo-cell-m", "200"],
            {"name": "geo-indistinguishability", "epsilon_per_m": 0.01},
        ),
    ],
    ids=["zones", "paper", "noise", "memo"],
)
def test_from_a_file_to_a_release_that_is_what_it_claims(desk, gps, typed, claim):
    made = desk("protect", typed[0], gps, *typed[1:], "--out", "release")
    assert made.code == 0, made.err
    manifest = json.loads((desk.home / "release" / "manifest.json").read_text())
    assert (manifest["kind"], manifest["promise"]["claim"]) == ("points", claim)
    assert "budget of a person" in made.said or "traces; too short" in made.said
    assert (desk.home / "release.secret" / "parts.parquet").exists() == (typed[0] == "promesse")
    audited = desk("audit", "release", "--original", gps, "--json")
    assert audited.code == 0, audited.out
    assert json.loads(audited.out)["ok"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (["promesse", "--alpha-m", "0"], "--alpha-m 0"),
        (["promesse", "--alpha-m", "200", "--endpoint-trim", "none"], "--endpoint-trim none"),
        (["geoind", "--epsilon", "inf"], "--epsilon inf"),
        (["geoind", "--epsilon", "ln(x)/200"], "--epsilon ln(x)/200"),
        (["geoind", "--epsilon", "0.01", "--memo-cell-m", "0.5"], "--memo-cell-m 0.5"),
    ],
)
def test_what_cannot_be_is_refused_in_the_words_that_were_typed(desk, typed, found):
    desk.write("one.csv", "uid,datetime,lat,lng\na,2020-01-01T00:00:00Z,45,5\n")
    refused = desk("protect", typed[0], "one.csv", *typed[1:], "--out", "release")
    assert refused.code == 1
    assert found in refused.said
    assert "Traceback" not in refused.err
    assert desk.names() == ["one.csv"]


def test_one_point_per_trace_leaves_nothing_to_publish(desk):
    rows = "".join(f"p{i},2020-01-01T00:0{i}:00Z,45.{i},5\n" for i in range(9))
    desk.write("one.csv", "uid,datetime,lat,lng\n" + rows)
    refused = desk("protect", "promesse", "one.csv", "--alpha-m", "100", "--out", "release")
    assert (refused.code, "no trace is long enough" in refused.said) == (1, True)
    assert "smaller --alpha-m" in refused.said
    assert desk.names() == ["one.csv"]
    assert desk("protect", "geoind", "one.csv", "--epsilon", "0.01", "--out", "release").code == 0
