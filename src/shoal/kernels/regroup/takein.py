"""No more people emptied than in other groups: those who fit nowhere are taken in by groups that bear it best.

The better groups are, the lower is the price at which a share of all samples is left out, and whoever stays far from
everybody is gone at it: a search that looks at everybody together puts such people into the same groups. Some of them
meet others often enough for a box below the price. A group that takes one in has a member more.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.regroup.candidates import Drawn, middles
from shoal.kernels.regroup.cores import (
    Floats,
    Groups,
    Ints,
    Split,
    as_groups,
    group_values,
    in_order,
    listed,
    values_with,
)
from shoal.kernels.regroup.cost import NEAR
from shoal.kernels.regroup.crowd import Crowd
from shoal.kernels.regroup.price import Priced, priced
from shoal.progress import Progress
from shoal.workers import Workers

TIMES = 10
"""Passes at most: with every pass the price changes, and with it who is emptied."""

WIDER, WIDEST = 4, 16
"""After a pass in vain so many times as many groups are looked at, and tried; so many times at most."""

AROUND, IN_ALL, TRIED = 300, 200_000, 30
"""Groups that are looked at roughly for everybody who would be gone: at least, or as many as make that in all where
few would be. Of those the ones that look best are tried."""

NEVER, REFUSED = 1e12, 1e9
"""What a group is charged that is near to being emptied; what no other group costs."""


def taken_in(
    groups: Groups,
    crowd: Crowd,
    drawn: Drawn,
    k: int,
    share: float,
    most_emptied: int,
    progress: Progress,
    workers: Workers,
) -> tuple[Groups, Crowd]:
    """Groups of which no more than so many people are emptied, or as few as is found; the crowd at the price last seen.

    Parameters
    ----------
    groups, crowd, drawn
        As they are.
    k, share
        The least size of a group; of all samples that will be left out.
    most_emptied
        So many people may be.
    progress, workers
        Told of the passes; who does it.
    """
    now, wide = Seen(groups, priced(crowd, groups, share, workers)), 1
    fewest = now
    if now.emptied <= most_emptied:
        return groups, now.found.crowd
    for done in range(TIMES):
        progress("finding room for people who would be lost", done, TIMES)
        too_many = now.emptied - most_emptied
        if too_many <= 0 or wide > WIDEST:
            break
        fewer = with_fewer_emptied(now.groups, now.found, drawn, k, too_many, wide, workers)
        if fewer is None:  # nobody can, among those that were looked at
            wide *= WIDER
            continue
        # There may be more than before for once: the price is lower.
        now = Seen(fewer, priced(crowd, fewer, share, workers))
        fewest = min(fewest, now, key=lambda seen: seen.emptied)
    progress("finding room for people who would be lost", TIMES, TIMES)
    return fewest.groups, fewest.found.crowd


class Seen(NamedTuple):
    """Groups, and everybody at the price of these."""

    groups: Groups
    found: Priced

    @property
    def emptied(self) -> int:
        """How many people would be gone."""
        return self.found.people(self.groups)


def with_fewer_emptied(
    groups: Groups, found: Priced, drawn: Drawn, k: int, too_many: int, wide: int, workers: Workers
) -> Groups | None:
    """Groups after so many of those emptied, or fewer, went to others; who is left makes new ones. None: nobody can."""
    gone = np.repeat(found.emptied, groups.sizes)
    lost = groups.members[gone]
    if lost.size == groups.members.size:
        return None
    kept = Groups(np.concatenate(([0], np.cumsum(groups.sizes[~found.emptied]))), groups.members[~gone])
    person, group = cheapest_ways(kept, found.crowd, drawn, lost, too_many, wide, workers)
    if 0 < lost.size - person.size < k:  # too few to be a group
        person, group = person[: lost.size - k], group[: lost.size - k]
    if not person.size:
        return None
    larger, left = listed(kept), lost[~np.isin(lost, person)]
    for one, g in zip(person, group, strict=True):
        larger[g] = np.append(larger[g], one)
    return as_groups(larger + (listed(in_order(left, k)) if left.size else []))


def cheapest_ways(
    kept: Groups, crowd: Crowd, drawn: Drawn, lost: Ints, most: int, wide: int, workers: Workers
) -> tuple[Ints, Ints]:
    """Who goes to which group, so many at most: where it costs least first. No group takes two, or is emptied by it.

    ``wide`` times as many groups are looked at, and tried.
    """
    from scipy.spatial import KDTree

    price = crowd.cost.price / (NEAR if wide > 1 else 1)
    strict = crowd._replace(cost=crowd.cost._replace(emptied=NEVER, price=price))
    whole = Split(kept.at[:-1], kept.members[kept.at[:-1]], kept.at, kept.members)

    def dearer(near: Ints, *, roughly: bool) -> Floats:
        person = np.repeat(lost, near.shape[1])
        values = values_with(strict, whole, person, near.ravel(), workers, roughly=roughly).reshape(near.shape)
        alone = group_values(kept, crowd, workers, roughly=roughly)
        return np.where(values < REFUSED, values - alone[near], np.inf)

    ranks = np.arange(1, min(wide * max(AROUND, IN_ALL // lost.size), kept.sizes.size) + 1)
    tree = KDTree(middles(drawn, kept.at, kept.members))
    near = tree.query(drawn.features[lost], ranks, p=1, workers=workers.threads)[1]
    best = np.argsort(dearer(near, roughly=True), axis=1, kind="stable")[:, : wide * TRIED]
    near = np.take_along_axis(near, best, axis=1)
    dear, person, group = dearer(near, roughly=False).ravel(), np.repeat(lost, near.shape[1]), near.ravel()
    to, by = dict[int, int](), set[int]()
    for way in np.argsort(dear, kind="stable"):
        if len(to) == most or dear[way] == np.inf:
            break
        if person[way] not in to and group[way] not in by:
            to[person[way]] = group[way]
            by.add(group[way])
    return np.array(list(to), np.int64), np.array(list(to.values()), np.int64)
