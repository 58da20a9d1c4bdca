"""kte: the whole command from file to release; how its time grows; what the paper's own construction takes beside it.

    python benchmarks/kte.py              1,000 and 2,000 people; the paper's variant with 1,000
    python benchmarks/kte.py --full       1,000, 5,000 and 29,191 people; 5,000 up to 14 days, and the paper's variant
    python benchmarks/kte.py --people 29191 --days 14          half an hour
    python benchmarks/kte.py --people 5000 --days 2 --k 3 --tau 120m --epsilon 60m

Synthetic call records of abidjan, k = 2, tau = epsilon = 60 min; kernels are compiled before anything is timed. Each
line is one process of its own, so that peak memory is its own. *Growth* is the exponent of CPU seconds, start-up
and reading included, between a line and the one above: 1 is linear. The aims: 29,191 people for 14 days within 30
minutes (better 6) and 8 GB on two cores; growth with people close to 1.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from pyarrow import parquet

from figures.noted import note
from shoal import synth

PRESET = "abidjan"
SHORT = {"people": [(1_000, 2), (2_000, 2)], "days": [(1_000, 1), (1_000, 2), (1_000, 4)], "against": (1_000, 2)}
FULL = {
    "people": [(1_000, 2), (5_000, 2), (29_191, 2)],
    "days": [(5_000, 2), (5_000, 7), (5_000, 14)],
    "against": (5_000, 2),
}


class Spent(NamedTuple):
    """What a process took: seconds of the processors, seconds of the clock, greatest memory in GB."""

    cpu: float
    wall: float
    peak: float


class Bench:
    """The command with some options, on people made when they are needed."""

    def __init__(self, folder: Path, options: list[str]) -> None:
        self.folder, self.options = folder, options

    def data(self, people: int, days: int) -> Path:
        path = self.folder / f"{people}-{days}.parquet"
        if not path.exists():
            parquet.write_table(synth.cdr(people, days, preset=PRESET, seed=1), path)
        return path

    def spent(self, people: int, days: int, variant: str = "repaired") -> Spent:
        data = self.data(people, days)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            command = [sys.executable, "-m", "shoal", "protect", "kte", str(data), "--variant", variant, "--quiet"]
            command += ["--out", f"{folder}/release", "--ledger", f"{folder}/ledger", *self.options]
            began = time.perf_counter()
            process = subprocess.Popen(command)
            _, status, used = os.wait4(process.pid, 0)
            wall = time.perf_counter() - began
        assert status == 0, "the command failed"
        return Spent(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 2**20)

    def table(self, title: str, sizes: list[tuple[int, int]], known: dict[tuple[int, int], Spent]) -> None:
        """A line for each size; what is known from another table is not run again."""
        print(f"\n{title}\n   people  days     samples     CPU s    wall s   peak GB   growth")
        before = None
        for people, days in sizes:
            spent = known.get((people, days)) or self.spent(people, days)
            known[people, days] = spent
            samples = parquet.read_metadata(self.data(people, days)).num_rows
            growth = ""
            if before and (people == before[0]) != (days == before[1]):
                factor = people * days / (before[0] * before[1])
                growth = f"{math.log(spent.cpu / before[2]) / math.log(factor):.2f}"
            before = people, days, spent.cpu
            figures = f"{spent.cpu:>9.1f} {spent.wall:>9.1f} {spent.peak:>9.2f}"
            print(f"{people:>9,} {days:>5} {samples:>11,} {figures} {growth:>8}", flush=True)
            note(f"kte, {people:,} people, {days} days, file to release", cpu_s=spent.cpu, gb=spent.peak)

    def against_paper(self, people: int, days: int, known: dict[tuple[int, int], Spent]) -> None:
        print(f"\nrepaired beside the paper's variant, {people:,} people, {days} days")
        print("  variant      CPU s    wall s   peak GB")
        both = {
            "repaired": known.get((people, days)) or self.spent(people, days),
            "paper": self.spent(people, days, "paper"),
        }
        for variant, spent in both.items():
            print(f"  {variant:<9} {spent.cpu:>8.1f} {spent.wall:>9.1f} {spent.peak:>9.2f}", flush=True)
        ratios = [both["repaired"][i] / both["paper"][i] for i in (0, 1)]
        print(f"  repaired / paper: {ratios[0]:.2f} of the CPU, {ratios[1]:.2f} of the wall seconds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="up to 29,191 people or 14 days")
    parser.add_argument("--people", type=int, help="one size only")
    parser.add_argument("--days", type=int, default=2, help="with --people")
    parser.add_argument("--k", default="2")
    parser.add_argument("--tau", default="60m")
    parser.add_argument("--epsilon", default="60m")
    parser.add_argument("--variant", default="repaired", help="with --people")
    args = parser.parse_args()
    plan = FULL if args.full else SHORT
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), ["--k", args.k, "--tau", args.tau, "--epsilon", args.epsilon])
        bench.spent(200, 1)  # compile
        bench.spent(200, 1, "paper")
        if args.people:
            spent = bench.spent(args.people, args.days, args.variant)
            print(
                f"{args.people:,} people, {args.days} days: " + "{:.1f} CPU s, {:.1f} s wall, {:.2f} GB".format(*spent)
            )
            return
        known: dict[tuple[int, int], Spent] = {}
        bench.table("more people", plan["people"], known)
        bench.table("more days", plan["days"], known)
        bench.against_paper(*plan["against"], known)


if __name__ == "__main__":
    main()
