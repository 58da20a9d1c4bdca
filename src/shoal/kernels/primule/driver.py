"""All rounds: from rows of whole numbers to groups of at least k (PRIMULE, Algorithms 1 and 2).

Kept from round to round: of each unsafe group its nearest, and a bound on all others. After a round a group that was
not changed itself looks at those that were, and no farther than its bound. It searches everywhere only if its nearest
is gone and no changed group is within the bound.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from shoal.kernels.primule.blocks import Blocks, blocks_of, ordered
from shoal.kernels.primule.closer import MOST_BITS, slacks
from shoal.kernels.primule.groups import Floats, Groups, Ints, Mask, groups_of, renew
from shoal.kernels.primule.rounds import in_order, merge
from shoal.kernels.primule.search import TILE, search
from shoal.workers import Workers

Told = Callable[[int, int], None]

_TASKS = 16
"""Pieces of a search for each thread: they are not equally long."""


class Grouping(NamedTuple):
    """What came of it.

    Attributes
    ----------
    group_of
        The group of each row, groups numbered from 0.
    sums, sizes
        Of each group: the sum of its rows, and how many they are.
    rounds
        How many there were.
    """

    group_of: Ints
    sums: Ints
    sizes: Ints
    rounds: int


class _Known(NamedTuple):
    """Of each group, by number: its nearest or -1, the squared distance, and a bound on all others."""

    nearest: Ints
    distance: Floats
    bound: Floats


def group(rows: Ints, k: int, scale: int, *, workers: Workers, told: Told) -> Grouping:
    """Group rows until every group has at least k of them.

    Parameters
    ----------
    rows
        A row per profile, a column per cell that the attacker may know: whole numbers from 0 to ``scale``.
    k
        At most as many as there are rows.
    scale
        What stands for 1.
    workers
        Threads to work with. The groups do not depend on them.
    told
        Told how many rows are in groups of k or more, of how many; in this thread.
    """
    people, cells = rows.shape
    assert 2 <= k <= people
    assert (cells * (scale * k * people) ** 2).bit_length() <= MOST_BITS, "beyond what can be compared exactly"
    groups, number = groups_of(rows, scale)
    count = groups.sizes.size
    known = _Known(np.full(count, -1), np.full(count, np.inf), np.full(count, np.inf))
    changed = np.ones(count, np.bool_)
    rounds = 0
    while (unsafe := np.flatnonzero(groups.alive & (groups.sizes < k))).size:
        told(people - int(groups.sizes[unsafe].sum()), people)
        _look(groups, known, unsafe, changed, scale, workers)
        nearest, distance = known.nearest[unsafe], known.distance[unsafe]
        changed[:] = False
        order = in_order(groups, unsafe, nearest, distance, scale)
        merge(unsafe, nearest, order, groups.sums, groups.sizes, groups.alive, groups.into, changed)
        renew(groups, np.flatnonzero(changed & groups.alive), scale)
        rounds += 1
    told(people, people)
    return _settled(groups, number, rounds)


def _look(groups: Groups, known: _Known, unsafe: Ints, changed: Mask, scale: int, workers: Workers) -> None:
    """Find the nearest of every unsafe group, given what was known before some groups were changed."""
    order = ordered(groups.points, np.flatnonzero(groups.alive))
    is_unsafe = np.zeros(groups.sizes.size, np.bool_)
    is_unsafe[unsafe] = True
    asking = order[is_unsafe[order]]
    everywhere = changed[asking]
    kept = asking[~everywhere]
    if kept.size:
        lost = changed[known.nearest[kept]]
        before = known.bound[kept]
        known.nearest[kept[lost]], known.distance[kept[lost]] = -1, np.inf
        _search(groups, known, kept, blocks_of(groups.points, order[changed[order]]), scale, workers)
        # Within less than the bound by more than rounding, or else one of the others may be as near.
        found, slack = known.distance[kept], np.empty(kept.size)
        slacks(found, groups.points.shape[1], float(scale), slack)
        everywhere[~everywhere] = lost & ~(found + 4 * slack < before)
    far = asking[everywhere]
    known.nearest[far], known.distance[far], known.bound[far] = -1, np.inf, np.inf
    _search(groups, known, far, blocks_of(groups.points, order), scale, workers)


def _search(groups: Groups, known: _Known, queries: Ints, among: Blocks, scale: int, workers: Workers) -> None:
    """Search for some groups, in pieces side by side."""
    columns: list[Any] = [column[queries] for column in known]
    piece = -(-queries.size // (workers.threads * _TASKS * TILE)) * TILE
    data: tuple[Any, ...] = (*among, groups.sums, groups.sizes, groups.points, groups.plain, float(scale))
    done = [
        workers.pool.submit(search, first, min(first + piece, queries.size), queries, *columns, *data)
        for first in range(0, queries.size, max(piece, 1))
    ]
    for future in done:
        future.result()
    for column, found in zip(known, columns, strict=True):
        column[queries] = found


def _settled(groups: Groups, number: Ints, rounds: int) -> Grouping:
    """Follow everybody to where their group went."""
    into = groups.into
    while not np.array_equal(further := into[into], into):
        into = further
    final = np.flatnonzero(groups.alive)
    place = np.full(groups.sizes.size, -1)
    place[final] = np.arange(final.size)
    return Grouping(place[into[number]], groups.sums[final], groups.sizes[final], rounds)
