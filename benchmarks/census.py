"""From call records to a census: the tutorial's chain of commands, each step with its seconds and its memory.

    python benchmarks/census.py [--people 3000] [--full]

Each step is a command in a process of its own, as a user runs it: `synth calls`, `profiles build`, `risk`, `protect
primule --k 20 --weeks 4`, `audit`, `sociometer`. Kernels are compiled before, by the same chain on 500 people, and that
is told apart: whoever starts with an empty cache pays it once. ``--full``: 50,000 people, who must take two minutes
in all on two cores; and `synth calls` of 500,000 people.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures.noted import note

MUST_S = 120
WARM_UP = 500


def chain(people: int) -> list[tuple[str, list[str]]]:
    """Name the steps, with the arguments of each."""
    cells = ["--cells", "calls/cells.parquet", "--tz", "Europe/Rome"]
    groups, original = ["--k", "20", "--weeks", "4"], ["--original", "profiles.parquet"]
    return [
        ("synth calls", ["synth", "calls", "--users", str(people), "--weeks", "4", "--seed", "1", "--out", "calls"]),
        ("profiles build", ["profiles", "build", "calls/events.parquet", *cells, "--out", "profiles.parquet"]),
        ("risk", ["risk", "profiles.parquet", "--attack", "profile", "--weeks", "4"]),
        ("protect primule", ["protect", "primule", "profiles.parquet", *groups, "--not-for-release", "--out", "out"]),
        ("audit", ["audit", "out", *original]),
        ("sociometer", ["sociometer", "out", *original]),
    ]


def timed(arguments: list[str], folder: Path) -> tuple[float, float, float]:
    """Run a command; return wall seconds, CPU seconds and the peak of its memory in GB."""
    began = time.perf_counter()
    with (folder / "said.txt").open("wb") as said:
        command = [sys.executable, "-m", "shoal", *arguments, "-q"]
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(arguments)}\n{(folder / 'said.txt').read_text()}")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20


def run(people: int, steps: list[tuple[str, list[str]]]) -> None:
    """Run steps one after the other, and print what each took."""
    total_wall = total_cpu = 0.0
    print(f"\n{people:,} people\n  {'':<18} {'wall s':>8} {'CPU s':>8} {'peak GB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in steps:
            wall, cpu, peak = timed(arguments, Path(folder))
            total_wall, total_cpu = total_wall + wall, total_cpu + cpu
            print(f"  {name:<18} {wall:>8.1f} {cpu:>8.1f} {peak:>8.2f}", flush=True)
    print(f"  {'all':<18} {total_wall:>8.1f} {total_cpu:>8.1f}")
    note(f"from calls to a census, {people:,} people", cpu_s=total_cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=3_000)
    parser.add_argument("--full", action="store_true", help="50,000 people; calls of 500,000")
    args = parser.parse_args()
    people = 50_000 if args.full else args.people
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    run(WARM_UP, chain(WARM_UP))
    print("  (kernels compiled, where they were not)")
    run(people, chain(people))
    if args.full:
        print(f"  must: {MUST_S} s on 2 cores")
        run(500_000, chain(500_000)[:1])


if __name__ == "__main__":
    main()
