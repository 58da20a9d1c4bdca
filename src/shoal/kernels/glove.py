"""GLOVE's greedy (§6.1, Alg. 1) without its matrix: the same merges in the same order.

All groups below k compete, and the pair of least (Delta, smaller content, larger content) merges. Every group keeps an
exact list of its nearest among the groups that were alive when it was made (raw people: among raw people): whoever is
younger keeps the pair in its own list. To such a list only deletions ever happen, so its first living entry is
the nearest; when all are dead the list is made anew. A heap holds one entry per group, its nearest when last looked
at: keys only grow, so an entry is brought up to date when it comes to the top.

Merging and searching take nearly all the time and are done ahead of it, in threads: for the next pairs in the
heap's order as if they were certain, which they nearly always are. A prepared group is used when its pair comes
to the top with both alive, after its list has been offered the groups made in the meantime; otherwise it is
dropped. So the result does not depend on threads, nor on how far ahead they work.

The printed loop can leave one group below k. Repaired: it joins the finished group at the least rank, unless Delta
exceeds ``leftover_limit``: then its people are suppressed.
"""

import heapq
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.boxes import stretches
from shoal.kernels.glove_query import LEVELS, NOBODY, Crowd, Jobs, Nearest, extend, new_nearest, work
from shoal.kernels.glove_reshape import follow
from shoal.kernels.glove_store import Store, store_of
from shoal.kernels.neighbours import neighbours
from shoal.kernels.people import pack
from shoal.kernels.scale import scale_of
from shoal.kernels.survey import survey

Progress = Callable[[str, int, int], None]
Ints = NDArray[np.int64]

NEAREST_PEOPLE = 6
"""Length of the lists of raw people."""

NEAREST_GROUPS = 4
"""Length of the lists of merged groups, and of those of raw people that are made anew."""

AHEAD = 64
"""Jobs prepared in one go, and..."""

CHUNK = 4
"""...how many of them a thread takes at a time."""


class Merged(NamedTuple):
    """One merge: the groups (numbers as in `Grouping`), and Delta as the fraction total / whole."""

    first: int
    second: int
    total: int
    whole: int


