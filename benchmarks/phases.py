"""Where the time of `measure` and of `protect glove` goes: CPU and wall seconds, and the highest memory, by phase.

    python benchmarks/phases.py                      20,000 people, measure and glove, k = 2
    python benchmarks/phases.py --full               82,728, the size of the paper's data set
    python benchmarks/phases.py --work measure --people 5000 --k 5

Synthetic civ, two weeks, from a file to the result (of `protect` the release is not written). Phases are those that the
progress bars name: what is told between two of them belongs to the first. Each work runs in a process of its own,
after a small run of the same that has compiled the kernels.
"""

import argparse
import multiprocessing
import tempfile
import time
from pathlib import Path

from pyarrow import parquet

import shoal
from figures.memory import highest_gb
from figures.noted import note
from shoal import synth
from shoal.engines.local import Local
from shoal.mechanisms.base import Run

CIV_USERS = 82_728


class Clock:
    """Told of progress, it notes what each phase takes."""

    def __init__(self):
        self.rows, self.phase, self.since = {}, "start", self.now()

    @staticmethod
    def now():
        return time.process_time(), time.perf_counter()

    def __call__(self, phase, done=0, total=0):
        del done, total
        phase = phase.partition(" · ")[0]
        if phase != self.phase:
            now = self.now()
            cpu, wall, peak = self.rows.get(self.phase, (0, 0, 0))
            self.rows[self.phase] = cpu + now[0] - self.since[0], wall + now[1] - self.since[1], max(peak, highest_gb())
            self.phase, self.since = phase, now


def measured(path, k, told):
    shoal.measure(path, k, progress=told)


def grouped(path, k, told):
    traces = shoal.read(path, progress=told)
    told("laying out")
    shoal.Glove(k=k)._protect(traces, Run(engine=Local(), progress=told))


WORK = {"measure": measured, "glove": grouped}


def timed(work, path, k):
    """The rows of one work, in this process."""
    clock = Clock()
    WORK[work](path, k, clock)
    clock("end")
    return clock.rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help=f"{CIV_USERS:,} people")
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--work", choices=WORK, help="one of both")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.parquet", Path(folder) / "many.parquet"
        parquet.write_table(synth.cdr(200, 14, preset="civ", seed=1), few)
        people = CIV_USERS if args.full else args.people
        parquet.write_table(synth.cdr(people, 14, preset="civ", seed=1), many)
        for work in [args.work] if args.work else WORK:
            for path in (few, many):
                with multiprocessing.get_context("spawn").Pool(1) as alone:
                    rows = alone.apply(timed, (work, path, args.k))
            print(f"\n{work}, {people:,} people, k = {args.k}       CPU s   wall s   peak GB")
            for phase, (cpu, wall, peak) in rows.items():
                print(f"    {phase:<32} {cpu:>8.1f} {wall:>8.1f} {peak:>9.2f}")
            cpu, wall, _ = (sum(column) for column in zip(*rows.values(), strict=True))
            highest = max(peak for *_, peak in rows.values())
            note(f"{work} of {people:,} people, k = {args.k}", cpu_s=cpu, gb=highest)
            print(f"    {'all':<32} {cpu:>8.1f} {wall:>8.1f} {highest:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
