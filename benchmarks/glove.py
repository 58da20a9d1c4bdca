"""GLOVE: grouping and publication, and what the bounds save over a full matrix.

    python benchmarks/glove.py            1,000 and 5,000 people
    python benchmarks/glove.py --full     also 20,000 (k = 2, 3, 5, 10) and 82,000 (k = 2, 5)

CPU seconds and wall seconds on synthetic call records of two weeks. The baseline is a full matrix in compiled code, of
this file: the same integers and the same merges, no bounds, no lists; it serves for 1,000 people only.
"""

import argparse
import resource
import time

import numpy as np

import shoal
from shoal import synth
from shoal.kernels.boxes import Arena, scaled, stretches
from shoal.kernels.glove import glove
from shoal.kernels.merge import merge_pair
from shoal.kernels.people import pack
from shoal.kernels.scale import scale_of
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.glove.kmerge import publish_kmerge

FAR = 2.0
"""Above every Delta."""


def measured(work):
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return result, time.process_time() - cpu, time.perf_counter() - wall


def full_matrix(traces, k):
    """GLOVE's Alg. 1 as printed: all pairs first, then a row for every new group. Returns the stretches merged at."""
    scale = scale_of(traces.grid.space_cap, traces.grid.time_cap)
    people = pack(traces.offsets, traces.t, traces.x, traces.y, scale)
    n, half = len(traces), scale.unit // 2
    arena = scaled(people, scale, 5 * k, room=traces.samples)
    wide = [np.concatenate((v, np.zeros(n, v.dtype))) for v in arena[1:]]
    arena, into = Arena(arena.boxes, *wide), np.empty(arena.boxes.shape[1], np.int32)
    matrix = np.full((2 * n, 2 * n), FAR)
    below, made, used, merged = np.arange(2 * n) < n, n, traces.samples, []

    def fill(group, others):
        totals, wholes = np.empty(others.size, np.int64), np.empty(others.size, np.int64)
        stretches(arena, np.full(others.size, group), others, half, totals, wholes)
        matrix[group, others] = totals / wholes / scale.unit

    for group in range(1, n):
        fill(group, np.arange(group))
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


def run(people, ks, baseline):
    traces = shoal.read(synth.cdr(people, 14, preset="civ", seed=1))
    print(f"\n{people:,} people, {traces.samples:,} samples")
    for k in ks:
        caps = {"space_cap": traces.grid.space_cap, "time_cap": traces.grid.time_cap}
        grouping, cpu, wall = measured(lambda k=k, caps=caps: glove(*columns(traces), **caps, k=k))
        print(f"  k = {k:2}: grouping    {cpu:8.1f} s CPU {wall:8.1f} s wall, {len(grouping.groups):,} groups")
        _, cpu_2, wall_2 = measured(
            lambda k=k, grouping=grouping: publish_kmerge(traces, grouping, Glove(k=k), traces.grid)
        )
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"          publication {cpu_2:8.1f} s CPU {wall_2:8.1f} s wall, {memory:.2f} GB so far")
        if baseline:
            expected, slow, _ = measured(lambda k=k: full_matrix(traces, k))
            merged = [merge.total / merge.whole / grouping.store.world.scale.unit for merge in grouping.merges]
            assert np.allclose(merged[: len(expected)], expected), "the same merges"
            print(f"          full matrix {slow:8.1f} s CPU: {slow / cpu:.1f} times as much")


def columns(traces):
    return traces.offsets, traces.t, traces.x, traces.y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="20,000 and 82,000 people too: about an hour")
    full = parser.parse_args().full
    warm = shoal.read(synth.cdr(200, 3, preset="civ", seed=1))
    for k in (2, 3):  # compile
        Glove(k=k).protect(warm)
        full_matrix(warm, k)
    run(1_000, (2, 5), baseline=True)
    run(5_000, (2, 3, 5), baseline=False)
    if full:
        run(20_000, (2, 3, 5, 10), baseline=False)
        run(82_000, (2, 5), baseline=False)


if __name__ == "__main__":
    main()
