"""Call profiles from call records, as a ratio to a plain scan of the same file; and the risk of all profiles.

    python benchmarks/profiles.py [--records 2000000] [--people 70000] [--full]

Records are synthetic, written to a temporary folder as an operator would: in the order of time, identifiers as text.
Each side runs in a process of its own, so that peak memory is its own. The scan looks at every value of every column.
``--full``: 85 million records of 3 million people, which must take 90 s, 8 GB and 20 scans at most.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures.noted import note

PLACES, CELLS, DAYS = 139, 4_000, 28
MUST_RATIO, MUST_S, MUST_GB = 20, 90, 8
ZONE = "Europe/Rome"


def make(folder: Path, records: int, people: int) -> None:
    """Write records day by day: uneven activity, a home for everybody, one call in eight from somewhere else."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(14)
    owner = np.sort(rng.integers(0, PLACES, CELLS))
    owner[:PLACES] = np.arange(PLACES)
    names = pa.array([f"C{cell:05}" for cell in range(CELLS)])
    places = pa.array([f"M{place:03}" for place in range(PLACES)]).take(pa.array(owner))
    pq.write_table(pa.table({"cell": names, "municipality": places}), folder / "cells.parquet")
    uid = pa.array([f"{number:016x}" for number in rng.permutation(people).tolist()])
    home = rng.integers(0, CELLS, people)
    activity = np.cumsum(rng.lognormal(0, 1.4, people))
    first = np.datetime64("2024-01-01T00:00:00", "us").astype(np.int64)
    writer = None
    for day in range(DAYS):
        left = records // DAYS + (day < records % DAYS)
        edges = np.linspace(0, 86_400_000_000, left // 2_000_000 + 2)
        for low, high, count in zip(edges[:-1], edges[1:], _shares(left, len(edges) - 1), strict=True):
            who = np.searchsorted(activity, rng.random(count) * activity[-1])
            cell = np.where(rng.random(count) < 0.125, rng.integers(0, CELLS, count), home[who])
            end = np.where(rng.random(count) < 0.05, rng.integers(0, CELLS, count), cell)
            start = first + day * 86_400_000_000 + np.sort(rng.uniform(low, high, count)).astype(np.int64)
            table = pa.table(
                {
                    "uid": uid.take(pa.array(who)),
                    "datetime": pa.array(start).cast(pa.timestamp("us", "UTC")),
                    "duration": np.ceil(rng.lognormal(4.4, 1.1, count)).clip(1, 7200).astype(np.int32),
                    "cell_start": names.take(pa.array(cell)),
                    "cell_end": names.take(pa.array(end)),
                }
            )
            writer = writer or pq.ParquetWriter(folder / "calls.parquet", table.schema, compression="zstd")
            writer.write_table(table, row_group_size=1_000_000)
    writer.close()


def _shares(total: int, parts: int) -> list[int]:
    return [total // parts + (part < total % parts) for part in range(parts)]


def scan(folder: Path) -> int:
    import polars as pl

    text = pl.col("uid", "cell_start", "cell_end").str.len_bytes().sum()
    numbers = pl.col("datetime", "duration").max()
    return pl.scan_parquet(folder / "calls.parquet").select(pl.len(), text, numbers).collect()["len"][0]


def build(folder: Path) -> int:
    from shoal.data import build_profiles

    profiles, _ = build_profiles(folder / "calls.parquet", cells=folder / "cells.parquet", tz=ZONE)
    return len(profiles)


def sort(profiles: int) -> int:
    """Sort as many words as there are profiles, for each choice of two of four weeks."""
    import numpy as np

    words = np.random.default_rng(0).integers(0, 2**62, profiles)
    return sum(len(np.argsort(words + choice)) for choice in range(6)) // 6


def risk(profiles: int) -> int:
    """The risk of everybody who is known by any two of four weeks."""
    import numpy as np

    from shoal.attacks.prudence.known_cells import KnownCells, fewest_alike

    rng = np.random.default_rng(0)
    days = np.tile([5, 5, 5, 2, 2, 2], 4)
    active = rng.random((profiles, 1)) ** 4
    values = rng.binomial(days, active * 0.6) / days
    wall, cpu = time.perf_counter(), time.process_time()
    fewest = fewest_alike(rng.integers(0, PLACES, profiles), values, KnownCells(weeks=2, any_weeks=True))
    return len(fewest), time.perf_counter() - wall, time.process_time() - cpu


SIDES = {"scan": scan, "build": build, "sort": sort, "risk": risk}


def measure(side: str, given: Path | int) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    rows = SIDES[side](given)
    took = time.perf_counter() - wall, time.process_time() - cpu
    if isinstance(rows, tuple):  # without the making of its input
        rows, *took = rows
    figures = {"rows": rows, "wall": took[0], "cpu": took[1]}
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--people", type=int, default=70_000)
    parser.add_argument("--profiles", type=int, default=200_000, help="for the risk")
    parser.add_argument("--full", action="store_true", help="85 million records of 3 million people")
    parser.add_argument("--folder", type=Path, help="keep the records here, and use them again")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        measure(args.side, args.folder or args.profiles)
        return
    if args.full:
        args.records, args.people, args.profiles = 85_000_000, 3_000_000, 4_000_000
    with tempfile.TemporaryDirectory() as made:
        folder = args.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "calls.parquet").exists():
            make(folder, args.records, args.people)
        size = (folder / "calls.parquet").stat().st_size / 1e6
        print(f"{args.records:,} records of {args.people:,} people, {size:,.0f} MB of Parquet in the order of time")
        ratios(["scan", "build"], ["--folder", str(folder)], f"must {MUST_RATIO}, prototype 10")
        if args.full:
            print(f"must: {MUST_S} s and {MUST_GB} GB on 2 cores")
    print(f"\nrisk of {args.profiles:,} profiles, any two of four weeks known, beside six plain sorts")
    ratios(["sort", "risk"], ["--profiles", str(args.profiles)], "must be seconds for 4 million")


def ratios(sides: list[str], given: list[str], aim: str) -> None:
    print(f"{'':8} {'rows':>12} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}")
    figures = {}
    for side in sides:
        command = [sys.executable, __file__, "--side", side, *given]
        figures[side] = f = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{side:8} {f['rows']:>12,} {f['cpu']:>8.2f} {f['wall']:>8.2f} {f['peak_mb']:>8,.0f}", flush=True)
    made = figures[sides[1]]
    note(
        f"profiles: {sides[1]}, {made['rows']:,} rows",
        ratio=made["cpu"] / figures[sides[0]]["cpu"],
        to=f"the CPU seconds of a plain {sides[0]}: less is better",
        cpu_s=made["cpu"],
        gb=made["peak_mb"] / 1024,
    )
    for what in ("cpu", "wall"):
        ratio = figures[sides[1]][what] / figures[sides[0]][what]
        print(f"ratio of {what}, {sides[1]} to {sides[0]}: {ratio:.1f} ({aim})")


if __name__ == "__main__":
    main()
