"""Whether two versions of the code find the same: digests of k-gaps and of groups.

    python benchmarks/same.py                                20,000 people of civ; Gowalla and a day of Cabspotting too
    python benchmarks/same.py --people 2000                  fewer
    python benchmarks/same.py --only gowalla                 one of civ, gowalla, cabspotting

A line for each data set, k and result. Run it before a change and after it and compare the lines: they must be the
same to the last digit. What is digested: of the k-gap everybody's nearest and the exact fractions of their stretch; of
the greedy every merge, in its order, with its fraction, the members of every group, and the paper's boxes.
"""

import argparse
import hashlib
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl

import shoal
from shoal import synth
from shoal.kernels.glove.driver import glove
from shoal.kernels.kgap.neighbours import neighbours
from shoal.workers import workers

REAL = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"


def civ(people):
    return synth.cdr(people, 14, preset="civ", seed=1)


def gowalla(_):
    return pl.read_parquet(REAL / "gowalla_nyc.parquet")


def cabspotting(_):
    """The first day: hundreds of positions each, and more sites than tables have rows."""
    cabs = pl.scan_parquet(REAL / "cabspotting.parquet")
    start = cabs.select(pl.col("datetime").min()).collect().item()
    return cabs.filter(pl.col("datetime") < start + timedelta(days=1)).collect()


DATA = {"civ": civ, "gowalla": gowalla, "cabspotting": cabspotting}


def digest_of(*arrays):
    """The first digits of SHA-256, over whole numbers of 64 bits."""
    digest = hashlib.sha256()
    for values in arrays:
        whole = np.ascontiguousarray(values, np.int64)
        digest.update(str(whole.shape).encode() + whole.tobytes())
    return digest.hexdigest()[:24]


def of_gaps(columns, k, caps, crew):
    found = neighbours(*columns, k=k, workers=crew, **caps)
    return digest_of(found.targets, found.other, found.total, found.samples)


def of_groups(columns, k, caps, crew):
    grouping = glove(*columns, k=k, workers=crew, **caps)
    # Merges name groups by numbers that say when they were planned: people are named instead.
    merges = [[merge.total, merge.divisor] for merge in grouping.merges]
    sizes = [members.size for members in grouping.members]
    offsets, boxes, box_of = grouping.fingerprints()
    return digest_of(merges, sizes, np.concatenate(grouping.members), grouping.suppressed, offsets, *boxes, box_of)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=20_000, help="of civ")
    parser.add_argument("--only", choices=DATA, help="one data set")
    parser.add_argument("--k", type=int, nargs="*", default=[2, 5])
    parser.add_argument("--full", action="store_true", help="the same: there is no longer table")
    args = parser.parse_args()
    for name, make in DATA.items():
        if (args.only or name) != name:
            continue
        if name != "civ" and not REAL.exists():
            print(f"{name} skipped: no public data beside the repository")
            continue
        traces = shoal.read(make(args.people))
        caps = {"space_cap": traces.grid.space_cap, "time_cap": traces.grid.time_cap}
        columns = np.array(traces.offsets), traces.t, traces.x, traces.y
        for k in args.k:
            for result, work in (("k-gaps", of_gaps), ("groups", of_groups)):
                cpu = time.process_time()
                with workers() as crew:
                    digest = work(columns, k, caps, crew)
                cpu = time.process_time() - cpu
                print(
                    f"{name:>12} {len(traces):>7,} people  k = {k}  {result}  {digest}  {cpu:>7.1f} CPU s", flush=True
                )


if __name__ == "__main__":
    main()
