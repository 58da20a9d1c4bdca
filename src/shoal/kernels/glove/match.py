"""The loop of GLOVE's Alg. 1 for k = 2, where merged groups never compete: a matching of raw people, in rounds.

Everybody keeps a list of the nearest. Whoever is followed from nearest to nearest comes to two who are each other's:
these merge whatever happens elsewhere, as the order of pairs is strict. Where the way leads to somebody whose list is
spent it stops; when nobody is left to go on, those with spent lists look anew among the living, who are far fewer.
All rounds search in the same survey of people.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel
from shoal.kernels.glove.boxes import Ints
from shoal.kernels.glove.greedy import Greedy
from shoal.kernels.glove.heap import Merge
from shoal.kernels.glove.query import NOBODY, GroupLists, Jobs, new_group_lists
from shoal.kernels.glove.store import Store
from shoal.kernels.kgap.cascade import PAIR_TALLY
from shoal.kernels.kgap.nearest import Lists, new_lists
from shoal.kernels.kgap.neighbours import nearest_among
from shoal.kernels.kgap.survey import World
from shoal.progress import Progress
from shoal.workers import Workers

NEAREST_PAIR = 3
"""Length of the lists: longer ones cost more, shorter ones are soon spent."""

SLOW = 64
"""A round that settles less than this part of the people is the last one."""

W = 2
"""What totals and divisors of groups are multiplied by: the people in both, here one and one."""

MOST_AT_ONCE = 4096
"""Pairs whose boxes are made in one go."""


class Matched(NamedTuple):
    """Pairs of people, by their numbers in the world, and who is left."""

    pairs: Ints
    """Rows of (person, person, total, divisor), in the order of the greedy."""
    left: Ints
    """At most one, unless many are equally near."""
    lists: GroupLists
    """Of those left, row by row."""
    tally: NDArray[np.int64]
    """As in `shoal.kernels.kgap.cascade.PAIR_TALLY`."""


@kernel
def pair_up(living, alive, lists, at, spent, pairs):  # type: ignore[no-untyped-def]
    """Merge all whom the lists let merge; returns how many pairs.

    Parameters
    ----------
    living
        People alive.
    alive
        Of everybody; written.
    lists
        Of everybody; what is known of the dead does not matter.
    at
        Of everybody: how many entries of the list are known to be dead; written.
    spent
        Written: true for the living without a living entry in their list.
    pairs
        Written: rows of (person, person, total, samples).
    """
    others, made, width = lists.other, 0, lists.other.shape[1]
    waits = np.zeros(alive.size, np.bool_)
    chain, length = np.empty(living.size + 1, np.int64), 0
    for start in living:
        if not alive[start] or waits[start]:
            continue
        chain[0], length = start, 1
        while length > 0:
            p = chain[length - 1]
            while at[p] < width and others[p, at[p]] >= 0 and not alive[others[p, at[p]]]:
                at[p] += 1
            spent[p] = at[p] == width or others[p, at[p]] < 0
            q = p if spent[p] else np.int64(others[p, at[p]])
            if spent[p] or waits[q]:
                for i in range(length):
                    waits[chain[i]] = True
                length = 0
            elif length > 1 and q == chain[length - 2]:
                alive[p], alive[q] = False, False
                pairs[made, 0], pairs[made, 1] = p, q
                pairs[made, 2], pairs[made, 3] = lists.total[p, at[p]], lists.samples[p, at[p]]
                made, length = made + 1, length - 2
            else:
                chain[length] = q
                length += 1
    return made


def identical(world: World) -> Ints:
    """Pairs of people of the same content, at no distance: they come before all others. Rows as in `pair_up`."""
    order, lengths = np.argsort(world.rank), np.diff(world.people.offsets)
    alike, pairs = world.alike[order], list[tuple[int, int, int, int]]()
    for i in np.flatnonzero(alike[1:] == alike[:-1]).tolist():
        if not pairs or pairs[-1][1] != order[i]:
            pairs.append((order[i], order[i + 1], 0, lengths[order[i]]))
    return np.array(pairs, np.int64).reshape(-1, 4)


def match(world: World, workers: Workers, progress: Progress | None) -> Matched:
    """Pair everybody, as GLOVE's Alg. 1 does.

    Parameters
    ----------
    world
        The people.
    workers
        Who does it; the calling thread must be none of them.
    progress
        Told of the first search, then of the people who have somebody.
    """
    n = world.order.size
    alive, at, spent = np.ones(n, np.bool_), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    lists, tally, found = new_lists(n, NEAREST_PAIR), np.zeros(len(PAIR_TALLY), np.int64), [identical(world)]
    alive[found[0][:, :2]] = False

    def searching(done: int, total: int) -> None:
        if progress is not None:
            progress("searching", done, total)

    living = asked = np.flatnonzero(alive)
    while living.size >= 2:
        told = None if len(found) > 1 else searching
        fresh, counts = nearest_among(world, living, asked, NEAREST_PAIR, workers, told)
        lists.other[asked], lists.total[asked], lists.samples[asked] = fresh.other, fresh.total, fresh.samples
        at[asked], tally = 0, tally + counts
        made = np.empty((living.size // 2, 4), np.int64)
        made = made[: pair_up(living, alive, lists, at, spent, made)]
        found.append(made)
        before, living = living.size, living[alive[living]]
        asked = living[spent[living]]
        if progress is not None:
            progress("grouping", n - living.size, n)
        if 2 * made.shape[0] < before // SLOW:
            break
    pairs = np.concatenate(found)
    pairs[:, 2:] *= W
    return Matched(in_order(pairs, world.rank), living, as_group_lists(lists, living), tally)


def in_order(pairs: Ints, rank: NDArray[np.int32]) -> Ints:
    """Pairs by (Delta, smaller content, larger content), Delta as an exact fraction."""
    ranks = np.sort(rank[pairs[:, :2]], axis=1)
    keys = [
        (total / divisor, Fraction(total, divisor), *both)
        for (total, divisor), both in zip(pairs[:, 2:].tolist(), ranks.tolist(), strict=True)
    ]
    return pairs[sorted(range(len(keys)), key=keys.__getitem__)]


def as_group_lists(lists: Lists, people: Ints) -> GroupLists:
    """The lists of some people as those of groups; room left in a list means that it has everybody."""
    taken = new_group_lists(people.size, lists.other.shape[1])
    known = lists.samples[people] > 0
    taken.other[:] = np.where(known, lists.other[people], NOBODY)
    taken.total[known], taken.divisor[known] = W * lists.total[people][known], W * lists.samples[people][known]
    return taken


def merge_pairs(store: Store, matched: Matched, workers: Workers, progress: Progress | None) -> Greedy:
    """The greedy as it would have come out, with the boxes of all pairs; whoever is left is paired one by one.

    Parameters
    ----------
    store
        Raw people only, so far.
    matched
        Who is with whom, as far as rounds went.
    workers, progress
        As in `match`.
    """
    greedy = Greedy(store, 2, matched.left, matched.lists, workers)
    greedy.run(progress)
    rest = np.array(greedy.merges, np.int64).reshape(-1, 4)
    pairs = in_order(np.concatenate((matched.pairs, rest)), store.world.rank)
    greedy.merges, greedy.made = [Merge(*row) for row in pairs.tolist()], []
    for lo in range(0, pairs.shape[0], MOST_AT_ONCE):
        parents = pairs[lo : lo + MOST_AT_ONCE, :2]
        made = store.plan([(a, b) for a, b in parents.tolist()])
        nothing, nobody = np.zeros(len(made), np.int8), np.empty((len(made), 0), np.int64)
        jobs = Jobs(np.array(made, np.int64), np.ascontiguousarray(parents), nothing, nobody)
        greedy.begin(jobs, new_group_lists(len(made), 1), None, store.singles())
        greedy.wait()
        greedy.made += made
    greedy.finished = list(greedy.made)
    return greedy
