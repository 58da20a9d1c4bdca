"""Many groups at once: their layout, their checks, the threads that solve them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.common.people import runs
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import NEVER, Rule, find_ends, find_stamps, new_plans, new_stamps
from shoal.workers import Workers

LARGEST = 2**61
"""Costs stay below: a part added to a plan that is beyond all bounds (`NEVER`) must still fit 64 bits."""

PIECES_PER_THREAD = 16
"""Pieces of work per thread: enough that one slow group does not keep the others waiting."""

PART_COLUMNS = ("t0", "t1", "x0", "x1", "y0", "y1", "first", "last")


class Plan(NamedTuple):
    """Group g owns the rows ``offsets[g]:offsets[g + 1]`` of ``parts``, in the order of time.

    Columns of ``parts`` are `PART_COLUMNS`: least and greatest coordinate of the part's samples (the box ends one
    extent after the greatest), its first and last sample. ``left_out`` is per sample; ``cost`` per group, the price of
    what is left out included; ``left`` the number of samples left out per group.
    """

    offsets: NDArray[np.int64]
    parts: NDArray[np.int64]
    left_out: NDArray[np.bool_]
    cost: NDArray[np.int64]
    left: NDArray[np.int64]


class GroupSamples(NamedTuple):
    """The input: group g owns the samples ``offsets[g]:offsets[g + 1]`` and has ``members[g]`` members."""

    offsets: NDArray[np.int64]
    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    member: NDArray[np.int32]
    members: NDArray[np.int32]


class Room(NamedTuple):
    """Where groups put their plans, each to its own place: rows from ``at[g]`` on, ``rows[g]`` of them.

    Without room for plans, where ``left_out`` is empty, only what they cost and how much they leave out is told.
    """

    at: NDArray[np.int64]
    rows: NDArray[np.int64]
    parts: NDArray[np.int64]
    left_out: NDArray[np.bool_]
    cost: NDArray[np.int64]
    left: NDArray[np.int64]


@kernel
def check_groups(groups, dt):  # type: ignore[no-untyped-def]
    """0 if the input is as promised; 1: not sorted, 2: times closer than dt, 3: no such member, 4: a group is empty."""
    for g in range(groups.members.size):
        low, high = groups.offsets[g], groups.offsets[g + 1]
        if low >= high:
            return 4
        for r in range(low, high):
            if not 0 <= groups.member[r] < groups.members[g]:
                return 3
            if r > low:
                step = np.int64(groups.t[r]) - groups.t[r - 1]
                if step < 0:
                    return 1
                if 0 < step < dt:
                    return 2
    return 0


@helper
def write_plan(g, groups, stamps, plans, n, room):  # type: ignore[no-untyped-def]
    """Put the parts of the best plan of group g into their place."""
    i, row = 0, room.at[g]
    while i < n:
        j = plans.last[i]
        low, high = stamps.first[i], stamps.first[max(i, j) + 1]
        room.left_out[low:high] = j < 0
        if j < 0:
            i += 1
            continue
        part = room.parts[row]
        part[0], part[1], part[6], part[7] = stamps.time[i], stamps.time[j], low, high - 1
        part[2] = part[3] = groups.x[low]
        part[4] = part[5] = groups.y[low]
        for r in range(low + 1, high):
            part[2], part[3] = min(part[2], groups.x[r]), max(part[3], groups.x[r])
            part[4], part[5] = min(part[4], groups.y[r]), max(part[5], groups.y[r])
        i, row = j + 1, row + 1
    room.rows[g] = row - room.at[g]


@kernel
def solve_groups(which, groups, rule, price, room):  # type: ignore[no-untyped-def]
    """The plans of some groups.

    Parameters
    ----------
    which
        Their numbers.
    groups, rule
        All groups, and what a part costs.
    price
        Of a sample left out; -1: none may be.
    room
        Written: what belongs to these groups.
    """
    samples, members = np.int64(0), np.int64(0)
    for g in which:
        samples = max(samples, groups.offsets[g + 1] - groups.offsets[g])
        members = max(members, groups.members[g])
    stamps, plans = new_stamps(samples, members), new_plans(samples)
    for g in which:
        n = find_stamps(groups.t, groups.x, groups.y, groups.offsets[g], groups.offsets[g + 1], stamps)
        find_ends(groups.member, groups.members[g], n, stamps)
        solve(n, rule, price, stamps, plans)
        room.cost[g], room.left[g] = plans.cost[0], plans.left[0]
        if room.left_out.size and plans.cost[0] < NEVER:
            write_plan(g, groups, stamps, plans, n, room)


def as_groups(
    offsets: ArrayLike, t: ArrayLike, x: ArrayLike, y: ArrayLike, member: ArrayLike, members: ArrayLike
) -> GroupSamples:
    """The arrays with the types that the kernels are compiled for.

    Parameters
    ----------
    offsets, t, x, y, member, members
        As in `GroupSamples`.
    """
    narrow = (np.ascontiguousarray(v, np.int32) for v in (t, x, y, member, members))
    return GroupSamples(np.ascontiguousarray(offsets, np.int64), *narrow)


class Solver:
    """A set of groups, checked once, to be solved at one or several prices.

    Plans take more memory than the samples: ``plans`` says whether they are wanted, or only what they cost.
    """

    def __init__(self, groups: GroupSamples, rule: Rule, workers: Workers, *, plans: bool = True) -> None:
        if (
            min(rule.space_weight, rule.time_weight) < 0
            or min(rule.space_weight + rule.time_weight, rule.dt, rule.dx) < 1
        ):
            raise ValueError("weights are not negative nor both zero, extents at least 1")
        problem = int(check_groups(groups, rule.dt))
        if problem:
            raise ValueError(
                (
                    "samples are not sorted by time",
                    "times that differ are closer than the extent dt: they are not aligned",
                    "a member's number is out of range",
                    "a group without samples",
                )[problem - 1]
            )
        self.groups, self.rule = groups, Rule(bool(rule.area), *(int(v) for v in rule[1:]))
        self.workers = workers
        self.sizes = np.diff(groups.offsets)
        self.most = int(self.sizes.max(initial=0))
        if self.greatest_cost() >= LARGEST:
            raise ValueError("spans, weights and samples are too large for exact 64-bit costs")
        at = np.r_[0, np.cumsum(self.sizes // np.maximum(groups.members, 1))]  # a part takes a sample of each member
        self.room = Room(
            at,
            np.zeros(self.sizes.size, np.int64),
            np.empty((at[-1] if plans else 0, len(PART_COLUMNS)), np.int64),
            np.zeros(groups.t.size if plans else 0, np.bool_),
            np.zeros(self.sizes.size, np.int64),
            np.zeros(self.sizes.size, np.int64),
        )

    def greatest_cost(self) -> int:
        """A bound of what any part costs: as if the largest group spanned all."""
        if not self.most:
            return 0
        time, *space = (int(v.max()) - int(v.min()) for v in self.groups[1:4])
        time, across = time + self.rule.dt, sum(space) + 2 * self.rule.dx
        if self.rule.area:
            return time * across
        return self.most * (self.rule.space_weight * across + self.rule.time_weight * time)

    def chunks(self, which: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Pieces of about as many samples each."""
        done = np.cumsum(self.sizes[which])
        pieces = self.workers.threads * PIECES_PER_THREAD
        cuts = np.searchsorted(done, done[-1] * np.arange(1, pieces) // pieces, side="right")
        return (piece for piece in np.split(which, np.unique(cuts)) if piece.size)

    def run(self, price: int, which: NDArray[np.int64] | None = None) -> None:
        """Solve some groups (all if None) at a price, -1 for none."""
        which = np.arange(self.sizes.size) if which is None else which
        if not which.size:
            return
        if price >= LARGEST:
            raise ValueError("the price is too large for exact 64-bit costs")
        jobs = [
            self.workers.pool.submit(solve_groups, piece, self.groups, self.rule, price, self.room)
            for piece in self.chunks(which)
        ]
        for job in jobs:
            job.result()
        if (self.room.cost[which] >= NEVER).any():
            # With a price only a group with such a member pays for all its samples, and may pay beyond 64 bits.
            raise ValueError("a member without samples: no part can hold one of every member")

    def plan(self) -> Plan:
        """The plans of the last run over all groups."""
        room = self.room
        offsets, rows = runs(room.at[:-1], room.rows)
        return Plan(offsets, room.parts[rows], room.left_out, room.cost, room.left)
