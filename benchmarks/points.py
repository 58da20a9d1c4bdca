"""Promesse and geo-indistinguishability from file to release, as a ratio to reading and writing the same file.

    python benchmarks/points.py [--data FILE] [--full]

The short version is on synthetic gps; `--full` takes Cabspotting (`../shared/data`), raw, or any file by `--data`.
Each side runs in a process of its own, kernels compiled before. `nothing` is polars reading the file and writing it
again with the same compression; `as is` is the way of every mechanism (read, sort, name, write) for one that changes
nothing.

The paper's Promesse took 210 s and its Geo-I 147 s for 9 million records, on 8 cores.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures.noted import note

CABSPOTTING = Path(__file__).parents[2] / "shared" / "data" / "cabspotting.parquet"
PAPER_S = {"promesse 200": 210, "geoind": 147}
AIM, MOST_S = 2, 30


def _nothing(path: str, folder: Path) -> int:
    import polars as pl

    frame = pl.read_parquet(path)
    frame.write_parquet(folder / "again.parquet", compression="zstd", statistics=False)
    return frame.height


def _as_is(path: str, folder: Path) -> int:
    from shoal.contract.claims import Nothing
    from shoal.data import Points, read_fixes
    from shoal.release import Protected, build_release

    fixes = read_fixes(path)
    made = Protected(payload=Points.of_people(fixes))
    release = build_release(made, mechanism="as-is", parameters={}, claim=Nothing(), span_s=fixes.span_s)
    release.write(folder / "release", record=False)
    return release.data.num_rows


def _with(name: str, **parameters: Any) -> Callable[[str, Path], int]:
    def run(path: str, folder: Path) -> int:
        import shoal

        mechanism = getattr(shoal, name)(**parameters)
        return shoal.protect(path, mechanism, folder / "release", not_for_release=True).release.data.num_rows

    return run


_SIDES: dict[str, Callable[[str, Path], int]] = {
    "nothing": _nothing,
    "as is": _as_is,
    "promesse 100": _with("Promesse", alpha_m=100),
    "promesse 200": _with("Promesse", alpha_m=200),
    "promesse 500": _with("Promesse", alpha_m=500),
    "geoind": _with("GeoInd", epsilon="ln(4)/200"),
    "geoind memo 200": _with("GeoInd", epsilon="ln(4)/200", memo_cell_m=200),
}


def _measure(side: str, path: str, small: str) -> None:
    work = _SIDES[side]
    with tempfile.TemporaryDirectory() as folder:
        work(small, Path(folder))  # loads what it needs, and compiles where nobody has
    with tempfile.TemporaryDirectory() as folder:
        wall, cpu = time.perf_counter(), time.process_time()
        rows = work(path, Path(folder))
        figures = {"rows": rows, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps({**figures, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def _synthetic(path: Path, people: int, days: int) -> str:
    import polars as pl

    from shoal import synth

    pl.DataFrame(synth.gps(people, days, seed=1).points).write_parquet(path)
    return str(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="points as Shoal reads them")
    parser.add_argument("--full", action="store_true", help="Cabspotting")
    parser.add_argument("--side", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        _measure(*args.side)
        return
    data = args.data or (str(CABSPOTTING) if args.full else None)
    if data and not Path(data).exists():
        print(f"skipped: no {Path(data).name}")
        return
    with tempfile.TemporaryDirectory() as folder:
        small = _synthetic(Path(folder) / "small.parquet", 5, 3)
        _table(data or _synthetic(Path(folder) / "gps.parquet", 60, 7), small)


def _table(data: str, small: str) -> None:
    print(f"{'':16} {'rows':>12} {'CPU s':>8} {'wall s':>8} {'peak MB':>8} {'ratio':>6}   aim: {AIM} or less")
    base = None
    for side in _SIDES:
        command = [sys.executable, __file__, "--side", side, data, small]
        f = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        base = base or f
        paper = f"   {PAPER_S[side]} s in the paper, {MOST_S} s at most here" if side in PAPER_S else ""
        ratio = f["wall"] / base["wall"]
        print(
            f"{side:16} {f['rows']:>12,} {f['cpu']:>8.2f} {f['wall']:>8.2f} {f['peak_mb']:>8,.0f} {ratio:>6.2f}{paper}",
            flush=True,
        )
        note(
            f"{side}, {base['rows']:,} GPS records, file to file",
            ratio=f["cpu"] / base["cpu"],
            to="polars reading and writing, CPU; less is better",
            cpu_s=f["cpu"],
            gb=f["peak_mb"] / 1024,
        )


if __name__ == "__main__":
    main()
