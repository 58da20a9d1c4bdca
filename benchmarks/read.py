"""Reading, projecting, gridding and sorting (and reading raw fixes), as a ratio to polars reading and sorting the file.

    python benchmarks/read.py [--data ../shared/data/cabspotting.parquet] [--rounds 3] [--rows 2000000] [--full]

Each side runs in a process of its own, so that peak memory is its own; the best of some rounds counts. The first rows
are also written as CSV and read from there. polars reads CSV in two ways: it finds out what the times look like
(``try_parse_dates``), as Shoal does too, or is told. Being told is several times quicker, and is what counts.
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

DEFAULT = Path(__file__).parents[2] / "shared" / "data" / "cabspotting.parquet"
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
AIM = 3


def _polars(path: str) -> int:
    import polars as pl

    return pl.read_parquet(path).sort("uid", "datetime").height


def _polars_csv(path: str) -> int:
    import polars as pl

    return pl.read_csv(path, try_parse_dates=True).sort("uid", "datetime").height


def _polars_csv_told(path: str) -> int:
    import polars as pl

    read = pl.read_csv(path).with_columns(pl.col("datetime").str.to_datetime(TIME_FORMAT, time_unit="us"))
    return read.sort("uid", "datetime").height


def _shoal(path: str) -> int:
    import shoal

    return shoal.read(path).samples


def _fixes(path: str) -> int:
    from shoal.data import read_fixes

    return read_fixes(path).points


_SIDES = {"polars": _polars, "polars finds": _polars_csv, "polars told": _polars_csv_told}
_OURS = {"shoal": _shoal, "fixes": _fixes}


def _measure(side: str, path: str, rounds: int) -> None:
    work = {**_SIDES, **_OURS}[side]
    best_cpu = best_wall = float("inf")
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        rows = work(path)
        best_cpu = min(best_cpu, time.process_time() - cpu)
        best_wall = min(best_wall, time.perf_counter() - wall)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "cpu": best_cpu, "wall": best_wall, "peak_mb": peak_mb}))


def _compare(path: Path, kind: str, rounds: int, *theirs: str) -> None:
    """Run their sides and ours on a file; the last of theirs is what ours are compared with, and noted."""
    figures = {}
    print(f"\n{kind:12} {'rows':>12} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}")
    for side in (*theirs, *_OURS):
        command = [sys.executable, __file__, "--data", str(path), "--rounds", str(rounds), "--side", side]
        figures[side] = f = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{side:12} {f['rows']:>12,} {f['cpu']:>8.2f} {f['wall']:>8.2f} {f['peak_mb']:>8,.0f}", flush=True)
    for side in _OURS:
        f = figures[side]
        note(
            f"read {f['rows']:,} rows{'' if kind == 'Parquet' else f' of {kind}'} ({side})",
            ratio=f["cpu"] / figures[theirs[-1]]["cpu"],
            to="the CPU seconds of polars reading and sorting them: less is better",
            cpu_s=f["cpu"],
            gb=f["peak_mb"] / 1024,
        )
        for other in theirs:
            ratios = " and ".join(f"{f[what] / figures[other][what]:.2f} of {what}" for what in ("cpu", "wall"))
            print(f"ratio to {other}, {side}: {ratios} (aim: {AIM} or less)")


def _write_csv(data: str, rows: int | None, path: Path) -> None:
    import polars as pl

    frame = pl.scan_parquet(data).head(rows) if rows else pl.scan_parquet(data)
    frame.with_columns(pl.col("datetime").dt.strftime(TIME_FORMAT)).sink_csv(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(DEFAULT))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=2_000_000, help="of the CSV file")
    parser.add_argument("--full", action="store_true", help="more rounds, and all rows as CSV too")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    rounds = 7 if args.full else args.rounds
    if args.side:
        _measure(args.side, args.data, rounds)
        return
    if not Path(args.data).exists():
        print(f"skipped: no {Path(args.data).name}")
        return
    _compare(Path(args.data), "Parquet", rounds, "polars")
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "events.csv"
        _write_csv(args.data, None if args.full else args.rows, path)
        _compare(path, "CSV", rounds, "polars finds", "polars told")


if __name__ == "__main__":
    main()
