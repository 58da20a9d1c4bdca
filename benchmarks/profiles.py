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


SIDES = {"scan": scan, "build": build}


def measure(side: str, folder: Path) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    rows = SIDES[side](folder)
    figures = {"rows": rows, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    figures["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--people", type=int, default=70_000)
    parser.add_argument("--full", action="store_true", help="85 million records of 3 million people")
    parser.add_argument("--folder", type=Path, help="keep the records here, and use them again")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        measure(args.side, args.folder)
        return
    if args.full:
        args.records, args.people = 85_000_000, 3_000_000
    with tempfile.TemporaryDirectory() as made:
        folder = args.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "calls.parquet").exists():
            make(folder, args.records, args.people)
        size = (folder / "calls.parquet").stat().st_size / 1e6
        print(f"{args.records:,} records of {args.people:,} people, {size:,.0f} MB of Parquet in the order of time")
        print(f"{'':8} {'rows':>12} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}")
        figures = {}
        for side in SIDES:
            command = [sys.executable, __file__, "--side", side, "--folder", str(folder)]
            figures[side] = f = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(f"{side:8} {f['rows']:>12,} {f['cpu']:>8.2f} {f['wall']:>8.2f} {f['peak_mb']:>8,.0f}", flush=True)
        for what in ("cpu", "wall"):
            ratio = figures["build"][what] / figures["scan"][what]
            print(f"ratio of {what}, build to scan: {ratio:.1f} (must {MUST_RATIO}, prototype 10)")
        if args.full:
            print(f"must: {MUST_S} s and {MUST_GB} GB on 2 cores")


if __name__ == "__main__":
    main()
