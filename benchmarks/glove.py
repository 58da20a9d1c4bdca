"""GLOVE: the whole command from file to release, and what the bounds save over a full matrix.

    python benchmarks/glove.py            1,000 and 5,000 people, k = 2, 3, 5, 10
    python benchmarks/glove.py --full     also 20,000; 82,728 people are in `nation.py`
    python benchmarks/glove.py --people 287000 --preset sen --k 2
    python benchmarks/glove.py --people 1000000 --preset sen --k 2 --partition 20000

Synthetic call records of two weeks; kernels are compiled before anything is timed. The baseline is the best brute
force there is: every pair of people sample by sample, with SIMD and no bound. For k = 2 the pairs are then taken in
order; for larger k the full matrix gets a row for every new group, from its boxes. The same merges; for 1,000 people.
"""

import argparse
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from pyarrow import parquet

import shoal
from figures.command import used
from figures.noted import note
from shoal import synth
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
from shoal.kernels.glove.boxes import Arena, scaled, stretches
from shoal.kernels.glove.driver import glove
from shoal.kernels.glove.merge import merge_pair
from shoal.kernels.kgap.pairs import stretch_pairs
from shoal.workers import workers

FAR = 2.0
"""Above every Delta."""


KS = (2, 3, 5, 10)
SHORT = [(1_000, KS), (5_000, KS)]
FULL = [(20_000, KS)]


def cpu_of(work):
    cpu = time.process_time()
    result = work()
    return result, time.process_time() - cpu


def all_pairs(traces):
    """Every pair of people, and their stretch."""
    scale = scale_of(traces.grid.space_cap, traces.grid.time_cap)
    people = pack(traces.offsets, traces.t, traces.x, traces.y, scale)
    first, second = np.triu_indices(len(traces), 1)
    total, longer = stretch_pairs(people, scale, first, second)
    return first, second, total / np.diff(people.offsets)[longer] / scale.unit


def taken_in_order(traces):
    """GLOVE's Alg. 1 for k = 2: the nearest pair of those who are left, again and again. Returns the stretches."""
    first, second, delta = all_pairs(traces)
    free, merged = np.ones(len(traces), bool), []
    for pair in np.argsort(delta, kind="stable"):
        if free[first[pair]] and free[second[pair]]:
            free[[first[pair], second[pair]]] = False
            merged.append(float(delta[pair]))
    return merged


def full_matrix(traces, k):
    """GLOVE's Alg. 1 as printed: all pairs first, then a row for every new group. Returns the stretches merged at."""
    if k == 2:
        return taken_in_order(traces)
    scale = scale_of(traces.grid.space_cap, traces.grid.time_cap)
    people = pack(traces.offsets, traces.t, traces.x, traces.y, scale)
    n, half = len(traces), scale.unit // 2
    arena = scaled(people, scale, 5 * k, room=traces.samples)
    wide = [np.concatenate((v, np.zeros(n, v.dtype))) for v in arena[1:]]
    arena, into = Arena(arena.boxes, *wide), np.empty(arena.boxes.shape[1], np.int32)
    matrix = np.full((2 * n, 2 * n), FAR)
    first, second, delta = all_pairs(traces)
    matrix[second, first] = delta
    below, made, used, merged = np.arange(2 * n) < n, n, traces.samples, []

    def fill(group, others):
        totals, wholes = np.empty(others.size, np.int64), np.empty(others.size, np.int64)
        stretches(arena, np.full(others.size, group), others, half, totals, wholes)
        matrix[group, others] = totals / wholes / scale.unit

    while below.sum() >= 2:
        a, b = np.unravel_index(matrix[:made].argmin(), matrix[:made].shape)
        merged.append(float(matrix[a, b]))
        arena.start[made] = used
        merge_pair(arena, a, b, half, made, into)
        used += int(arena.length[made])
        for dead in (a, b):
            below[dead], matrix[dead], matrix[:, dead] = False, FAR, FAR
        if arena.size[made] < k:
            fill(made, np.flatnonzero(below))
            below[made] = True
        made += 1
    return merged


def against_full_matrix(traces, ks):
    print("\n   k   grouping CPU s   full matrix CPU s   ratio")
    for k in ks:
        caps = {"space_cap": traces.grid.space_cap, "time_cap": traces.grid.time_cap}
        columns = traces.offsets, traces.t, traces.x, traces.y
        with workers() as crew:
            grouping, fast = cpu_of(partial(glove, *columns, **caps, k=k, boxes=False, workers=crew))
        expected, slow = cpu_of(lambda k=k: full_matrix(traces, k))
        merged = [merge.total / merge.divisor / grouping.world.scale.unit for merge in grouping.merges]
        assert np.allclose(merged[: len(expected)], expected), "the same merges"
        print(f"{k:>4} {fast:>16.2f} {slow:>19.1f} {slow / fast:>6.0f}x", flush=True)
        to = "faster than brute force, raw pairs with SIMD"
        note(f"groups of {len(traces):,} people, k = {k}", ratio=slow / fast, to=to, cpu_s=fast)


def whole_command(data, k, *options):
    """``shoal protect glove`` in a process of its own, and what it takes."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["protect", "glove", str(data), "--k", str(k), "--quiet"]
        return used(*command, "--out", f"{folder}/release", "--ledger", f"{folder}/ledger", *options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="20,000 people too")
    parser.add_argument("--people", type=int, help="one size only")
    parser.add_argument("--k", default="2,5", help="with --people")
    parser.add_argument("--preset", default="civ")
    parser.add_argument("--partition", help="of the command")
    args = parser.parse_args()
    options = ["--partition", args.partition] if args.partition else []
    plan = [*SHORT, *(FULL if args.full else ())]
    if args.people:
        plan = [(args.people, [int(k) for k in args.k.split(",")])]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "people.parquet"
        parquet.write_table(synth.cdr(200, 3, seed=1), data)
        for k in (2, 3):  # compile
            whole_command(data, k)
        if not args.people:
            for k in (2, 3):
                full_matrix(shoal.read(data), k)
            against_full_matrix(shoal.read(synth.cdr(1_000, 14, preset="civ", seed=1)), KS)
        print("\n   people     samples    k     CPU s    wall s   peak GB")
        for people, ks in plan:
            parquet.write_table(synth.cdr(people, 14, preset=args.preset, seed=1), data)
            samples = parquet.read_metadata(data).num_rows
            for k in ks:
                cpu, wall, memory = whole_command(data, k, *options)
                print(f"{people:>9,} {samples:>11,} {k:>4} {cpu:>9.1f} {wall:>9.1f} {memory:>9.2f}", flush=True)
                note(" ".join([f"protect glove of {people:,} people, k = {k}", *options]), cpu_s=cpu, gb=memory)


if __name__ == "__main__":
    main()
