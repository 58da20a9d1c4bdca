"""k-merge: pairs per second, groups of ordinary people, one dense member beside a sparse one.

    python benchmarks/kmerge.py [--full]

CPU seconds, best of some rounds; everything on one thread but where it says so. The ratio is to the naive programme,
compiled as well: for each possible end of a part it tries every start. It finds the same costs, or this script ends.
One dense member beside a sparse one is too much for it.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from numba import njit

from figures.noted import note
from shoal.kernels.kmerge.driver import Rule, kmerge_cost2_pairs, kmerge_groups, pair_room, share_price
from shoal.workers import Workers, workers

RULES = {"area": Rule(True), "stretch": Rule(False, 12, 5)}
FEW = 20_000
"""Pairs that the naive programme gets."""

NEVER = 2**62
TO = "faster than the naive programme"


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


@njit(cache=True)
def naive(offsets, t, x, y, member, members, rule, price, out):
    """Cost of the best plan of each group: best[j], of its first j samples, from every best[i] and the part i .. j.

    Parts begin and end between two different times and hold a sample of every member; a price below 0 is none.
    """
    for g in range(members.size):
        low, n = offsets[g], offsets[g + 1] - offsets[g]
        best, seen = np.full(n + 1, NEVER, np.int64), np.zeros(members[g], np.int64)
        best[0] = 0
        for j in range(1, n + 1):
            if j < n and t[low + j] == t[low + j - 1]:
                continue
            missing, is_last_time = members[g], True
            west, east, south, north = x[low + j - 1], x[low + j - 1], y[low + j - 1], y[low + j - 1]
            for i in range(j - 1, -1, -1):
                at = low + i
                west, east, south, north = min(west, x[at]), max(east, x[at]), min(south, y[at]), max(north, y[at])
                if seen[member[at]] != j:
                    seen[member[at]] = j
                    missing -= 1
                if (i and t[at] == t[at - 1]) or best[i] == NEVER:
                    continue
                if is_last_time and price >= 0:
                    best[j] = min(best[j], best[i] + price * (j - i))
                is_last_time = False
                if missing:
                    continue
                space = east - west + north - south + 2 * rule.dx
                time_span = t[low + j - 1] - t[at] + rule.dt
                if rule.area:
                    cost = np.int64(time_span) * space
                else:
                    cost = (j - i) * (np.int64(rule.space_weight) * space + np.int64(rule.time_weight) * time_span)
                best[j] = min(best[j], best[i] + cost)
        out[g] = best[n]


def naively(data: tuple, rule: Rule, price: int | None = None) -> np.ndarray:
    offsets, t, x, y, member, members = (np.asarray(column, np.int64) for column in data)
    out = np.empty(members.size, np.int64)
    naive(offsets, t, x, y, member, members, rule, -1 if price is None else price, out)
    return out


def side_by_side(t, x, y, offsets, a, b) -> tuple:
    """Some pairs of trajectories as groups of two."""
    rows = [(np.r_[offsets[i] : offsets[i + 1]], np.r_[offsets[j] : offsets[j + 1]]) for i, j in zip(a, b, strict=True)]
    every = np.concatenate([np.concatenate(pair) for pair in rows])
    sizes = np.array([[one.size, other.size] for one, other in rows])
    member = np.repeat(np.tile([0, 1], a.size), sizes.ravel())
    group = np.repeat(np.arange(a.size), sizes.sum(axis=1))
    order = np.lexsort((t[every], group))
    every, member = every[order], member[order]
    return np.r_[0, np.cumsum(sizes.sum(axis=1))], t[every], x[every], y[every], member, np.full(a.size, 2)


def pairs(rng: np.random.Generator, count: int, rounds: int) -> None:
    samples = rng.integers(1, 11, 20_000)
    offsets = np.r_[0, np.cumsum(samples)]
    people = [np.sort(rng.integers(0, 60, n)) for n in samples]
    t = np.concatenate(people).astype(np.int32)
    x, y = rng.integers(0, 50, (2, t.size)).astype(np.int32)
    a, b = rng.integers(0, samples.size, (2, count))
    out, room = np.empty(count, np.int64), pair_room(20)
    few = side_by_side(t, x, y, offsets, a[:FEW], b[:FEW])
    for name, rule in RULES.items():
        seconds = cpu(lambda rule=rule: kmerge_cost2_pairs(t, x, y, offsets, a, b, rule, room, out), rounds)
        assert (naively(few, rule) == out[:FEW]).all()
        ratio = cpu(lambda rule=rule: naively(few, rule), rounds) / FEW / (seconds / count)
        print(
            f"pairs, 1-10 samples a side, {name:8} {count / seconds / 1e6:8.2f} M pairs/s, {ratio:.1f} × the naive one"
        )
        note(f"k-merge of {count:,} pairs, {name}", ratio=ratio, to=TO, cpu_s=seconds)


def ordinary(rng: np.random.Generator, count: int, rounds: int, one: Workers) -> None:
    for members in (2, 5):
        data = groups(rng, [[200] * members] * count, 14 * 1440)
        samples = data[0][-1]
        for name, rule in RULES.items():
            for price in (None, 3000):
                seconds = cpu(lambda d=data, r=rule, p=price: kmerge_groups(*d, r, p, workers=one), rounds)
                assert (naively(data, rule, price) == kmerge_groups(*data, rule, price, workers=one).cost).all()
                ratio = cpu(lambda d=data, r=rule, p=price: naively(d, r, p), 1) / seconds
                print(
                    f"{count} groups of {members} x 200, {name:8} price {price!s:>5} {samples / seconds / 1e6:8.2f}"
                    f" M samples/s, {seconds:.3f} s, {ratio:.1f} × the naive one"
                )
                work = f"k-merge of {count:,} groups of {members} × 200, {name}, price {price}"
                note(work, ratio=ratio, to=TO, cpu_s=seconds)
        seconds = cpu(lambda d=data: share_price(*d, RULES["stretch"], 0.08, workers=one), 1)
        print(f"{count} groups of {members} x 200, stretch, price of a share of 0.08: {seconds:.3f} s")
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
