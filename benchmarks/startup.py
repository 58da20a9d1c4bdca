"""How long it takes until something happens: importing the package and asking for help, against an empty Python.

Aims: `import shoal` below 50 ms more than nothing, `shoal --help` below 300 ms in all.
"""

import argparse
import os
import resource
import subprocess
import sys
import time

RUNS = {
    "python -c pass": ["-c", "pass"],
    "import shoal": ["-c", "import shoal"],
    "shoal --version": ["-m", "shoal", "--version"],
    "shoal --help": ["-m", "shoal", "--help"],
    "shoal protect --help": ["-m", "shoal", "protect", "--help"],
    "shoal protect glove --help": ["-m", "shoal", "protect", "glove", "--help"],
}


def once(arguments: list[str]) -> tuple[float, float]:
    """Return wall and CPU seconds of one run."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=os.environ)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="more runs")
    runs = 40 if parser.parse_args().full else 10
    # In turn, so that a busy moment of the machine meets all of them; the best of each counts.
    best = {name: (float("inf"), float("inf")) for name in RUNS}
    for _ in range(runs):
        for name, arguments in RUNS.items():
            best[name] = tuple(map(min, best[name], once(arguments)))  # type: ignore[assignment]
    print(f"best of {runs} runs, each in a fresh process")
    print(f"{'':30}{'wall ms':>10}{'CPU ms':>10}{'× empty':>10}")
    empty = best["python -c pass"][0]
    for name, (wall, cpu) in best.items():
        print(f"{name:30}{wall * 1000:10.0f}{cpu * 1000:10.0f}{wall / empty:10.1f}")


if __name__ == "__main__":
    main()
