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

import shoal
from shoal import synth
from shoal.engines.spark import Spark
from spark_cluster import Cluster

pytestmark = [pytest.mark.accept, pytest.mark.skipif(not shutil.which("java"), reason="no Java")]

SHARE = float(os.environ.get("SHOAL_ACCEPT_SHARE", "1"))
OLDEST = "3.5.9"
WORKER_GB = 2
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"), memory_mb=2048)
    yield made
    made.stop()


def size(full):
    return int(full * SHARE)


@pytest.fixture
def on_cluster(cluster, shoal_run):
    """Run a command there; say what it took on the driver and in the tasks."""

    def run(what, command):
        with cluster.watched() as seen:
            done = shoal_run(f"{command} --engine spark --master {cluster.url}")
        print(
            f"{what}: {done.seconds:.0f} s; CPU s: driver {seen.driver_cpu_s:.0f}, cluster {seen.cluster_cpu_s:.0f}; "
            f"GB: driver {done.gigabytes:.1f}, a task's Python {seen.python_gb:.1f}, executor's Java {seen.java_gb:.1f}"
        )
        assert seen.python_gb + seen.java_gb < WORKER_GB
        return done

    return run


def test_a_hundred_thousand_people_in_neighbourhoods(on_cluster, shoal_run, tmp_path):
    data, release = tmp_path / "civ.parquet", tmp_path / "release"
    people = size(100_000)
    shoal_run(f"synth cdr --preset civ --users {people} --days 14 --out {data}")
    on_cluster(f"inspect, {people:,} people", f"inspect {data} --json")
    on_cluster(f"glove, {people:,} people", f"protect glove {data} --k 2 --partition {size(5_000)} --out {release}")
    audit = f"audit {release} --original {data} --secret {release}.secret --json"
    here, there = shoal_run(audit), on_cluster(f"audit, {people:,} people", audit)
    print(f"audit here: {here.seconds:.0f} s, {here.cpu_seconds:.0f} CPU s, {here.gigabytes:.1f} GB")
    assert json.loads(here.out)["ok"]
    assert json.loads(there.out)["ok"]


def test_half_a_million_profiles_are_those_of_this_machine(on_cluster, shoal_run, tmp_path):
    people, calls = size(500_000), tmp_path / "calls"
    shoal_run(f"synth calls --users {people} --weeks 4 --out {calls} --seed 1")
    cells = f"--cells {calls / 'cells.parquet'} --tz Europe/Rome"
    shoal_run(f"profiles build {calls / 'events.parquet'} {cells} --out {tmp_path / 'profiles.parquet'}")
    command = f"protect primule {tmp_path / 'profiles.parquet'} --k 20 --not-for-release --seed 1"
    run = shoal_run(f"{command} --out {tmp_path / 'here'}")
    print(f"primule here: {run.seconds:.0f} s, {run.cpu_seconds:.0f} CPU s, {run.gigabytes:.1f} GB")
    on_cluster(f"primule, {people:,} people", f"{command} --out {tmp_path / 'there'}")
    here, there = ((tmp_path / name / "data.parquet").read_bytes() for name in ("here", "there"))
    assert here == there


