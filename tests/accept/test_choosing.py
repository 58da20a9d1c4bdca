"""Full size: which mechanism for which data, through the command line. Run by ``make accept``."""

import csv
import json
import shlex
from collections import Counter

import pytest

pytestmark = pytest.mark.accept

GOWALLA = "gowalla_nyc.parquet"


def assert_within(run, minutes):
    """On processors that others use too it takes longer; with nothing else to do no longer than its CPU time."""
    assert min(run.seconds, run.cpu_seconds) <= 60 * minutes


def told(name, run):
    print(f"{name}: {run.seconds:.0f} s, {run.cpu_seconds:.0f} CPU s, {run.gigabytes:.1f} GB\n{run.out}")


def test_a_comparison_of_check_ins_is_one_table_in_a_quarter_of_an_hour(shoal_run, real_data, tmp_path):
    out = tmp_path / "compared"
    run = shoal_run(f"compare {real_data(GOWALLA)} --mechanisms glove,kte,uniform,geoind,promesse --out {out}")
    told("compare, Gowalla", run)
    rows = list(csv.DictReader((out / "compare.csv").open()))
    tried = [row["mechanism"] for row in rows]
    assert Counter(tried) == Counter(glove=2, kte=2, uniform=3, geoind=2, promesse=2)
    assert not any(row["audit_failed"] for row in rows)
    assert max(map(len, run.out.splitlines())) <= 80
    assert_within(run, minutes=15)


def test_check_ins_are_not_for_crowds(shoal_run, real_data):
    run = shoal_run(f"choose {real_data(GOWALLA)} --need '500 m, 30 min'")
    told("choose, Gowalla", run)
    text = " ".join(run.out.split())
    assert "Not for such data: glove" in text
    assert "shoal protect geoind" in text or "shoal protect uniform" in text


def test_calls_get_what_was_foretold(shoal_run, tmp_path):
    data, release = tmp_path / "civ.parquet", tmp_path / "release"
    shoal_run(f"synth cdr --preset civ --users 5000 --days 14 --seed 1 --out {data}")
    run = shoal_run(f"choose {data} --need '2 km, 2 h' --json")
    found = json.loads(run.out)
    chosen = found["candidates"][found["chosen"]]
    told("choose, 5,000 of civ", run)
    assert (chosen["mechanism"], chosen["parameters"]) == ("glove", {"k": 2})

    command = shlex.split(found["command"])
    assert command[:2] == ["shoal", "protect"]
    assert command[-2:] == ["--out", "release"]
    shoal_run(shlex.join([*command[1:-1], str(release)]))
    kept = json.loads(shoal_run(f"utility {release} --original {data} --json").out)["within"]["2 km, 2 h"]
    print(f"foretold {chosen['foretold']['share']:.1%}, kept {kept:.1%}")
    assert kept == pytest.approx(chosen["foretold"]["share"], rel=0.2)


def test_nine_million_records_are_measured_in_five_minutes(shoal_run, real_data, tmp_path):
    data, release = real_data("cabspotting.parquet"), tmp_path / "release"
    shoal_run(f"protect geoind {data} --epsilon 0.01 --out {release} --quiet")
    run = shoal_run(f"utility {release} --original {data}")
    told("utility, Cabspotting", run)
    assert_within(run, minutes=5)
