"""GLOVE's greedy (§6.1, Alg. 1) without its matrix: the same merges in the same order.

All groups below k compete, and the pair of least (Delta, smaller content, larger content) merges, until fewer than
two are left: `shoal.kernels.glove.greedy`, and `shoal.kernels.glove.match` for k = 2.

The printed loop can leave one group below k. Repaired: it joins the finished group at the least rank, unless Delta
exceeds ``leftover_limit``: then its people are suppressed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.people import pack, runs
from shoal.kernels.common.scale import scale_of
from shoal.kernels.glove.boxes import Ints
from shoal.kernels.glove.greedy import NEAREST_PEOPLE, Greedy
from shoal.kernels.glove.heap import Merge
from shoal.kernels.glove.match import Matched, as_group_lists, match, merge_pairs
from shoal.kernels.glove.query import QUERY_TALLY, GroupLists
from shoal.kernels.glove.reshape import follow
from shoal.kernels.glove.store import Store, store_of
from shoal.kernels.kgap.nearest import new_lists
from shoal.kernels.kgap.neighbours import neighbours
from shoal.kernels.kgap.survey import World, survey
from shoal.progress import Progress
from shoal.workers import Workers


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

    merges: list[Merge]
    made: list[int]
    groups: list[int]
    members: list[NDArray[np.int64]]
    suppressed: NDArray[np.int64]
    world: World
    store: Store | None
    """None where nobody asked for boxes and none had to be made."""
    origin: tuple[int, int, int]
    """Least t, x and y of the data: the boxes in ``store`` are relative to it."""
    tally: dict[str, int]

    def fingerprints(self) -> tuple[Ints, tuple[Ints, Ints, Ints, Ints, Ints, Ints], Ints]:
        """Boxes of the finished groups: offsets, (t, dt, x, dx, y, dy), and for each sample the box it is in, or -1."""
        assert self.store is not None, "asked for boxes that were not made"
        arena, world, scale = self.store.arena, self.world, self.world.scale
        offsets, rows = runs(arena.start[self.groups], arena.length[self.groups])
        weights = scale.time_weight, scale.space_weight, scale.space_weight
        columns = []
        for axis, (weight, origin) in enumerate(zip(weights, self.origin, strict=True)):
            start, end = (arena.boxes[row, rows].astype(np.int64) // weight for row in (2 * axis, 2 * axis + 1))
            columns += [start + origin, end - start]
        place = np.full(self.store.boxes, -1, np.int64)
        place[rows] = np.arange(rows.size)
        child = np.full(self.store.groups, -1, np.int64)
        for merge, made in zip(self.merges, self.made, strict=True):
            child[[merge.first, merge.second]] = made
        here = np.empty(world.people.t.size, np.int64)
        follow(world.people.offsets, arena.start, child, self.store.into, here)
        # People stand in another order here than in the input.
        back = np.empty(world.order.size, np.int64)
        back[world.order] = np.arange(world.order.size)
        _, samples = runs(world.people.offsets[back], np.diff(world.people.offsets)[back])
        t, dt, x, dx, y, dy = columns
        return offsets, (t, dt, x, dx, y, dy), place[here[samples]]


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
    boxes: bool = True,
    workers: Workers,
    progress: Progress | None = None,
) -> Grouping:
    """Group people by k or more, as GLOVE's Alg. 1 does; ties as in `shoal.kernels.glove.boxes`.

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
    boxes
        Whether the boxes of the groups are wanted. With k = 2 the groups do not need them.
    workers
        Who does it; the calling thread must be none of them.
    progress
        Called as ``progress(phase, done, total)`` in the calling thread; may raise to interrupt.
    """
    scale = scale_of(space_cap, time_cap)
    people = pack(offsets, t, x, y, scale)
    if k < 2 or people.offsets.size - 1 < k:
        raise ValueError("k is at least 2 and at most the number of people")
    world, origin = survey(people, scale), (int(t.min()), int(x.min()), int(y.min()))
    matched = match(world, workers, progress) if k == 2 else None
    if matched is not None and not boxes and matched.left.size == 0:
        return pairs_alone(world, matched, origin)
    store = store_of(world, scale, k)
    if matched is not None:
        greedy = merge_pairs(store, matched, workers, progress)
    else:
        everybody = np.arange(people.offsets.size - 1)
        greedy = Greedy(store, k, everybody, first_lists(world, workers, progress), workers)
        greedy.run(progress)
    left = greedy.join_leftover(leftover_limit, scale.unit)

    def members_of(groups: list[int]) -> NDArray[np.int64]:
        return np.sort(world.order[store.members(groups)])

    return Grouping(
        greedy.merges,
        greedy.made,
        greedy.finished,
        [members_of([group]) for group in greedy.finished],
        members_of(left),
        world,
        store,
        origin,
        dict(zip(QUERY_TALLY, greedy.tally.tolist(), strict=True)),
    )


def first_lists(world: World, workers: Workers, progress: Progress | None) -> GroupLists:
    """Everybody's nearest among raw people."""

    def searching(done: int, total: int) -> None:
        if progress is not None:
            progress("searching", done, total)

    found = neighbours(
        *world.people,
        space_cap=world.scale.space_cap,
        time_cap=world.scale.time_cap,
        k=NEAREST_PEOPLE + 1,
        workers=workers,
        progress=searching,
    )
    people, known = found.targets.size, found.other.shape[1]
    lists = new_lists(people, NEAREST_PEOPLE)
    lists.other[:, :known], lists.total[:, :known], lists.samples[:, :known] = found.other, found.total, found.samples
    return as_group_lists(lists, np.arange(people))


def pairs_alone(world: World, matched: Matched, origin: tuple[int, int, int]) -> Grouping:
    """Pairs that nobody is left beside, without boxes."""
    numbers = list(range(world.order.size, world.order.size + matched.pairs.shape[0]))
    members = np.sort(world.order[matched.pairs[:, :2]], axis=1)
    merges = [Merge(*row) for row in matched.pairs.tolist()]
    return Grouping(merges, numbers, numbers, list(members), np.empty(0, np.int64), world, None, origin, {})
