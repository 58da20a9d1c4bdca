"""The audit of a release of groups, check by check.

    python benchmarks/audit.py [--people 82000] [--boxes 70]

A sound release is made up first (three samples per person and box, as many as two weeks of call records have); the
audit runs in a process of its own, so that peak memory is its own. The time of a check includes what it is the first to
open. The baseline is a plain scan with polars in another process, the least that whoever sets a release beside its
original has to do: read both, sort both by person and time.
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


def _make(folder: Path, people: int, boxes: int) -> None:
    from shoal.auditor.selftest.sound_boxes import sound_boxes

    sound_boxes(groups=people // 2, boxes=boxes, seed=1).write(folder)


def _audit(folder: Path) -> None:
    from shoal.auditor import audit
    from shoal.auditor.registry import ORDER

    def now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()

    marks = [now()]
    verdict = audit(
        folder / "release",
        original=folder / "events.parquet",
        secret=folder / "secret",
        require_k=2,
        progress=lambda *_: marks.append(now()),
    )
    seconds = {id_: (b[0] - a[0], b[1] - a[1]) for id_, a, b in zip(ORDER, marks, marks[1:], strict=False)}
    figures = verdict["coverage"].figures
    print(
        json.dumps(
            {
                "ok": verdict.ok,
                "samples": figures["samples"],
                "boxes": verdict["truthful"].figures["boxes"],
                "seconds": seconds,
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )


def _scan(folder: Path) -> None:
    import polars as pl

    cpu = time.process_time()
    pl.read_parquet(folder / "events.parquet").sort("uid", "datetime")
    pl.read_parquet(folder / "release" / "data.parquet").sort("uid", "t_start")
    print(json.dumps({"cpu_s": time.process_time() - cpu}))


MEASURED = {"audit": _audit, "scan": _scan}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=8_200)
    parser.add_argument("--boxes", type=int, default=70)
    parser.add_argument("--full", action="store_true", help="82,000 people")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--part", choices=["make", *MEASURED], help=argparse.SUPPRESS)
    args = parser.parse_args()
    people = 82_000 if args.full else args.people
    if args.part == "make":
        _make(args.folder, people, args.boxes)
        return
    if args.part:
        MEASURED[args.part](args.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--folder", f"{folder}/made", "--people", str(people), "--part"]
        subprocess.run([*command, "make", "--boxes", str(args.boxes)], check=True)
        found, scan = (
            json.loads(subprocess.run([*command, part], check=True, capture_output=True, text=True).stdout)
            for part in MEASURED
        )
    print(f"{people:,} people, {found['samples']:,} samples, {found['boxes']:,} boxes; ok: {found['ok']}")
    print(f"{'':20} {'wall s':>8} {'CPU s':>8}")
    for id_, (wall, cpu) in found["seconds"].items():
        if cpu >= 0.05:
            print(f"{id_:20} {wall:8.2f} {cpu:8.2f}")
    wall, cpu = (sum(times) for times in zip(*found["seconds"].values(), strict=True))
    ratio = cpu / scan["cpu_s"]
    print(
        f"{'all':20} {wall:8.2f} {cpu:8.2f}   peak {found['peak_mb']:,.0f} MB; {ratio:.1f} × the CPU s of a plain scan"
    )
    to = "the CPU seconds of a plain scan with polars: less is better"
    note(f"audit of {people:,} people with originals", ratio=ratio, to=to, cpu_s=cpu, gb=found["peak_mb"] / 1024)


if __name__ == "__main__":
    main()
