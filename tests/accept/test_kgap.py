"""Full size: how hard a nation is to hide. Run by ``make accept``."""

import json

import numpy as np
import pytest

import naive
import shoal

pytestmark = pytest.mark.accept


def test_the_two_gap_of_a_nation(shoal_run, tmp_path):
    events = tmp_path / "civ.parquet"
    shoal_run(f"synth cdr --preset civ --users 82728 --days 14 --out {events}")
    run = shoal_run(f"measure {events} --k 2 --out {tmp_path}/measured --json")
    median = json.loads(run.out)["kgap"]["2"][5]
    print(f"82,728 users: median 2-gap {median:.4f}, {run.seconds:.0f} s, {run.gigabytes:.1f} GB")
    assert median == pytest.approx(0.09, rel=0.15)
    assert run.seconds < 150
    assert run.gigabytes < 4


def test_gowalla_equals_the_definition(real_data):
    everybody = shoal.read(real_data("gowalla_nyc.parquet"))
    some = everybody.select(np.sort(np.random.default_rng(7).choice(len(everybody), 300, replace=False)))
    people = [
        list(zip(*(column[lo:hi].tolist() for column in (some.t, some.x, some.y)), strict=True))
        for lo, hi in zip(some.offsets[:-1], some.offsets[1:], strict=True)
    ]
    stretch = np.zeros((len(people), len(people)))
    for a in range(len(people)):
        for b in range(a):
            stretch[a, b] = stretch[b, a] = naive.fingerprint_stretch_float(people[a], people[b])
    np.fill_diagonal(stretch, np.inf)
    nearest = np.sort(stretch, axis=1)
    index = {uid: a for a, uid in enumerate(some.people.to_pylist())}
    for row in shoal.measure(some, k=(2, 5, 10)).users.to_pylist():
        assert row["kgap"] == pytest.approx(nearest[index[row["uid"]], : row["k"] - 1].mean(), abs=1e-9)
