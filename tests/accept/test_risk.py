"""Full size: how unique people are, raw and hidden. Run by ``make accept``."""

import json

import pytest

pytestmark = pytest.mark.accept


def test_a_few_points_single_out_raw_people_and_nobody_in_a_glove_release(shoal_run, tmp_path):
    data, release = tmp_path / "civ.parquet", tmp_path / "release"
    shoal_run(f"synth cdr --preset civ --users 20000 --days 14 --out {data}")
    raw = json.loads(shoal_run(f"risk {data} --attack unicity --size 5 --minutes 60 --json").out)
    curve = [row["unique"]["share"] for row in raw["unicity"]]
    print("raw civ, antenna and hour, alone with 1 … 5 points:", ", ".join(f"{share:.1%}" for share in curve))
    assert curve == sorted(curve)
    assert curve[-1] > 0.5
    for k in (2, 5):
        out = release.with_name(f"release-{k}")
        shoal_run(f"protect glove {data} --k {k} --again --out {out}")
        for size in (1, 5, 10):
            found = json.loads(shoal_run(f"risk {out} --attack unicity --size {size} --json").out)
            print(f"GLOVE, k = {k}, {size} points: largest risk {found['deciles'][-1]:.3f}")
            assert found["deciles"][-1] <= 1 / k + 1e-9
