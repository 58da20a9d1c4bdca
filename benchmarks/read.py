"""Reading, projecting, gridding and sorting (and reading raw fixes), as a ratio to polars reading and sorting the file.

    python benchmarks/read.py [--data ../shared/data/cabspotting.parquet] [--rounds 3]

Each side runs in a process of its own, so that peak memory is its own; the best of some rounds counts.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from figures.noted import note

DEFAULT = Path(__file__).parents[2] / "shared" / "data" / "cabspotting.parquet"


def _polars(path: str) -> int:
    import polars as pl

    return pl.read_parquet(path).sort("uid", "datetime").height


def _shoal(path: str) -> int:
    import shoal

    return shoal.read(path).samples


def _fixes(path: str) -> int:
    from shoal.data import read_fixes

    return read_fixes(path).points


_SIDES = {"polars": _polars, "shoal": _shoal, "fixes": _fixes}


def _measure(side: str, path: str, rounds: int) -> None:
    work = _SIDES[side]
    best_cpu = best_wall = float("inf")
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        rows = work(path)
        best_cpu = min(best_cpu, time.process_time() - cpu)
        best_wall = min(best_wall, time.perf_counter() - wall)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": rows, "cpu": best_cpu, "wall": best_wall, "peak_mb": peak_mb}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=str(DEFAULT))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    rounds = 7 if args.full else args.rounds
    if args.side:
        _measure(args.side, args.data, rounds)
        return
    if not Path(args.data).exists():
        print(f"skipped: no {Path(args.data).name}")
        return
    figures = {}
    print(f"{'':8} {'rows':>12} {'CPU s':>8} {'wall s':>8} {'peak MB':>8}")
    for side in _SIDES:
        command = [sys.executable, __file__, "--data", args.data, "--rounds", str(rounds), "--side", side]
        figures[side] = f = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{side:8} {f['rows']:>12,} {f['cpu']:>8.2f} {f['wall']:>8.2f} {f['peak_mb']:>8,.0f}")
    for side in ("shoal", "fixes"):
        f = figures[side]
        note(
            f"read {f['rows']:,} rows ({side})",
            ratio=f["cpu"] / figures["polars"]["cpu"],
            to="the CPU seconds of polars reading and sorting them: less is better",
            cpu_s=f["cpu"],
            gb=f["peak_mb"] / 1024,
        )
        for what in ("cpu", "wall"):
            print(f"ratio of {what}, {side}: {figures[side][what] / figures['polars'][what]:.2f} (aim: 3 or less)")


if __name__ == "__main__":
    main()
