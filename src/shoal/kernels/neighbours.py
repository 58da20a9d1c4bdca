"""The k-1 nearest people of everybody, exact (GLOVE §4.2; anonymizability §2.2)."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.cascade import LEVELS, SLACK, Crowd, search
from shoal.kernels.content import content_rank
from shoal.kernels.nearest import Lists, insert_pairs, new_lists
from shoal.kernels.people import pack
from shoal.kernels.scale import scale_of
from shoal.kernels.sites import Digest, digest


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Row i: the nearest of person ``targets[i]``, by (Delta, content)."""

    targets: NDArray[np.int64]
    other: NDArray[np.int32]
    total: NDArray[np.int64]
    samples: NDArray[np.int32]
    unit: int
    tally: dict[str, int]


def morton(x: int, y: int) -> int:
    code = 0
    for bit in range(32):
        code |= ((x >> bit) & 1) << (2 * bit) | ((y >> bit) & 1) << (2 * bit + 1)
    return code


def gather(people, table: Digest, members) -> Crowd:
    place = np.empty(table.site_x.size, np.int64)
    codes = [morton(int(x), int(y)) for x, y in zip(table.site_x, table.site_y, strict=True)]
    order = np.array(sorted(range(len(codes)), key=codes.__getitem__), np.int64)
    place[order] = np.arange(order.size)
    home = table.site[table.start[members]]
    samples = np.diff(people.offsets)[members]
    members = members[np.lexsort((-samples, place[home]))]
    home = table.site[table.start[members]]
    starts = np.flatnonzero(np.r_[True, home[1:] != home[:-1]])
    return Crowd(
        members.astype(np.int32),
        np.diff(people.offsets)[members].astype(np.int32),
        table.count[table.start[members]],
        np.r_[starts, members.size].astype(np.int64),
        home[starts],
    )


def neighbours(offsets, t, x, y, *, space_cap, time_cap, k, targets=None, threads=None, progress=None):
    scale = scale_of(space_cap, time_cap)
    people = pack(offsets, t, x, y, scale)
    n = people.offsets.size - 1
    rank = content_rank(people)
    table = digest(people, scale)
    targets = np.arange(n) if targets is None else np.asarray(targets)
    row_of = np.full(n, -1, np.int64)
    row_of[targets] = np.arange(targets.size)
    lists = new_lists(targets.size, min(k - 1, n - 1))
    crowd = gather(people, table, np.arange(n))
    tally = np.zeros(len(LEVELS), np.int64)
    threads = threads or len(os.sched_getaffinity(0))
    owners_all = crowd.member
    def job(owners):
        rows = row_of[owners]
        mine = Lists(*(v[rows] for v in lists))
        last = Lists(*(np.ascontiguousarray(v[:, -1:]) for v in lists))
        with np.errstate(all="ignore"):
            bars = last.total[:, 0] / last.samples[:, 0] / 2**table.shift * (1 + SLACK)
        bars[last.other[:, 0] < 0] = np.inf
        reach = (bars[row_of[crowd.member]] * crowd.samples)
        count = np.zeros(len(LEVELS), np.int64)
        return pool.submit(search, owners, mine, 0, row_of, last, reach, crowd, people, table, rank, scale, count), count
    import time; c0=time.time()
    with ThreadPoolExecutor(threads) as pool:
        from shoal.kernels.seeds import seed, WINDOW
        fs=[pool.submit(seed, lo, min(n,lo+512), lists.other.shape[1], WINDOW, row_of, crowd, people, table, scale) for lo in range(0,n,512)]
        for f in fs:
            insert_pairs(lists, row_of, *f.result(), rank)
        print('seeds',time.time()-c0, np.median(lists.total[:,-1]/lists.samples[:,-1]/4800), (lists.other[:,-1]<0).sum())
        at = 0; size = 16; pending = {}
        while at < n or pending:
            while at < n and len(pending) < threads + 1:
                f, c = job(owners_all[at:at + size])
                pending[f] = c
                at += size; size = min(2 * size, max(16, n // 400))
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for f in done:
                pairs, totals, samples = f.result()
                tally += pending.pop(f)
                insert_pairs(lists, row_of, pairs, totals, samples, rank)
    return Neighbours(targets, *lists, scale.unit, dict(zip(LEVELS, tally.tolist())))
