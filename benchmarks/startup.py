"""How long it takes until something happens: importing, asking for help, the first use and later ones on 300 people.

    python benchmarks/startup.py [--full]

The first use has an empty cache and compiles its kernels, in two processes; how long one waits for that is the
difference to a later one. Short: of `measure` only. Everything stands beside the same Python that imports numba and
polars, which no command can be quicker than. Aims: `import shoal` below 50 ms more than nothing, `--version` and
`--help` below 300 ms; compiling in 10, 15 and 20 s; later use below 1 s for `measure` and 1.5 s for `protect`.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from figures.noted import note

PEOPLE = 300

QUICK = {
    "python -c pass": ["-c", "pass"],
    "import numba, polars": ["-c", "import numba, polars"],
    "import shoal": ["-c", "import shoal"],
    "shoal --version": ["-m", "shoal", "--version"],
    "shoal --help": ["-m", "shoal", "--help"],
    "shoal protect --help": ["-m", "shoal", "protect", "--help"],
    "shoal protect glove --help": ["-m", "shoal", "protect", "glove", "--help"],
}
EMPTY, FLOOR = "python -c pass", "import numba, polars"

USES = {
    "measure": ["measure"],
    "protect glove --k 2": ["protect", "glove", "--k", "2"],
    "protect glove --k 5": ["protect", "glove", "--k", "5"],
}


class Cost(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float

    def least(self, other: "Cost") -> "Cost":
        """The better of two runs, figure by figure."""
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu))


def once(arguments: list[str], environment: Mapping[str, str] | None = None) -> Cost:
    """Run Python once, in a process of its own."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    everything = {**os.environ, **(environment or {})}
    # Python keeps what it compiled of our sources, as it does for whoever has installed them.
    everything.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=everything)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def quick(runs: int) -> dict[str, Cost]:
    """The best of some runs of each; in turn, so that a busy moment of the machine meets all of them."""
    best = {name: Cost(float("inf"), float("inf")) for name in QUICK}
    for _ in range(runs):
        for name, arguments in QUICK.items():
            best[name] = best[name].least(once(arguments))
    return best


def use(name: str, events: Path, folder: Path, runs: int) -> tuple[Cost, Cost]:
    """The first use of a command with an empty cache, and the best of some later ones."""
    here = folder / name.replace(" ", "")
    cache = {"NUMBA_CACHE_DIR": str(here / "cache")}

    def run(number: int) -> Cost:
        room = here / str(number)
        room.mkdir(parents=True)
        more = ["--ledger", str(room / "ledger")] if name.startswith("protect") else []
        return once(["-m", "shoal", *USES[name], str(events), "--out", str(room / "out"), "-q", *more], cache)

    first, later = run(0), run(1)
    for number in range(2, runs):
        later = later.least(run(number))
    return first, later


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="more runs, and protect too")
    parser.add_argument("--runs", type=int, help="runs of each")
    args = parser.parse_args()
    runs = args.runs or (40 if args.full else 10)
    best = quick(runs)
    print(f"best of {runs} runs, each in a fresh process")
    print(f"{'':30}{'wall ms':>10}{'CPU ms':>10}{'× empty':>10}{'× numba, polars':>18}")
    for name, cost in best.items():
        ratios = f"{cost.wall / best[EMPTY].wall:10.1f}{cost.wall / best[FLOOR].wall:18.2f}"
        print(f"{name:30}{cost.wall * 1000:10.0f}{cost.cpu * 1000:10.0f}{ratios}")
        note(
            name,
            ratio=cost.wall / best[EMPTY].wall,
            to="the wall time of an empty Python: less is better",
            cpu_s=cost.cpu,
        )
    print(f"\n{PEOPLE} people; ratios of CPU to importing numba and polars")
    print(f"{'':22}{'first: wall s':>15}{'CPU s':>8}{'compiling':>11}{'later: wall s':>15}{'CPU s':>8}{'×':>7}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        events = folder / "events.parquet"
        once(["-m", "shoal", "synth", "cdr", "--users", str(PEOPLE), "--out", str(events), "-q"])
        for name in list(USES)[: None if args.full else 1]:
            first, later = use(name, events, folder, max(3, runs // 4))
            figures = (
                f"{first.wall:15.1f}{first.cpu:8.1f}{first.wall - later.wall:11.1f}{later.wall:15.2f}{later.cpu:8.2f}"
            )
            print(f"{name:22}{figures}{later.cpu / best[FLOOR].cpu:7.1f}")
            to = "the CPU time of importing numba and polars: less is better"
            note(f"{name}, first use", ratio=first.cpu / best[FLOOR].cpu, to=to, cpu_s=first.cpu)
            note(f"{name}, later use", ratio=later.cpu / best[FLOOR].cpu, to=to, cpu_s=later.cpu)


if __name__ == "__main__":
    main()
