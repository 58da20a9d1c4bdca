"""How fast synthetic call detail records are made.

Prints, for each number of people, the rows, the CPU and wall seconds of `shoal.synth.cdr` and the peak memory of
the process so far (give sizes in ascending order)::

    python benchmarks/synth.py                    # 20,000 people of civ, 14 days
    python benchmarks/synth.py --full             # 82,728
    python benchmarks/synth.py 1000 5000 --preset dakar
"""

import argparse
import resource
import sys
import time

from figures.noted import note
from shoal.synth import PRESETS, cdr


def peak_mb() -> float:
    """Peak resident memory in MB; the kernel counts in kB on Linux and in bytes on macOS."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("users", nargs="*", type=int, help="numbers of people (20,000 if none is given)")
    parser.add_argument("--full", action="store_true", help="the preset's own number of people")
    parser.add_argument("--preset", choices=sorted(PRESETS), default="civ")
    parser.add_argument("--days", type=int, help="the preset's own number if left out")
    arguments = parser.parse_args()

    preset = PRESETS[arguments.preset]
    sizes = [*arguments.users, *([preset.users] if arguments.full else [])] or [20_000]
    days = arguments.days or preset.days
    print(f"{'preset':>9} {'users':>9} {'days':>5} {'rows':>12} {'CPU s':>8} {'wall s':>8} {'peak MB':>9}")
    for users in sizes:
        cpu, wall = time.process_time(), time.perf_counter()
        table = cdr(users, days, preset=preset)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        rows = table.num_rows
        del table
        print(f"{preset.name:>9} {users:>9,} {days:>5} {rows:>12,} {cpu:>8.1f} {wall:>8.1f} {peak_mb():>9,.0f}")
        note(f"synth {preset.name}, {users:,} people, {days} days", cpu_s=cpu, gb=peak_mb() / 1024)


if __name__ == "__main__":
    main()