def test_the_same_bytes_for_all_mechanisms(cluster, real_data, tmp_path):
    """Gowalla, calls and civ, with a key that is known: whatever is deterministic then."""
    people, paths = size(5_000), {"gowalla": real_data("gowalla_nyc.parquet")}
    calls = synth.calls(people, 2, seed=1)
    made = {"civ": synth.cdr(people, 14, preset="civ", seed=1), "two days": synth.cdr(people, 2, preset="civ", seed=1)}
    for name, table in {**made, "calls": calls.events, "cells": calls.cells}.items():
        paths[name] = tmp_path / f"{name}.parquet"
        pq.write_table(table, paths[name])
    there = shoal.ReadOptions(cells=paths["cells"], tz="Europe/Rome")
    paths["profiles"] = tmp_path / "profiles.parquet"
    pq.write_table(shoal.build_profiles(paths["calls"], options=there)[0].to_arrow(), paths["profiles"])
    points = (shoal.Uniform(cell_m=1000, minutes=60), shoal.GeoInd(epsilon="ln(4)/200"), shoal.Promesse(alpha_m=200))
    glove, kte = shoal.Glove(k=2, partition=max(8, people // 4)), shoal.Kte(k=2, partition=max(8, people // 4))
    plan = [(one, name) for name in ("civ", "gowalla") for one in (*points, glove)]
    plan += [(kte, "two days"), (points[0], "calls"), (points[1], "calls")]
    plan += [(shoal.Primule(k=5), "profiles"), (shoal.LaplaceProfiles(epsilon=1), "profiles")]
    with Spark(master=cluster.url) as spark:
        for mechanism, name in plan:
            how = {"seed": 1, "not_for_release": True, "options": there if name == "calls" else None}
            folders = tmp_path / f"{mechanism.name} {name} here", tmp_path / f"{mechanism.name} {name} there"
            for folder, engine in zip(folders, (None, spark), strict=True):
                shoal.protect(paths[name], mechanism, folder, engine=engine, **how)
            one, other = ((folder / "data.parquet").read_bytes() for folder in folders)
            assert one == other, (mechanism.name, name)
            print(f"{mechanism.name}, {name}: the same {len(one):,} bytes")


def test_one_person_with_a_million_samples(on_cluster, shoal_run, tmp_path):
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
    command = f"protect geoind {tmp_path / 'one.parquet'} --epsilon 0.01 --not-for-release --seed 1"
    shoal_run(f"{command} --out {tmp_path / 'here'}")
    on_cluster(f"geoind, one person with {many:,} samples", f"{command} --out {tmp_path / 'there'}")
    assert pq.read_table(tmp_path / "here" / "data.parquet").equals(pq.read_table(tmp_path / "there" / "data.parquet"))


def test_one_large_neighbourhood(on_cluster, shoal_run, tmp_path):
    people, data = size(20_000), tmp_path / "civ.parquet"
    shoal_run(f"synth cdr --preset civ --users {people} --days 14 --out {data}")
    command = f"protect glove {data} --k 2 --partition {people} --out {tmp_path / 'release'}"
    on_cluster(f"glove, a neighbourhood of {people:,} people", command)


def test_one_large_municipality(on_cluster, tmp_path):
    import numpy as np
    import polars as pl

    from shoal.contract.kinds import cell_names

    profiles, rng = size(350_000), np.random.default_rng(1)
    values = {name: rng.binomial(5, 0.3, profiles) / 5 for name in cell_names(4)}
    names = {"uid": [f"p{number}" for number in range(profiles)], "municipality": ["one"] * profiles}
    pl.DataFrame(names | values).write_parquet(tmp_path / "profiles.parquet")
    command = f"protect primule {tmp_path / 'profiles.parquet'} --k 20 --out {tmp_path / 'release'}"
    on_cluster(f"primule, a municipality of {profiles:,} profiles", command)


def test_the_oldest_spark(tmp_path):
    """All tests of the engine, with the oldest version, in an environment of its own."""
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    constraints = tmp_path / "constraints.txt"
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    constraints.write_text("\n".join(line for line in pinned if not line.startswith("pyspark")))
    pip = [python, "-m", "pip", "install", "-q", "-c", constraints]
    subprocess.run([*pip, "--upgrade", "pip"], check=True)  # one that knows groups of dependencies
    subprocess.run([*pip, "--group", "dev", "-e", ROOT, f"pyspark=={OLDEST}"], check=True, cwd=ROOT)
    tests = [python, "-m", "pytest", "-q", "-n", "0", "tests/engines/test_spark.py"]
    subprocess.run(tests, check=True, cwd=ROOT)
