"""The loop of GLOVE's Alg. 1: a heap of nearest pairs, and work done ahead of time in threads.

Every group keeps an exact list of its nearest among the groups that were alive when it was made (raw people: among
raw people): whoever is younger keeps the pair in its own list. To such a list only deletions ever happen, so its
first living entry is the nearest; when all are dead the list is made anew. A heap holds one entry per group, its
nearest when last looked at: keys only grow, so an entry is brought up to date when it comes to the top.

Merging and searching take nearly all the time and are done ahead of it: for the next pairs in the heap's order as if
they were certain, which they nearly always are. A prepared group is used when its pair comes to the top with both
alive, after its list has been offered the groups made in the meantime; otherwise it is dropped. Nobody waits for more
than what the top of the heap asks for: the rest goes on in threads while pairs merge. So the result does not depend on
threads, nor on how far ahead they work.
"""

import heapq
from concurrent.futures import Future
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from shoal.kernels.glove.boxes import Ints, stretches
from shoal.kernels.glove.heap import Merge, Pair
from shoal.kernels.glove.parade import Parade, line_up
from shoal.kernels.glove.query import NOBODY, QUERY_TALLY, GroupLists, Jobs, extend, make, new_group_lists, seek
from shoal.kernels.glove.singles import Singles
from shoal.kernels.glove.store import Store
from shoal.progress import Progress
from shoal.workers import Workers

NEAREST_PEOPLE = 6
"""Length of the first lists of raw people; shorter ones are cheaper and soon spent."""

NEAREST_GROUPS = 4
"""Length of the lists of merged groups, and of those of raw people that are made anew."""

AHEAD = 32
"""Jobs prepared in one go."""

CUTS_PER_THREAD = 8
"""Into how many pieces they are cut for each thread, as some take much longer than others."""


class Prepared(NamedTuple):
    """A group that is made ahead of time, or one that looks anew: its number, its list, how many had been made by then.

    The list is there when the work is done.
    """

    number: int
    lists: GroupLists
    made: int
    work: Future[Ints]


