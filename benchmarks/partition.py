"""What neighbourhoods (--partition) cost GLOVE, or kte, in accuracy, and save in time, against everybody at once.

    python benchmarks/partition.py                    5,000 people, k = 2 and 5
    python benchmarks/partition.py --full             20,000 (k = 2, 5) and 82,000 (k = 2)
    python benchmarks/partition.py --people 82000 --k 2 --parts 20000,5000
    python benchmarks/partition.py --mechanism kte --people 5000 --parts 1250

Mean spans per raw sample of synthetic civ, two weeks; for kte of abidjan, two days, 60 min. Beside them the difference
to everybody at once in the same run, and the share of samples that is left out. CPU and wall seconds of ``protect``;
neighbourhoods first one after the other, each with all threads, then side by side.
"""

import argparse
import tempfile
import time
from pathlib import Path

import shoal
from shoal import synth
from shoal.engines.local import Local
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.kte import Kte

SHORT = [(5_000, 2, (2_500, 1_000)), (5_000, 5, (2_500, 1_000))]
FULL = [(20_000, 2, (5_000, 2_500, 1_000)), (20_000, 5, (5_000, 2_500)), (82_000, 2, (20_000, 5_000))]


MECHANISMS = {"glove": (Glove, "civ", 14), "kte": (Kte, "abidjan", 2)}
"""With the people and the days that they are measured on."""


def measured(mechanism, traces, beside):
    """Mean span in km and minutes, the share left out, CPU seconds, wall seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    release = mechanism.protect(traces, engine=Local(beside=beside))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    with tempfile.TemporaryDirectory() as folder:
        path, secret = Path(folder) / "release", Path(folder) / "secret"
        release.write(path, secret=secret, record=False)
        found = shoal.utility(path, original=traces, secret=secret).to_dict()
    km, minutes = (found["per_sample"][name]["mean"] for name in ("span_max_m", "span_s"))
    return km / 1000, minutes / 60, found["samples_deleted_share"], cpu, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--mechanism", choices=MECHANISMS, default="glove")
    parser.add_argument("--full", action="store_true", help="20,000 and 82,000 people")
    parser.add_argument("--people", type=int, help="one size only")
    parser.add_argument("--k", type=int, default=2)
    parser.add_argument("--parts", default="20000,5000", help="largest neighbourhoods, with --people")
    arguments = parser.parse_args()
    plan = FULL if arguments.full else SHORT
    if arguments.people:
        plan = [(arguments.people, arguments.k, tuple(int(part) for part in arguments.parts.split(",")))]
    mechanism, preset, days = MECHANISMS[arguments.mechanism]
    for k in (2, 3):
        mechanism(k=k).protect(synth.cdr(60, 1, preset=preset, seed=0))  # compiled before anything is timed
    print("people     k  neighbourhoods            mean span per sample     against all   left out     CPU s   wall s")
    for people, k, parts in plan:
        traces = shoal.read(synth.cdr(people, days, preset=preset, seed=0))
        at_once = None
        for part, beside in ((None, None), *((part, beside) for part in parts for beside in (1, None))):
            km, minutes, left_out, cpu, wall = measured(mechanism(k=k, partition=part), traces, beside)
            at_once = at_once or (km, minutes)
            loss = "" if part is None else f"{km / at_once[0] - 1:+7.1%} {minutes / at_once[1] - 1:+7.1%}"
            size = "all at once" if part is None else f"at most {part:,}{', in turn' if beside else ''}"
            spans = f"{km:>7.2f} km {minutes:>7.1f} min"
            print(
                f"{people:>7,} {k:>4}  {size:<24} {spans}  {loss:>16} {left_out:>8.2%} {cpu:>10.1f} {wall:>8.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
