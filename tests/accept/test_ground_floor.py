"""Full size: the generator, reading real data. Run by ``make accept``."""

import json

import pytest

pytestmark = pytest.mark.accept


def test_civ_has_the_printed_statistics(shoal_run):
    statistics = json.loads(shoal_run("synth cdr --preset civ --users 20000 --days 14 --check --json").out)
    for s in statistics:
        print(f"{s['name']:<40} target {s['target']} measured {s['measured']:.4g} {s['note']}")
    assert [s["name"] for s in statistics if s["within"] is False] == []
    assert all(s["note"] for s in statistics if s["within"] is None)


def test_a_nation_in_three_minutes_and_four_gigabytes(shoal_run, tmp_path):
    run = shoal_run(f"synth cdr --preset civ --users 82000 --days 14 --out {tmp_path}/civ.parquet")
    print(f"82,000 users: {run.seconds:.0f} s, {run.gigabytes:.1f} GB")
    assert run.seconds < 180
    assert run.gigabytes < 4


@pytest.mark.parametrize(
    ("name", "people", "records"), [("cabspotting", 537, 11_220_058), ("gowalla_nyc", 7_115, 138_957)]
)
def test_inspect_counts_real_data_right(name, people, records, shoal_run, real_data):
    found = json.loads(shoal_run(f"inspect {real_data(name + '.parquet')} --json").out)
    assert (found["people"], found["records"]) == (people, records)
