"""Groups for what is published: a start, then rounds of exchange by values (`exchange`, `pairs`).

The result depends on the people, their order and the number of rounds, and not on the number of threads: who goes out
in which round is drawn from a generator with a fixed seed. That seed protects nobody: which groups there are can be
seen in the release anyway.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.regroup.candidates import Drawn, draw
from shoal.kernels.regroup.cores import Groups, Ints, as_groups, group_values, in_order, listed
from shoal.kernels.regroup.crowd import Crowd, check_limits
from shoal.kernels.regroup.exchange import NEAR, WIDE, guessed_round, rough_round, round_of
from shoal.kernels.regroup.pairs import known_pairs, pairs_round
from shoal.kernels.regroup.price import Priced, priced
from shoal.kernels.regroup.takein import TIMES, taken_in
from shoal.progress import Progress
from shoal.workers import Workers

SEED = 18
GUESSED, ROUGH, PRICED = 8, 4, 2
"""Rounds for each member of a group: by sketches, by rough values, and by these once more where a price is known."""
NEARBY = 2
"""So many rounds by values for each member look nearby; all later ones look wider, at what these have left to find."""
PAIRS = 14
"""Rounds of pairs in place of one: their values are known."""


class Found(NamedTuple):
    """The groups, the value of all of them, and that of the groups given; everybody at the price of each."""

    groups: list[Ints]
    value: float
    value_given: float
    crowd: Crowd
    crowd_given: Crowd


def won(now: float, before: float) -> str:
    """What progress is called."""
    return f"regrouping · {1 - now / before:.1%} won"


def ended(
    groups: Groups,
    given: Groups,
    before: Priced,
    crowd: Crowd,
    drawn: Drawn,
    k: int,
    share: float,
    progress: Progress,
    workers: Workers,
) -> Found:
    """What was found, with no more people emptied than of those given, if there is a way; these if they are better."""
    if share:
        groups, crowd = taken_in(groups, crowd, drawn, k, share, before.people(given), progress, workers)
    value, of_given = (float(group_values(some, crowd, workers).sum()) for some in (groups, given))
    if value < of_given:
        return Found(listed(groups), value, of_given, crowd, before.crowd)
    return Found(listed(given), of_given, of_given, before.crowd, before.crowd)


def regroup_pairs(
    crowd: Crowd, given: list[Ints], share: float, effort: int, *, progress: Progress, workers: Workers
) -> Found:
    """Search for pairs of a lesser value than those given, never worse; larger groups stay as they are.

    Parameters
    ----------
    crowd
        Everybody (`shoal.kernels.regroup.crowd.crowd_of`).
    given
        Groups of two or more.
    share
        Of all samples that will be left out, the price of which is found from the groups given.
    effort
        How often everybody is out, in the mean, is fourteen times this.
    progress, workers
        Told of the rounds, in this thread; who does it, the calling thread being none of them.
    """
    groups = as_groups(given)
    check_limits(crowd, max(4, int(groups.sizes.max())) + TIMES)
    at_first = priced(crowd, groups, share, workers)
    crowd = at_first.crowd
    values, two = group_values(groups, crowd, workers), groups.sizes == 2
    before, rest = float(values.sum()), float(values[~two].sum())
    if two.sum() < 2:
        return Found(given, before, before, crowd, crowd)
    pairs = as_groups([group for group in given if group.size == 2])
    mate = np.full(crowd.offsets.size - 1, -1)
    mate[pairs.members[0::2]], mate[pairs.members[1::2]] = pairs.members[1::2], pairs.members[0::2]
    drawn, now = draw(crowd), float(values[two].sum())
    known = known_pairs(crowd, drawn, np.sort(pairs.members), pairs, progress, workers)
    rng, rounds = np.random.default_rng(SEED), PAIRS * 2 * effort
    for done in range(rounds):
        progress(won(rest + now, before), done, rounds)
        after, value = pairs_round(known, mate, rng)
        if value < now:
            mate, now = after, value
    progress(won(rest + now, before), rounds, rounds)
    new = [np.array([one, mate[one]]) for one in np.flatnonzero(np.arange(mate.size) < mate)]
    new += [group for group in given if group.size != 2]
    return ended(as_groups(new), groups, at_first, crowd, drawn, 2, share, progress, workers)


def rough_groups(
    crowd: Crowd,
    drawn: Drawn,
    order: Ints,
    k: int,
    share: float,
    rng: np.random.Generator,
    progress: Progress,
    workers: Workers,
) -> tuple[Groups, Crowd]:
    """Groups from rounds by guesses, begun from an order in which neighbours are near; and the crowd at its price."""
    groups, rounds = in_order(order, k), (GUESSED + ROUGH + (PRICED if share else 0)) * k
    for done in range(rounds):
        progress("guessing", done, rounds)
        if done < GUESSED * k:
            groups = guessed_round(groups, drawn, rng, workers)
            continue
        if done == (GUESSED + ROUGH) * k:
            crowd = priced(crowd, groups, share, workers).crowd
        groups = rough_round(groups, crowd, drawn, rng, workers)
    progress("guessing", rounds, rounds)
    return groups, crowd


def regroup(
    crowd: Crowd,
    given: list[Ints],
    order: Ints,
    k: int,
    share: float,
    effort: int,
    *,
    progress: Progress,
    workers: Workers,
) -> Found:
    """Search for groups of a lesser value than those given, never worse.

    Parameters
    ----------
    crowd
        Everybody (`shoal.kernels.regroup.crowd.crowd_of`).
    given
        Groups of k or more.
    order
        The people of these groups in an order in which those who are near each other are near: the search begins with
        groups that are guessed from it, where these are better.
    k
        The least size of a group, 3 or more; pairs are searched by `regroup_pairs`.
    share
        Of all samples that will be left out, the price of which is found from the groups that are guessed.
    effort
        How often everybody is out, in the mean.
    progress, workers
        Told of the rounds, in this thread; who does it, the calling thread being none of them.
    """
    groups, several = as_groups(given), order.size >= 2 * k
    check_limits(crowd, max(2 * k, int(groups.sizes.max())) + TIMES)
    rng, drawn, guessed = np.random.default_rng(SEED), draw(crowd), groups
    at_first = priced(crowd, groups, share, workers)
    if several:
        guessed, crowd = rough_groups(crowd, drawn, order, k, share, rng, progress, workers)
    values, of_guessed = (group_values(some, crowd, workers) for some in (groups, guessed))
    before = float(values.sum())
    if of_guessed.sum() < before:
        groups, values = guessed, of_guessed
    rounds = effort * k if groups.sizes.size > 1 else 0
    for done in range(rounds):
        progress(won(values.sum(), before), done, rounds)
        reach = NEAR if done < NEARBY * k else WIDE
        groups, values = round_of(groups, values, crowd, drawn, reach, rng, workers)
    progress(won(values.sum(), before), rounds, rounds)
    return ended(groups, as_groups(given), at_first, crowd, drawn, k, share, progress, workers)