class Greedy:
    """The state of the loop.

    Parameters
    ----------
    store
        Groups, raw people so far.
    k
        Size from which a group is finished.
    people, lists
        The raw people who compete, and the nearest of each.
    workers
        Who makes groups ahead of time; the calling thread must be none of them.
    """

    def __init__(self, store: Store, k: int, people: Ints, lists: GroupLists, workers: Workers) -> None:
        self.store, self.k, self.workers = store, k, workers
        self.lists: dict[int, tuple[list[int], list[int], list[int]]] = {}
        self.at: dict[int, int] = {}
        self.complete: dict[int, bool] = {}
        self.heap: list[tuple[float, Pair]] = []
        self.prepared: dict[tuple[int, int], Prepared] = {}
        self.renewed: dict[int, Prepared] = {}
        self.going_on: list[Future[Ints]] = []
        self.plans: dict[int, tuple[int, int]] = {}
        self.below, self.done = people.size, store.people - people.size
        self.merges: list[Merge] = []
        self.made: list[int] = []
        self.finished: list[int] = []
        self.living: set[int] = set()
        self.parade: Parade | None = None
        self.paraded = 0
        self.tally = np.zeros(len(QUERY_TALLY), np.int64)
        store.alive[: store.people] = False
        store.alive[people] = True
        for row, person in enumerate(people.tolist()):
            self.keep(person, lists, row)

    def keep(self, group: int, lists: GroupLists, row: int) -> None:
        """Give a group a new list, and the heap its first entry. A list with room left has everybody in it."""
        others = lists.other[row].tolist()
        width = len(others)
        while width and others[width - 1] == NOBODY:
            width -= 1
        self.lists[group] = others[:width], lists.total[row].tolist()[:width], lists.divisor[row].tolist()[:width]
        self.complete[group] = width < len(others)
        self.at[group] = 0
        self.push(group)

    def push(self, group: int) -> None:
        """Enter a group at its nearest living, at the bound that a spent list gives, or not at all."""
        others, totals, divisors = self.lists[group]
        alive, at = self.store.alive, self.at[group]
        while at < len(others) and not alive[others[at]]:
            at += 1
        self.at[group] = at
        other = NOBODY
        if at < len(others):
            other = others[at]
        elif self.complete[group]:
            return  # whoever is near to it is younger and has the pair
        else:
            at -= 1
        pair = Pair(self.store, group, other, totals[at], divisors[at], others[at])
        heapq.heappush(self.heap, (totals[at] / divisors[at], pair))

    def next_alive(self) -> Pair | None:
        """Take the least entry that is up to date; None if there is none."""
        alive = self.store.alive
        while self.heap:
            _, pair = heapq.heappop(self.heap)
            if not alive[pair.group]:
                continue
            if pair.other == NOBODY or alive[pair.other]:
                return pair
            self.push(pair.group)
        return None

    def look_ahead(self) -> None:
        """Prepare what the next entries of the heap will ask for."""
        taken: list[Pair] = []
        claimed: set[int] = set()
        again: list[int] = []
        pairs: list[tuple[int, int]] = []
        while self.heap and len(again) + len(pairs) < AHEAD and len(taken) < 2 * AHEAD:
            pair = self.next_alive()
            if pair is None:
                break
            taken.append(pair)
            if pair.group in claimed or pair.other in claimed:
                continue
            if pair.other == NOBODY:
                claimed.add(pair.group)
                if pair.group not in self.renewed:
                    again.append(pair.group)
                continue
            claimed.update((pair.group, pair.other))
            if pair.key() not in self.prepared:
                pairs.append(pair.key())
        for pair in taken:
            heapq.heappush(self.heap, (pair.total / pair.divisor, pair))
        self.prepare(again, pairs)

    def prepare(self, again: list[int], pairs: list[tuple[int, int]]) -> None:
        """Begin to make groups of these pairs, and lists for them and for those who must look anew."""
        store = self.store
        for pair in pairs:
            for member in pair:
                self.forget(member)
        if not store.has_room(pairs):
            self.wait()  # what goes on writes where there would no longer be anything
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
                near = {other for side in parents[j].tolist() if side >= 0 for other in self.lists[side][0]}
                alive = [other for other in near if store.alive[other]][: seeds.shape[1]]
                seeds[j, : len(alive)] = alive
        lists = new_group_lists(targets.size, NEAREST_GROUPS)
        jobs = Jobs(targets, parents, ask, seeds)
        begun = self.begin(jobs, lists, self.lined_up() if ask.any() else None, store.singles())
        for j, (target, work) in enumerate(zip(targets.tolist(), begun, strict=True)):
            ready = Prepared(target, lists.rows(slice(j, j + 1)), len(self.made), work)
            if j < len(again):
                self.renewed[target] = ready
            else:
                self.prepared[pairs[j - len(again)]] = ready

    def lined_up(self) -> Parade:
        """The parade of the merged groups alive: those of the last time, and those that were made since."""
        store = self.store
        fresh = np.array([group for group in self.made[self.paraded :] if store.alive[group]], np.int64)
        self.paraded = len(self.made)
        more: Parade = line_up(fresh, store.arena, store.outlines)
        if self.parade is not None:
            more = self.parade.without(~store.alive[self.parade.group]).joined_by(more)
        self.parade = more
        return more

    def begin(self, jobs: Jobs, lists: GroupLists, parade: Parade | None, singles: Singles) -> list[Future[Ints]]:
        """Begin to make groups and to find their nearest, in threads; returns whose end to wait for, for each job.

        Parameters
        ----------
        jobs
            What to make and what to look for.
        lists
            Written: row j is the list of job j.
        parade, singles
            Merged groups and raw people alive, among whom the nearest are; no parade where nobody asks: with k = 2 what
            looks for the nearest need not even be compiled.
        """
        self.going_on = [work for work in self.going_on if not self.ended(work)]
        chunk = max(jobs.target.size // (CUTS_PER_THREAD * self.workers.threads), 1)
        begun: list[Future[Ints]] = []
        for lo in range(0, jobs.target.size, chunk):
            part = slice(lo, lo + chunk)
            work = self.workers.pool.submit(self.work_on, jobs.rows(part), lists.rows(part), parade, singles)
            self.going_on.append(work)
            begun += [work] * jobs.target[part].size
        return begun

    def ended(self, work: Future[Ints]) -> bool:
        """Whether some work has ended; then it is counted."""
        ended = work.done()
        if ended:
            self.tally += work.result()
        return ended

    def wait(self) -> None:
        """Wait for everything that goes on."""
        for work in self.going_on:
            self.tally += work.result()
        self.going_on = []

    def work_on(self, jobs: Jobs, lists: GroupLists, parade: Parade | None, singles: Singles) -> Ints:
        """Make some groups, then find the nearest where that is asked for; returns the tally.

        Parameters
        ----------
        jobs, lists, parade, singles
            As in `begin`.
        """
        ground, arena, outlines, clocks = self.store.ground, self.store.arena, self.store.outlines, self.store.clocks
        tally = np.zeros(len(QUERY_TALLY), np.int64)
        make(jobs, self.store.into, ground, arena, outlines, clocks)
        if parade is not None and jobs.ask.any():
            seek(jobs, lists, parade, singles, ground, arena, outlines, clocks, tally)
        return tally

    def forget(self, member: int) -> None:
        """Drop what was prepared with this member, once it is done: it also notes where the member's boxes went."""
        pair = self.plans.pop(member, None)
        dropped = self.prepared.pop(pair, None) if pair is not None else None
        if dropped is not None:
            dropped.work.result()

    def commit(self, pair: Pair, ready: Prepared) -> None:
        """Replace a pair by the group made of it."""
        store, number = self.store, ready.number
        ready.work.result()
        for member in (pair.group, pair.other):
            store.alive[member] = False
            self.living.discard(member)
            self.lists.pop(member)
            self.renewed.pop(member, None)
        self.merges.append(Merge(pair.group, pair.other, pair.total, pair.divisor))
        size = int(store.arena.size[number])
        if size >= self.k:
            self.finished.append(number)
            self.below -= 2
            self.done += size
        else:
            self.below -= 1
            young = [g for g in self.made[ready.made :] if store.alive[g]]
            if young:
                known = store.arena, store.outlines, store.clocks
                extend(
                    number,
                    np.array(young, np.int64),
                    ready.lists,
                    store.ground.sites.shape[1],
                    *known,
                    store.ground.half,
                )
            store.alive[number] = True
            self.living.add(number)
            self.keep(number, ready.lists, 0)
        self.made.append(number)

    def run(self, progress: Progress | None) -> None:
        """Merge until fewer than two groups are below k."""
        total = self.store.people
        while self.below >= 2:
            pair = self.next_alive()
            assert pair is not None, "of two groups below k the younger has an entry"
            ready = self.renewed.pop(pair.group, None) if pair.other == NOBODY else self.prepared.pop(pair.key(), None)
            if ready is None:
                heapq.heappush(self.heap, (pair.total / pair.divisor, pair))
                self.look_ahead()
                if progress is not None:
                    progress("grouping", self.done, total)
            elif pair.other == NOBODY:
                ready.work.result()
                self.keep(pair.group, ready.lists, 0)
            else:
                self.commit(pair, ready)
        self.wait()

    def join_leftover(self, leftover_limit: float, unit: int) -> list[int]:
        """Let the one group that may be left below k join a finished one; give it back if none is near enough."""
        store = self.store
        left = [*np.flatnonzero(store.alive[: store.people]).tolist(), *self.living]
        if not left:
            return []
        others = np.array(self.finished, np.int64)
        totals, divisors = np.empty(others.size, np.int64), np.empty(others.size, np.int64)
        stretches(store.arena, np.full(others.size, left[0]), others, store.ground.half, totals, divisors)
        deltas = totals / divisors
        entries = [
            Pair(store, left[0], int(others[i]), int(totals[i]), int(divisors[i]))
            for i in np.flatnonzero(deltas == deltas.min())
        ]
        best = min(entries)
        if Fraction(best.total, unit * best.divisor) > leftover_limit:
            return left
        pair = best.group, best.other
        number = store.plan([pair])[0]
        jobs = Jobs(np.array([number]), np.array([pair]), np.zeros(1, np.int8), np.empty((1, 0), np.int64))
        self.begin(jobs, new_group_lists(1, 1), None, store.singles())
        self.wait()
        self.finished.remove(best.other)
        self.finished.append(number)
        self.merges.append(Merge(*pair, best.total, best.divisor))
        self.made.append(number)
        return []
