"""The loop of GLOVE's Alg. 1 for k = 2, where merged groups never compete: a matching of raw people, in rounds."""

import numpy as np

from shoal.kernels.glove.boxes import Ints
from shoal.kernels.glove.greedy import Greedy, list_width
from shoal.kernels.glove.heap import Merge, Pair
from shoal.kernels.glove.query import NOBODY, GroupLists, new_group_lists
from shoal.kernels.kgap.neighbours import Neighbours, neighbours
from shoal.progress import Progress

SLOW = 64
"""A round of k = 2 that settles less than this part of the people is the last one of its kind."""

MOST_AT_ONCE = 4096
"""Merges made in one go where nothing depends on them."""


def lists_of(found: Neighbours, width: int, people: Ints) -> GroupLists:
    """Lists of raw people, whose numbers are ``people[other]``; room left in a list means that it has everybody."""
    lists = new_group_lists(found.targets.size, width)
    known = found.other.shape[1]
    lists.other[:, :known] = people[found.other]
    # Between two raw people w is 2.
    lists.total[:, :known], lists.divisor[:, :known] = 2 * found.total, 2 * found.samples.astype(np.int64)
    return lists


class Matching(Greedy):
    """Pairs of people."""

    def refresh(self, people: Ints) -> None:
        """New lists for these raw people among those alive, all at once."""
        living, columns = self.store.living_people()
        scale, width = self.store.world.scale, list_width(self.k)
        targets = np.searchsorted(living, people)
        found = neighbours(
            *columns,
            space_cap=scale.space_cap,
            time_cap=scale.time_cap,
            k=width + 1,
            targets=targets,
            workers=self.workers,
        )
        lists = lists_of(found, width, living)
        for row, person in enumerate(people.tolist()):
            self.keep(person, lists, row)

    def run(self, progress: Progress | None) -> None:
        """The loop for k = 2, where merged groups never compete.

        Whoever has a spent list waits, and so does everybody whose nearest waits; the others go on, as a pair of
        which each is the other's nearest merges whatever happens elsewhere. When nobody is left to go on, those with
        spent lists look anew, among far fewer people. At the end the merges are put into their order.
        """
        chosen = self.pair_identical()
        while self.below >= 2:
            before = self.below
            spent: list[int] = []
            waiting: set[int] = set()
            while (pair := self.next_alive()) is not None:
                if pair.other == NOBODY:
                    spent.append(pair.group)
                if pair.other == NOBODY or pair.other in waiting:
                    waiting.add(pair.group)
                    continue
                chosen.append(self.choose(pair))
            # Where many are equally near, few pairs come out of a round: then one by one is quicker.
            slow = before - self.below < before // SLOW
            if self.below >= 2 and not slow:
                self.refresh(np.sort(spent))
                waiting.difference_update(spent)
            for group in sorted(waiting):
                self.push(group)
            if slow:
                super().run(progress)
            if progress is not None:
                progress("grouping", self.store.people - self.below, self.store.people)
        one_by_one = [
            (
                merge.total / merge.divisor,
                Pair(self.store, merge.first, merge.second, merge.total, merge.divisor),
                number,
            )
            for merge, number in zip(self.merges, self.made, strict=True)
        ]
        for lo in range(0, len(chosen), MOST_AT_ONCE):
            keys = [pair.key() for pair in chosen[lo : lo + MOST_AT_ONCE]]
            self.prepare([], keys)
            for pair, key in zip(chosen[lo : lo + MOST_AT_ONCE], keys, strict=True):
                one_by_one.append((pair.total / pair.divisor, pair, self.prepared.pop(key).number))
        one_by_one.sort()
        self.merges = [Merge(pair.group, pair.other, pair.total, pair.divisor) for _, pair, _ in one_by_one]
        self.made = [number for *_, number in one_by_one]
        self.finished = list(self.made)

    def choose(self, pair: Pair) -> Pair:
        """Take both out of the competition."""
        self.store.alive[[pair.group, pair.other]] = False
        self.below -= 2
        return pair

    def pair_identical(self) -> list[Pair]:
        """Raw people are at no distance only from those of the same content: such pairs come before all others."""
        order = np.argsort(self.store.rank, kind="stable")
        rank, chosen, i = self.store.rank[order], [], 0
        while i + 1 < order.size:
            if rank[i] != rank[i + 1]:
                i += 1
                continue
            first, second = int(order[i]), int(order[i + 1])
            chosen.append(self.choose(Pair(self.store, first, second, 0, 2 * int(self.store.arena.length[first]))))
            i += 2
        return chosen
