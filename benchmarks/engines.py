"""The local engine beside Spark on a cluster of this machine: overhead, break-even, growth, bytes that are shuffled.

    python benchmarks/engines.py                      2,000 and 10,000 people, two weeks
    python benchmarks/engines.py --full               100,000, 300,000 and 1,000,000 people, two days: 31 million rows
    python benchmarks/engines.py --people 5000

Synthetic civ, file to release. Both have two cores here: the local engine two threads, the cluster two workers of one
core each, on the same disks. So Spark cannot win: what it costs is what is measured, in CPU seconds of all processes
together, as the clock depends on who else works here. Break-even is what the cluster needs in cores to be as fast as
this process with two, were they all used. Shuffled are the files that executors hold at the end of a run, encrypted and
compressed; a task's memory is that of the largest process of Python.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import shoal
from shoal import synth
from shoal.engines.local import Local
from shoal.engines.spark import Spark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from spark_cluster import Cluster, cpu_seconds

SHORT, FULL = (2_000, 10_000), (100_000, 300_000, 1_000_000)
DAYS, FULL_DAYS = 14, 2
PARTITION = 5_000


def mechanisms(people):
    yield shoal.Uniform(cell_m=1000, minutes=60)
    yield shoal.GeoInd(epsilon="ln(4)/200")
    if people <= 100_000:
        yield shoal.Glove(k=2, partition=min(PARTITION, people // 4))


def seconds(mechanism, data, engine, folder):
    """CPU seconds of this process and of all whom it started: the cluster is among them."""
    start = cpu_seconds(os.getpid())
    path = folder / "release"
    shoal.protect(data, mechanism, path, engine=engine, record=False)
    took = cpu_seconds(os.getpid()) - start
    shutil.rmtree(path)
    shutil.rmtree(path.with_name("release.secret"))
    return took


def held(folder):
    return sum(path.stat().st_size for path in folder.rglob("shuffle_*") if path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="up to a million people")
    parser.add_argument("--people", type=int, help="one size only")
    arguments = parser.parse_args()
    if shutil.which("java") is None:
        print("no Java: nothing to measure")
        return
    days = FULL_DAYS if arguments.full else DAYS
    sizes = (arguments.people,) if arguments.people else FULL if arguments.full else SHORT
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "cluster").mkdir()
        start = time.perf_counter()
        cluster = Cluster(folder / "cluster", memory_mb=2048)
        try:
            with Spark(master=cluster.url) as engine:
                engine.map(_nothing, [0, 1])
                print(f"cluster, session and first task: {time.perf_counter() - start:.0f} s, once")
                measure(sizes, days, folder, cluster, engine)
        finally:
            cluster.stop()


def _nothing(part, workers, progress):  # noqa: ARG001
    return part


def measure(sizes, days, folder, cluster, engine):
    for mechanism in mechanisms(0 if not sizes else sizes[0]):  # compiled before anything is timed
        small = folder / "small.parquet"
        if not small.exists():
            synth_to(small, 100, days)
        for one in (Local(), engine):
            seconds(mechanism, small, one, folder)
    print("                          CPU seconds               of Spark's       bytes a person    GB of")
    print("   people   mechanism    local    Spark    ratio   cores to equal 2   are shuffled      a task")
    for people in sizes:
        data = folder / "civ.parquet"
        synth_to(data, people, days)
        for mechanism in mechanisms(people):
            here = seconds(mechanism, data, Local(), folder)
            before = held(cluster.spill)
            with cluster.watched() as peaks:
                there = seconds(mechanism, data, engine, folder)
            moved, ratio = (held(cluster.spill) - before) / people, there / here
            line = f"{people:>9,}   {mechanism.name:<9} {here:>8.1f} {there:>8.1f} {ratio:>8.1f} {2 * ratio:>18.0f}"
            print(f"{line} {moved:>14,.0f} {peaks['python']:>11.1f}", flush=True)


def synth_to(path, people, days):
    import pyarrow.parquet as pq

    pq.write_table(synth.cdr(people, days, preset="civ", seed=0), path)


if __name__ == "__main__":
    main()