@dataclass(frozen=True, slots=True)
class Grouping:
    """What the greedy leaves. Groups have numbers: people first, then one per merge.

    Attributes
    ----------
    merges
        In their order; merge i made group ``made[i]``.
    groups
        Numbers of the finished groups.
    members
        Of each finished group, indices of people, ascending.
    suppressed
        Indices of the people who are in no group.
    """

    merges: list[Merged]
    made: list[int]
    groups: list[int]
    members: list[NDArray[np.int64]]
    suppressed: NDArray[np.int64]
    store: Store
    origin: tuple[int, int, int]
    """Least t, x and y of the data: the boxes in ``store`` are relative to it."""
    tally: dict[str, int]

    def fingerprints(self) -> tuple[Ints, tuple[Ints, Ints, Ints, Ints, Ints, Ints], Ints]:
        """Boxes of the finished groups: offsets, (t, dt, x, dx, y, dy), and for each sample the box it is in, or -1."""
        arena, world, scale = self.store.arena, self.store.world, self.store.world.scale
        counts = arena.length[self.groups].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(counts)))
        rows = np.repeat(arena.start[self.groups] - offsets[:-1], counts) + np.arange(offsets[-1])
        weights = scale.time_weight, scale.space_weight, scale.space_weight
        columns = []
        for axis, (weight, least) in enumerate(zip(weights, self.origin, strict=True)):
            start, end = (arena.boxes[row, rows].astype(np.int64) // weight for row in (2 * axis, 2 * axis + 1))
            columns += [start + least, end - start]
        place = np.full(self.store.boxes, -1, np.int64)
        place[rows] = np.arange(rows.size)
        child = np.full(self.store.groups, -1, np.int64)
        for merge, made in zip(self.merges, self.made, strict=True):
            child[[merge.first, merge.second]] = made
        lengths, here = np.diff(world.people.offsets), np.empty(world.people.t.size, np.int64)
        follow(world.people.offsets, arena.start, child, self.store.into, here)
        # People stand in another order here than in the input.
        back = np.empty(world.order.size, np.int64)
        back[world.order] = np.arange(world.order.size)
        starts = np.concatenate(([0], np.cumsum(lengths[back])))[:-1]
        samples = np.repeat(world.people.offsets[back] - starts, lengths[back]) + np.arange(here.size)
        t, dt, x, dx, y, dy = columns
        return offsets, (t, dt, x, dx, y, dy), place[here[samples]]


class Pair:
    """An entry of the heap: a group and its nearest, or, where ``other`` is nobody, a group that must look anew."""

    __slots__ = ("group", "last", "other", "store", "total", "whole")

    def __init__(self, store: Store, group: int, other: int, total: int, whole: int, last: int) -> None:
        self.store, self.group, self.other = store, group, other
        self.total, self.whole, self.last = total, whole, last

    def __lt__(self, than: "Pair") -> bool:
        """Exact order of entries whose Delta is the same float; ``last`` is whom a bound was taken from."""
        mine, theirs = self.total * than.whole, than.total * self.whole
        if mine != theirs:
            return mine < theirs
        compare = self.store.compare
        a, b = (self.group, self.last) if compare(self.group, self.last) <= 0 else (self.last, self.group)
        c, d = (than.group, than.last) if compare(than.group, than.last) <= 0 else (than.last, than.group)
        order = compare(a, c) or compare(b, d)
        return order < 0 or (order == 0 and self.other != NOBODY and than.other == NOBODY)


class Prepared(NamedTuple):
    """A group made ahead of time: its number, its list, how many groups had been made by then."""

    number: int
    near: Nearest
    made: int


class Greedy:
    """The state of the loop."""

    def __init__(self, store: Store, k: int, near: Nearest, pool: ThreadPoolExecutor) -> None:
        self.store, self.k, self.pool = store, k, pool
        n = store.people
        self.near: dict[int, tuple[list[int], list[int], list[int]]] = {}
        self.at: dict[int, int] = {}
        self.whole: dict[int, bool] = {}
        self.heap: list[tuple[float, Pair]] = []
        self.prepared: dict[tuple[int, int], Prepared] = {}
        self.plans: dict[int, tuple[int, int]] = {}
        self.below, self.done = n, 0
        self.merges: list[Merged] = []
        self.made: list[int] = []
        self.finished: list[int] = []
        self.living: set[int] = set()
        self.tally = np.zeros(len(LEVELS), np.int64)
        for p in range(n):
            self.keep(p, near, p)

    def keep(self, group: int, near: Nearest, row: int) -> None:
        """Give a group a new list, and the heap its first entry. A list with room left has everybody in it."""
        others = near.other[row].tolist()
        width = len(others)
        while width and others[width - 1] == NOBODY:
            width -= 1
        self.near[group] = others[:width], near.total[row].tolist()[:width], near.whole[row].tolist()[:width]
        self.whole[group] = width < len(others)
        self.at[group] = 0
        self.push(group)

    def push(self, group: int) -> None:
        """Enter a group at its nearest living, at the bound that a spent list gives, or not at all."""
        others, totals, wholes = self.near[group]
        alive, at = self.store.alive, self.at[group]
        while at < len(others) and not alive[others[at]]:
            at += 1
        self.at[group] = at
        other = NOBODY
        if at < len(others):
            other = others[at]
        elif self.whole[group]:
            return  # whoever is near to it is younger and has the pair
        else:
            at -= 1
        pair = Pair(self.store, group, other, totals[at], wholes[at], others[at])
        heapq.heappush(self.heap, (totals[at] / wholes[at], pair))

    def top(self) -> Pair:
        """Take the least entry that is up to date."""
        alive = self.store.alive
        while True:
            _, pair = heapq.heappop(self.heap)
            if not alive[pair.group]:
                continue
            if pair.other == NOBODY or alive[pair.other]:
                return pair
            self.push(pair.group)

    def look_ahead(self) -> None:
        """Prepare what the next entries of the heap will ask for."""
        taken: list[Pair] = []
        claimed: set[int] = set()
        again: list[int] = []
        pairs: list[tuple[int, int]] = []
        while self.heap and len(again) + len(pairs) < AHEAD and len(taken) < 2 * AHEAD:
            try:
                pair = self.top()
            except IndexError:
                break
            if pair.group in claimed:
                taken.append(pair)
                continue
            if pair.other == NOBODY:
                again.append(pair.group)
                claimed.add(pair.group)
                continue
            taken.append(pair)
            if pair.other in claimed:
                continue
            claimed.update((pair.group, pair.other))
            key = min(pair.group, pair.other), max(pair.group, pair.other)
            if key not in self.prepared:
                pairs.append(key)
        for pair in taken:
            heapq.heappush(self.heap, (pair.total / pair.whole, pair))
        self.prepare(again, pairs)

    def prepare(self, again: list[int], pairs: list[tuple[int, int]]) -> None:
        """Make groups of these pairs, and lists for them and for those who must look anew."""
        store = self.store
        for pair in pairs:
            for member in pair:
                self.forget(member)
        numbers = store.plan(pairs)
        for pair in pairs:
            for member in pair:
                self.plans[member] = pair
        people = store.people
        targets = np.array([*again, *numbers], np.int64)
        parents = np.full((targets.size, 2), NOBODY, np.int64)
        parents[len(again) :] = np.array(pairs, np.int64).reshape(-1, 2)
        ask = np.zeros(targets.size, np.int8)
        seeds = np.full((targets.size, 2 * NEAREST_PEOPLE), NOBODY, np.int64)
        for j, target in enumerate(targets.tolist()):
            if store.arena.size[target] < self.k:
                ask[j] = 1 if target < people else 2
            if ask[j] == 2:
                near = {other for side in parents[j].tolist() if side >= 0 for other in self.near[side][0]}
                alive = [other for other in near if store.alive[other]][: seeds.shape[1]]
                seeds[j, : len(alive)] = alive
        lists = new_nearest(targets.size, NEAREST_GROUPS)
        groups, crowd = np.array(sorted(self.living), np.int64), store.crowd()
        self.run(Jobs(targets, parents, ask, seeds), lists, groups, crowd)
        for j, group in enumerate(again):
            self.keep(group, lists, j)
        for j, pair in enumerate(pairs):
            row = len(again) + j
            self.prepared[pair] = Prepared(numbers[j], lists.rows(slice(row, row + 1)), len(self.made))

    def run(self, jobs: Jobs, lists: Nearest, groups: NDArray[np.int64], crowd: Crowd) -> None:
        store = self.store
        futures = []
        for lo in range(0, jobs.target.size, CHUNK):
            part = slice(lo, lo + CHUNK)
            tally = np.zeros(len(LEVELS), np.int64)
            future: Future[None] = self.pool.submit(
                work,
                jobs.rows(part),
                lists.rows(part),
                store.into,
                groups,
                crowd,
                store.ground,
                store.arena,
                store.outlines,
                store.clocks,
                tally,
            )
            futures.append((future, tally))
        for future, tally in futures:
            future.result()
            self.tally += tally

    def forget(self, member: int) -> None:
        """Drop what was prepared with this member."""
        pair = self.plans.pop(member, None)
        if pair is not None:
            self.prepared.pop(pair, None)

    def commit(self, pair: Pair, ready: Prepared) -> None:
        """Replace a pair by the group made of it."""
        store, number = self.store, ready.number
        for member in (pair.group, pair.other):
            store.alive[member] = False
            self.living.discard(member)
            self.near.pop(member)
        self.merges.append(Merged(pair.group, pair.other, pair.total, pair.whole))
        size = int(store.arena.size[number])
        if size >= self.k:
            self.finished.append(number)
            self.below -= 2
            self.done += size
        else:
            self.below -= 1
            young = [g for g in self.made[ready.made :] if store.alive[g]]
            if young:
                extend(number, np.array(young, np.int64), ready.near, store.arena, store.ground.half)
            store.alive[number] = True
            self.living.add(number)
            self.keep(number, ready.near, 0)
        self.made.append(number)

    def loop(self, progress: Progress | None) -> None:
        """Merge until fewer than two groups are below k."""
        total = self.store.people
        while self.below >= 2:
            pair = self.top()
            ready = None
            if pair.other != NOBODY:
                ready = self.prepared.pop((min(pair.group, pair.other), max(pair.group, pair.other)), None)
            if ready is None:
                heapq.heappush(self.heap, (pair.total / pair.whole, pair))
                self.look_ahead()
                if progress is not None:
                    progress("grouping", self.done, total)
            else:
                self.commit(pair, ready)

    def join_leftover(self, leftover_limit: float, unit: int) -> list[int]:
        """Let the one group that may be left below k join a finished one; give it back if none is near enough."""
        store = self.store
        left = [*np.flatnonzero(store.alive[: store.people]).tolist(), *self.living]
        if not left:
            return []
        others = np.array(self.finished, np.int64)
        totals, wholes = np.empty(others.size, np.int64), np.empty(others.size, np.int64)
        stretches(store.arena, np.full(others.size, left[0]), others, store.ground.half, totals, wholes)
        deltas = totals / wholes
        entries = [
            Pair(store, left[0], int(others[i]), int(totals[i]), int(wholes[i]), int(others[i]))
            for i in np.flatnonzero(deltas == deltas.min())
        ]
        best = min(entries)
        if Fraction(best.total, unit * best.whole) > leftover_limit:
            return left
        pair = best.group, best.other
        number = store.plan([pair])[0]
        jobs = Jobs(np.array([number]), np.array([pair]), np.zeros(1, np.int8), np.empty((1, 0), np.int64))
        self.run(jobs, new_nearest(1, 1), others, store.crowd())
        self.finished.remove(best.other)
        self.finished.append(number)
        self.merges.append(Merged(*pair, best.total, best.whole))
        self.made.append(number)
        return []


def glove(
    offsets: NDArray[np.int64],
    t: NDArray[np.int32],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
    *,
    space_cap: int,
    time_cap: int,
    k: int,
    leftover_limit: float = 1,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Grouping:
    """Group people by k or more, as GLOVE's Alg. 1 does; ties as in `shoal.kernels.boxes`.

    Parameters
    ----------
    offsets, t, x, y
        People as in `shoal.kernels`.
    space_cap, time_cap
        20 km and 8 h in grid cells.
    k
        At least 2 and at most the number of people.
    leftover_limit
        Largest Delta at which a last group below k joins a finished one.
    threads
        As many as there are processors for this process by default.
    progress
        Called as ``progress(phase, done, total)`` in the calling thread; may raise to interrupt.
    """
    scale = scale_of(space_cap, time_cap)
    people = pack(offsets, t, x, y, scale)
    if k < 2 or people.offsets.size - 1 < k:
        raise ValueError("k is at least 2 and at most the number of people")
    threads = threads or len(os.sched_getaffinity(0))
    world = survey(people, scale)
    store = store_of(world, scale, k)

    def searching(done: int, total: int) -> None:
        if progress is not None:
            progress("searching", done, total)

    found = neighbours(
        *world.people,
        space_cap=space_cap,
        time_cap=time_cap,
        k=NEAREST_PEOPLE + 1,
        threads=threads,
        progress=searching,
    )
    near = Nearest(found.other, 2 * found.total, 2 * found.samples.astype(np.int64))
    with ThreadPoolExecutor(threads) as pool:
        greedy = Greedy(store, k, near, pool)
        greedy.loop(progress)
        left = greedy.join_leftover(leftover_limit, scale.unit)

    def members_of(groups: list[int]) -> NDArray[np.int64]:
        return np.sort(world.order[store.members(groups)])

    return Grouping(
        greedy.merges,
        greedy.made,
        greedy.finished,
        [members_of([group]) for group in greedy.finished],
        members_of(left),
        store,
        (int(t.min()), int(x.min()), int(y.min())),
        dict(zip(LEVELS, greedy.tally.tolist(), strict=True)),
    )
