"""Full size: the generator, reading real data, the way out. Run by ``make accept``."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.accept

SHOAL = Path(sys.executable).with_name("shoal")
DATA = Path(__file__).parents[3] / "shared" / "data"


def run(*arguments: str, state: Path) -> tuple[str, float, float]:
    """Run the command; return its output, its seconds and the peak memory of the largest child so far in GB."""
    start = time.perf_counter()
    environment = os.environ | {"XDG_STATE_HOME": str(state)}
    done = subprocess.run([SHOAL, *arguments], check=True, capture_output=True, text=True, env=environment)
    return done.stdout, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


def _words(command: str) -> list[str]:
    return command.split()


def test_civ_has_the_printed_statistics(tmp_path: Path) -> None:
    out, _, _ = run(
        *["synth", "cdr", "--preset", "civ", "--users", "20000", "--days", "14", "--check", "--json"], state=tmp_path
    )
    statistics = json.loads(out)
    for s in statistics:
        print(f"{s['name']:<40} target {s['target']} measured {s['measured']:.4g} {s['note']}")
    assert [s["name"] for s in statistics if s["within"] is False] == []
    assert all(s["note"] for s in statistics if s["within"] is None)


def test_a_nation_in_three_minutes_and_four_gigabytes(tmp_path: Path) -> None:
    target = tmp_path / "civ.parquet"
    command = f"synth cdr --preset civ --users 82000 --days 14 --out {target}"
    _, seconds, gigabytes = run(*_words(command), state=tmp_path)
    print(f"82,000 users: {seconds:.0f} s, {gigabytes:.1f} GB")
    assert seconds < 180
    assert gigabytes < 4


@pytest.mark.parametrize(
    ("name", "people", "records"), [("cabspotting", 537, 11_220_058), ("gowalla_nyc", 7_115, 138_957)]
)
def test_inspect_counts_real_data_right(name: str, people: int, records: int, tmp_path: Path) -> None:
    path = DATA / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"no {path.name}")
    out, _, _ = run("inspect", str(path), "--json", state=tmp_path)
    assert (json.loads(out)["people"], json.loads(out)["records"]) == (people, records)
