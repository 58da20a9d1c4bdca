"""Full size: nations on a cluster of this machine, the same as here; and Spark 3.5. Run by ``make accept``.

``SHOAL_ACCEPT_SHARE=0.1`` runs a tenth of the size.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from spark_cluster import Cluster

pytestmark = [pytest.mark.accept, pytest.mark.skipif(not shutil.which("java"), reason="no Java")]

SHARE = float(os.environ.get("SHOAL_ACCEPT_SHARE", "1"))
OLDEST = "3.5.9"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"), memory_mb=2048)
    yield made
    made.stop()


def size(full):
    return int(full * SHARE)


def test_a_hundred_thousand_people_in_neighbourhoods(cluster, shoal_run, tmp_path):
    data, release = tmp_path / "civ.parquet", tmp_path / "release"
    shoal_run(f"synth cdr --preset civ --users {size(100_000)} --days 14 --out {data}")
    engine = f"--engine spark --master {cluster.url}"
    run = shoal_run(f"protect glove {data} --k 2 --partition {size(5_000)} {engine} --out {release}")
    print(f"{size(100_000):,} people on the cluster: {run.seconds:.0f} s, {run.gigabytes:.1f} GB on the driver")
    verdict = json.loads(shoal_run(f"audit {release} --original {data} --secret {release}.secret --json").out)
    assert verdict["ok"]


def test_half_a_million_profiles_are_those_of_this_machine(cluster, shoal_run, tmp_path):
    shoal_run(f"synth calls --users {size(500_000)} --weeks 4 --out {tmp_path / 'calls'} --seed 1")
    calls = tmp_path / "calls"
    cells = f"--cells {calls / 'cells.parquet'} --tz Europe/Rome"
    shoal_run(f"profiles build {calls / 'events.parquet'} {cells} --out {tmp_path / 'profiles.parquet'}")
    seconds = {}
    for name, engine in (("here", ""), ("there", f"--engine spark --master {cluster.url}")):
        command = f"protect primule {tmp_path / 'profiles.parquet'} --k 20 --not-for-release --seed 1"
        seconds[name] = shoal_run(f"{command} {engine} --out {tmp_path / name}").seconds
    print(f"{size(500_000):,} people: {seconds['here']:.0f} s here, {seconds['there']:.0f} s on the cluster")
    here, there = ((tmp_path / name / "data.parquet").read_bytes() for name in ("here", "there"))
    assert here == there


def test_one_person_with_a_million_samples(cluster, shoal_run, tmp_path):
    import numpy as np
    import polars as pl

    many = size(1_000_000)
    start = pl.datetime(2024, 1, 1, time_zone="UTC", time_unit="us")
    pl.select(
        uid=pl.lit("one"),
        datetime=start + pl.duration(seconds=pl.int_range(many)),
        lat=pl.Series(np.linspace(45, 46, many)),
        lng=pl.Series(np.linspace(5, 6, many)),
    ).write_parquet(tmp_path / "one.parquet")
    for name, engine in (("here", ""), ("there", f"--engine spark --master {cluster.url}")):
        command = f"protect geoind {tmp_path / 'one.parquet'} --epsilon 0.01 --not-for-release --seed 1"
        shoal_run(f"{command} {engine} --out {tmp_path / name}")
    assert pq.read_table(tmp_path / "here" / "data.parquet").equals(pq.read_table(tmp_path / "there" / "data.parquet"))


def test_the_oldest_spark(tmp_path):
    """All tests of the engine, with the oldest version, in an environment of its own."""
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    constraints = tmp_path / "constraints.txt"
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    constraints.write_text("\n".join(line for line in pinned if not line.startswith("pyspark")))
    pip = [python, "-m", "pip", "install", "-q", "-c", constraints]
    subprocess.run([*pip, "--group", "dev", "-e", ROOT, f"pyspark=={OLDEST}"], check=True, cwd=ROOT)
    tests = [python, "-m", "pytest", "-q", "-n", "0", "tests/engines/test_spark.py"]
    subprocess.run(tests, check=True, cwd=ROOT)
