"""What GLOVE in neighbourhoods (--partition) costs in accuracy, and saves in time, against everybody at once.

    python benchmarks/partition.py                    5,000 people, k = 2 and 5
    python benchmarks/partition.py --full             20,000 (k = 2, 5) and 82,000 (k = 2)
    python benchmarks/partition.py --people 82000 --k 2 --parts 20000,5000

Mean spans per raw sample of synthetic civ, two weeks, nothing suppressed; beside them the difference to the exact
algorithm in the same run. CPU and wall seconds of ``protect``; neighbourhoods first one after the other, each with all
threads, then side by side.
"""

import argparse
import tempfile
import time
from pathlib import Path

import shoal
from shoal import synth
from shoal.engines.local import Local
from shoal.mechanisms.glove import Glove

SHORT = [(5_000, 2, (2_500, 1_000)), (5_000, 5, (2_500, 1_000))]
FULL = [(20_000, 2, (5_000, 2_500, 1_000)), (20_000, 5, (5_000, 2_500)), (82_000, 2, (20_000, 5_000))]


def measured(traces, k, partition, beside):
    """Mean span in km and minutes, CPU seconds, wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    release = Glove(k=k, partition=partition).protect(traces, engine=Local(beside=beside))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    with tempfile.TemporaryDirectory() as folder:
        path, secret = Path(folder) / "release", Path(folder) / "secret"
        release.write(path, secret=secret, record=False)
        spans = shoal.utility(path, original=traces, secret=secret).to_dict()["per_sample"]
    return spans["span_max_m"]["mean"] / 1000, spans["span_s"]["mean"] / 60, cpu, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="20,000 and 82,000 people")
    parser.add_argument("--people", type=int, help="one size only")
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--parts", default="20000,5000", help="largest neighbourhoods, with --people")
    arguments = parser.parse_args()
    plan = FULL if arguments.full else SHORT
    if arguments.people:
        plan = [(arguments.people, arguments.k, tuple(int(part) for part in arguments.parts.split(",")))]
    Glove(k=2).protect(synth.cdr(20, 1, seed=0))  # compiled before anything is timed
    Glove(k=3).protect(synth.cdr(20, 1, seed=0))
    print("people     k  neighbourhoods            mean span per sample     against exact      CPU s   wall s")
    for people, k, parts in plan:
        traces = shoal.read(synth.cdr(people, 14, preset="civ", seed=0))
        exact = None
        for part, beside in ((None, None), *((part, beside) for part in parts for beside in (1, None))):
            km, minutes, cpu, wall = measured(traces, k, part, beside)
            exact = exact or (km, minutes)
            loss = "" if part is None else f"{km / exact[0] - 1:+7.1%} {minutes / exact[1] - 1:+7.1%}"
            size = "all at once" if part is None else f"at most {part:,}{', in turn' if beside else ''}"
            spans = f"{km:>7.2f} km {minutes:>7.1f} min"
            print(f"{people:>7,} {k:>4}  {size:<24} {spans}  {loss:>16} {cpu:>10.1f} {wall:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
