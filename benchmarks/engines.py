"""The local engine beside Spark on a cluster of this machine: overhead, break-even, growth, bytes that are shuffled.

    python benchmarks/engines.py                      2,000 and 10,000 people, two weeks
    python benchmarks/engines.py --full               100,000 and 1,000,000 people, one day: 15 million rows
    python benchmarks/engines.py --people 5000

Synthetic civ, file to release. Both have two cores here: the local engine two threads, the cluster two workers of one
core each, on the same disks. So Spark cannot win: what it costs is what is measured, in CPU seconds of all processes
together, as the clock depends on who else works here. Break-even is what the cluster needs in cores to be as fast as
this process with two, were they all used. Of Spark's, what the driver takes, Python and Java, is told apart. Shuffled
are the files that executors hold at the end of a run, encrypted and compressed; published is the one file of data; both
in bytes for each row that is read. A task's memory is that of the largest process of Python.

Growth is told by the full run, in which Java is compiled as on any cluster, not in haste: of uniform, which is all
shuffling and writing, with ten times the people of one day. Noise is measured up to 100,000 people, and what goes to
tasks as parts up to 10,000 (glove) and 2,000 (kte): there the driver does the same as without Spark, and a task what a
thread would, so that it grows as it does here.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import shoal
from figures.noted import note
from shoal import synth
from shoal.engines.local import Local
from shoal.engines.spark import Spark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from spark_cluster import Cluster

SHORT, FULL = (2_000, 10_000), (100_000, 1_000_000)
DAYS, FULL_DAYS = 14, 1
PARTS = 4
ROUNDS = 20


def mechanisms(people):
    yield shoal.Uniform(cell_m=1000, minutes=60)
    if people <= 100_000:
        yield shoal.GeoInd(epsilon="ln(4)/200")
    if people <= 10_000:
        yield shoal.Glove(k=2, partition=max(people // PARTS, 8))
    if people <= 2_000:
        yield shoal.Kte(k=2, tau="4h", epsilon="4h", partition=max(people // PARTS, 8))


def protected(mechanism, data, engine, folder):
    """Protect people, and leave nothing; the bytes that were published."""
    path = folder / "release"
    shoal.protect(data, mechanism, path, engine=engine, record=False)
    published = (path / "data.parquet").stat().st_size
    shutil.rmtree(path)
    shutil.rmtree(path.with_name("release.secret"))
    return published


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
        cluster = Cluster(folder / "cluster", memory_mb=2048, quick=not arguments.full)
        try:
            with Spark(master=cluster.url) as engine:
                engine.map(_nothing, [0, 1])
                print(f"cluster, session and first task: {time.perf_counter() - start:.0f} s, once")
                a_round(cluster, engine)
                measure(sizes, days, folder, cluster, engine)
        finally:
            cluster.stop()


def _nothing(part, workers, progress):  # noqa: ARG001
    return part


def a_round(cluster, engine):
    """What it costs to ask both workers for nothing, and to wait for it."""
    start = time.perf_counter()
    with cluster.watched() as seen:
        for _ in range(ROUNDS):
            engine.map(_nothing, [0, 1])
    wall = time.perf_counter() - start
    print(f"a round of two tasks that do nothing: {seen.cpu_s / ROUNDS:.2f} CPU s, {wall / ROUNDS:.2f} s", flush=True)


def measure(sizes, days, folder, cluster, engine):
    for mechanism in mechanisms(sizes[0]):  # compiled before anything is timed
        small = folder / "small.parquet"
        if not small.exists():
            synth_to(small, 100, days)
        for one in (Local(), engine):
            protected(mechanism, small, one, folder)
    print("                                     CPU seconds               of Spark's      bytes a row       GB of")
    print("   people        rows  mechanism   local   Spark  driver  ratio  cores for 2  shuffled published  a task")
    for people in sizes:
        data = folder / "civ.parquet"
        rows = synth_to(data, people, days)
        for mechanism in mechanisms(people):
            here = time.process_time()
            published = protected(mechanism, data, Local(), folder)
            here, before = time.process_time() - here, held(cluster.spill)
            with cluster.watched() as there:
                protected(mechanism, data, engine, folder)
            moved, ratio = (held(cluster.spill) - before) / rows, there.cpu_s / here
            spent = f"{here:>7.1f} {there.cpu_s:>7.1f} {there.driver_cpu_s:>7.1f} {ratio:>6.1f} {2 * ratio:>12.0f}"
            line = f"{people:>9,} {rows:>11,}  {mechanism.name:<9} {spent}"
            print(f"{line} {moved:>9.1f} {published / rows:>9.1f} {there.python_gb:>7.1f}", flush=True)
            work, to = f"{mechanism.name} on Spark, {people:,} people", "the CPU seconds without Spark: less is better"
            note(work, ratio=ratio, to=to, cpu_s=there.cpu_s, gb=there.python_gb)


def synth_to(path, people, days):
    import pyarrow.parquet as pq

    table = synth.cdr(people, days, preset="civ", seed=0)
    pq.write_table(table, path)
    return table.num_rows


if __name__ == "__main__":
    main()
