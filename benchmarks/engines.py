"""The local engine beside Spark on a cluster of this machine: overhead, break-even, growth, bytes that are shuffled.

    python benchmarks/engines.py                      2,000 and 10,000 people
    python benchmarks/engines.py --full               100,000, 300,000 and 1,000,000 people
    python benchmarks/engines.py --people 5000

Synthetic civ, two weeks, file to release. Both have two cores here: the local engine two threads, the cluster two
workers of one core each, on the same disks. So Spark cannot win: what it costs is what is measured, per person and per
run. Shuffled are the files that executors hold at the end of a run, encrypted and compressed.
"""

import argparse
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

SHORT, FULL = (2_000, 10_000), (100_000, 300_000, 1_000_000)
PARTITION = 5_000


def mechanisms(people):
    yield shoal.Uniform(cell_m=1000, minutes=60)
    yield shoal.GeoInd(epsilon="ln(4)/200")
    if people <= 100_000:
        yield shoal.Glove(k=2, partition=min(PARTITION, people // 4))


def seconds(mechanism, data, engine, folder):
    start = time.perf_counter()
    path = folder / "release"
    shoal.protect(data, mechanism, path, engine=engine, record=False)
    took = time.perf_counter() - start
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
    from spark_cluster import Cluster

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
                measure(sizes, folder, cluster, engine)
        finally:
            cluster.stop()


def _nothing(part, workers, progress):  # noqa: ARG001
    return part


def measure(sizes, folder, cluster, engine):
    for mechanism in mechanisms(0 if not sizes else sizes[0]):  # compiled before anything is timed
        small = folder / "small.parquet"
        if not small.exists():
            synth_to(small, 100)
        seconds(mechanism, small, Local(), folder)
    print("people      mechanism   local s   Spark s   ratio   µs a person more   shuffled, bytes a person")
    for people in sizes:
        data = folder / "civ.parquet"
        synth_to(data, people)
        for mechanism in mechanisms(people):
            here = seconds(mechanism, data, Local(), folder)
            before = held(cluster.spill)
            there = seconds(mechanism, data, engine, folder)
            more, moved = (there - here) / people * 1e6, (held(cluster.spill) - before) / people
            line = f"{people:>9,}   {mechanism.name:<9} {here:>9.1f} {there:>9.1f} {there / here:>7.1f} {more:>18,.0f}"
            print(f"{line} {moved:>26,.0f}", flush=True)


def synth_to(path, people):
    import pyarrow.parquet as pq

    pq.write_table(synth.cdr(people, 14, preset="civ", seed=0), path)


if __name__ == "__main__":
    main()
