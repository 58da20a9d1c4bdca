"""k-merge: pairs per second, groups of ordinary people, one dense member beside a sparse one.

    python benchmarks/kmerge.py [--full]

CPU seconds, best of some rounds; everything on one thread but the last lines. The ratio is to a sort of as many
numbers in the same process, so that figures from different machines can be set side by side.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from shoal.kernels.kmerge.driver import Rule, kmerge_cost2_pairs, kmerge_groups, pair_room, suppress_share
from shoal.workers import Workers, workers

RULES = {"area": Rule(True), "stretch": Rule(False, 12, 5)}


def cpu(work: Callable[[], object], rounds: int, clock: Callable[[], float] = time.process_time) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def person(rng: np.random.Generator, samples: int, minutes: int, places: int = 7) -> list[np.ndarray]:
    """Someone who goes from place to place, some samples at each; in grid units of 100 m and 1 min."""
    t = np.sort(rng.integers(0, minutes, samples))
    where = np.repeat(rng.integers(0, places, samples // 8 + 1), 8)[:samples]
    x, y = rng.integers(0, 300, (2, places))
    return [t, x[where], y[where]]


def groups(rng: np.random.Generator, sizes: list[list[int]], minutes: int) -> tuple:
    """Arguments of `kmerge_groups`: a group for each list of its members' numbers of samples."""
    offsets, columns = [0], []
    for group in sizes:
        t, x, y = np.concatenate([person(rng, n, minutes) for n in group], axis=1)
        order = np.argsort(t, kind="stable")
        columns.append(np.stack([t, x, y, np.repeat(np.arange(len(group)), group)])[:, order])
        offsets.append(offsets[-1] + t.size)
    return offsets, *np.concatenate(columns, axis=1), [len(group) for group in sizes]


def pairs(rng: np.random.Generator, count: int, rounds: int) -> None:
    samples = rng.integers(1, 11, 20_000)
    offsets = np.r_[0, np.cumsum(samples)]
    people = [np.sort(rng.integers(0, 60, n)) for n in samples]
    t = np.concatenate(people).astype(np.int32)
    x, y = rng.integers(0, 50, (2, t.size)).astype(np.int32)
    a, b = rng.integers(0, samples.size, (2, count))
    out, room = np.empty(count, np.int64), pair_room(20)
    numbers = rng.integers(0, 2**30, count)
    sort = cpu(lambda: np.sort(numbers), rounds)
    for name, rule in RULES.items():
        seconds = cpu(lambda rule=rule: kmerge_cost2_pairs(t, x, y, offsets, a, b, rule, room, out), rounds)
        print(
            f"pairs, 1-10 samples a side, {name:8} {count / seconds / 1e6:8.2f} M pairs/s, {seconds / sort:.2f} sorts"
        )


def ordinary(rng: np.random.Generator, count: int, rounds: int, one: Workers) -> None:
    for members in (2, 5):
        data = groups(rng, [[200] * members] * count, 14 * 1440)
        samples, numbers = data[0][-1], rng.integers(0, 2**30, data[0][-1])
        sort = cpu(lambda numbers=numbers: np.sort(numbers), rounds)
        for name, rule in RULES.items():
            for price in (None, 3000):
                seconds = cpu(lambda d=data, r=rule, p=price: kmerge_groups(*d, r, p, workers=one), rounds)
                print(
                    f"{count} groups of {members} x 200, {name:8} price {price!s:>5} {samples / seconds / 1e6:8.2f}"
                    f" M samples/s, {seconds:.3f} s, {seconds / sort:.1f} sorts"
                )
        seconds = cpu(lambda d=data: suppress_share(*d, RULES["stretch"], 0.08, workers=one), 1)
        print(f"{count} groups of {members} x 200, stretch, share 0.08 left out: {seconds:.3f} s")
        for threads in (1, 2):
            with workers(threads) as crew:
                merge = partial(kmerge_groups, *data, RULES["stretch"], workers=crew)
                seconds = cpu(merge, rounds, time.perf_counter)
            print(f"{count} groups of {members} x 200, stretch, {threads} threads: {seconds:.3f} s wall")


def lopsided(rng: np.random.Generator, full: bool, one: Workers) -> None:
    cases = [(100_000, 10), (1_000_000, 1)] + [(1_000_000, 10)] * full
    for dense, sparse in cases:
        data = groups(rng, [[dense, sparse]], 1_200_000)
        for name, rule in RULES.items():
            for price in (None, 4800, 10**9):
                seconds = cpu(lambda d=data, r=rule, p=price: kmerge_groups(*d, r, p, workers=one), 1)
                print(f"{dense:,} samples beside {sparse}, {name:8} price {price!s:>10} {seconds:8.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="ten times the work, and 10^6 samples beside 10")
    args = parser.parse_args()
    rng = np.random.default_rng(1)
    small = groups(rng, [[100, 3]], 1000)
    with workers(1) as one:
        for rule in RULES.values():  # compile, or load what is compiled
            kmerge_groups(*small, rule, workers=one)
        pairs(rng, 3_000_000 if args.full else 300_000, 5)
        ordinary(rng, 5_000 if args.full else 500, 5, one)
        lopsided(rng, args.full, one)


if __name__ == "__main__":
    main()
