"""The audit of a release of groups, check by check.

    python benchmarks/audit.py [--people 82000] [--boxes 70]

A sound release is made up first (three samples per person and box, as many as two weeks of call records have); the
audit runs in a process of its own, so that peak memory is its own. The time of a check includes what it is the first to
open.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=8_200)
    parser.add_argument("--boxes", type=int, default=70)
    parser.add_argument("--full", action="store_true", help="82,000 people")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    people = 82_000 if args.full else args.people
    if args.folder:
        if args.make:
            _make(args.folder, people, args.boxes)
        else:
            _audit(args.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--folder", f"{folder}/made", "--people", str(people)]
        subprocess.run([*command, "--boxes", str(args.boxes), "--make"], check=True)
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(f"{people:,} people, {found['samples']:,} samples, {found['boxes']:,} boxes; ok: {found['ok']}")
    print(f"{'':20} {'wall s':>8} {'CPU s':>8}")
    for id_, (wall, cpu) in found["seconds"].items():
        if cpu >= 0.05:
            print(f"{id_:20} {wall:8.2f} {cpu:8.2f}")
    wall, cpu = (sum(times) for times in zip(*found["seconds"].values(), strict=True))
    print(f"{'all':20} {wall:8.2f} {cpu:8.2f}   peak {found['peak_mb']:,.0f} MB")


if __name__ == "__main__":
    main()
