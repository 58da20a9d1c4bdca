"""No more people emptied than in other groups: those who fit nowhere are taken in by groups that bear it best.

The better groups are, the lower is the price at which a share of all samples is left out, and whoever stays far from
everybody is gone at it: a search that looks at everybody together puts such people into the same groups. Some of them
meet others often enough for a box below the price. A group that takes one in has a member more.
"""

import numpy as np

from shoal.kernels.regroup.candidates import Drawn, middles
from shoal.kernels.regroup.cores import Groups, Ints, Split, as_groups, group_values, in_order, listed, values_with
from shoal.kernels.regroup.crowd import Crowd
from shoal.kernels.regroup.price import Priced, priced
from shoal.progress import Progress
from shoal.workers import Workers

TIMES = 8
"""Passes at most: with every pass the price changes, and with it who is emptied."""

AROUND = 100
"""Groups that are looked at for everybody who would be gone."""

NEVER, REFUSED = 1e12, 1e9
"""What a group is charged that is near to being emptied; what no other group costs."""


def taken_in(
    groups: Groups,
    crowd: Crowd,
    drawn: Drawn,
    k: int,
    share: float,
    most: int,
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
    most
        So many may be emptied.
    progress, workers
        Told of the passes; who does it.
    """
    fewest, found = groups, priced(crowd, groups, share, workers)
    for done in range(TIMES):
        progress("finding room for people who would be lost", done, TIMES)
        too_many = found.people(fewest) - most
        fewer = with_fewer_emptied(fewest, found, drawn, k, too_many, workers) if too_many > 0 else None
        if fewer is None:
            break
        now = priced(crowd, fewer, share, workers)
        if now.people(fewer) >= found.people(fewest):
            break
        fewest, found = fewer, now
    progress("finding room for people who would be lost", TIMES, TIMES)
    return fewest, found.crowd


def with_fewer_emptied(
    groups: Groups, found: Priced, drawn: Drawn, k: int, too_many: int, workers: Workers
) -> Groups | None:
    """Groups after so many of those emptied, or fewer, went to others; who is left makes new ones. None: nobody can."""
    gone = np.repeat(found.emptied, groups.sizes)
    lost = groups.members[gone]
    if lost.size == groups.members.size:
        return None
    kept = Groups(np.concatenate(([0], np.cumsum(groups.sizes[~found.emptied]))), groups.members[~gone])
    person, group = cheapest_ways(kept, found.crowd, drawn, lost, too_many, workers)
    if 0 < lost.size - person.size < k:  # too few to be a group
        person, group = person[: lost.size - k], group[: lost.size - k]
    if not person.size:
        return None
    larger, left = listed(kept), lost[~np.isin(lost, person)]
    for one, g in zip(person, group, strict=True):
        larger[g] = np.append(larger[g], one)
    return as_groups(larger + (listed(in_order(left, k)) if left.size else []))


def cheapest_ways(
    kept: Groups, crowd: Crowd, drawn: Drawn, lost: Ints, most: int, workers: Workers
) -> tuple[Ints, Ints]:
    """Who goes to which group, so many at most: where it costs least first. No group takes two, or is emptied by it."""
    from scipy.spatial import KDTree

    strict = crowd._replace(cost=crowd.cost._replace(emptied=NEVER))
    ranks = np.arange(1, min(AROUND, kept.sizes.size) + 1)
    tree = KDTree(middles(drawn, kept.at, kept.members))
    near = tree.query(drawn.features[lost], ranks, p=1, workers=workers.threads)[1].ravel()
    person = np.repeat(lost, ranks.size)
    whole = Split(kept.at[:-1], kept.members[kept.at[:-1]], kept.at, kept.members)
    values = values_with(strict, whole, person, near, workers)
    dearer = np.where(values < REFUSED, values - group_values(kept, crowd, workers)[near], np.inf)
    to, by = dict[int, int](), set[int]()
    for way in np.argsort(dearer, kind="stable"):
        if len(to) == most or dearer[way] == np.inf:
            break
        if person[way] not in to and near[way] not in by:
            to[person[way]] = near[way]
            by.add(near[way])
    return np.array(list(to), np.int64), np.array(list(to.values()), np.int64)
