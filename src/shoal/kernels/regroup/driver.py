"""Groups for what is published: a start, then rounds of exchange by values (`exchange`).

The result depends on the people, their order and the number of rounds, and not on the number of threads: who goes out
in which round is drawn from a generator with a fixed seed. That seed protects nobody: which groups there are can be
seen in the release anyway.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.scale import scale_of
from shoal.kernels.kmerge.batch import LARGEST
from shoal.kernels.kmerge.stamps import Rule
from shoal.kernels.regroup.cores import Floats, Groups, Ints, Split, values_with
from shoal.kernels.regroup.exchange import Drawn, guessed_round, round_of
from shoal.kernels.regroup.pairs import KnownPairs
from shoal.kernels.regroup.sketch import MOST_SEEN, SLOTS, Sketch, draw_people
from shoal.kernels.regroup.value import Crowd, beyond, once_more, rarely
from shoal.progress import Progress
from shoal.workers import Workers

SEED = 18
GUESSED = 24
"""Rounds by guesses for each member of a group, before any by values."""
TRIED = 10
"""Other cores that are tried with whoever is out."""
BEFORE_SEEN = 0.7
"""Somebody seen n times in a slot is waited for about as long as a slot divided by n and this."""
DENSITY = 1.0
"""Twice as many samples are as far away as 14 km, where the cap is 20 km: whoever looks near is like in number too."""


class Found(NamedTuple):
    """The groups, the value of all of them, and that of the groups given."""

    groups: list[Ints]
    value: float
    given: float


def crowd_of(
    offsets: Ints,
    t: NDArray[np.int32],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
    k: int,
    *,
    space_cap: int,
    time_cap: int,
    dt: int = 1,
    dx: int = 1,
) -> Crowd:
    """Everybody, as the values see them.

    Parameters
    ----------
    offsets, t, x, y
        People as in `shoal.kernels`.
    k
        The least size of a group, 2 or more.
    space_cap, time_cap
        20 km and 8 h in cells.
    dt, dx
        The cells of what will be published, in cells of the data.
    """
    scale, lengths = scale_of(space_cap, time_cap), np.diff(offsets).astype(np.float64)
    weight = lengths ** -rarely(k)
    return Crowd(
        np.array(offsets, np.int64),
        snapped(t, dt),
        snapped(x, dx),
        snapped(y, dx),
        weight / ((weight * lengths).sum() / lengths.sum()),
        Rule(False, scale.space_weight, scale.time_weight, dt, dx),
        float(space_cap),
        float(time_cap),
        beyond(k),
        once_more(k),
    )


def snapped(values: NDArray[np.int32], unit: int) -> NDArray[np.int32]:
    """Where the cells of the publication begin that hold these; a copy in any case.

    >>> snapped(np.array([-1, 0, 7], np.int32), 5)
    array([-5,  0,  5], dtype=int32)
    """
    return np.asarray(values // np.int32(unit) * np.int32(unit), np.int32)


def check_limits(crowd: Crowd, largest: int) -> None:
    """Refuse people whose groups, of at most so many, could cost more than 64 bits hold."""
    samples = int(np.sort(np.diff(crowd.offsets))[-largest:].sum())
    time, *space = (int(v.max()) - int(v.min()) for v in (crowd.t, crowd.x, crowd.y))
    across = sum(space) + 2 * crowd.rule.dx
    each = crowd.rule.space_weight * across + crowd.rule.time_weight * (time + crowd.rule.dt)
    if samples * each >= LARGEST:
        raise ValueError("spans, weights and samples are too large for exact 64-bit costs")


def draw(crowd: Crowd) -> Drawn:
    """Everybody, as the guesses see them."""
    lengths = np.diff(crowd.offsets)
    x, y = (np.zeros((lengths.size, SLOTS), np.float32) for _ in range(2))
    seen = np.zeros((lengths.size, SLOTS), np.int32)
    first = int(crowd.t.min())
    step = (int(crowd.t.max()) - first + 1) / SLOTS
    draw_people(crowd, first, step, x, y, seen)
    weight = (seen * crowd.weight[:, None]).astype(np.float32)
    lasts = np.sqrt(step / (np.arange(MOST_SEEN + 1) + BEFORE_SEEN) / crowd.time_unit).astype(np.float32)
    people = Sketch(x, x, y, y, weight, np.minimum(seen, MOST_SEEN, dtype=np.int32), lasts)
    features = np.column_stack((x.mean(axis=1), y.mean(axis=1), DENSITY * np.log(lengths)))
    return Drawn(people, features, np.float32(2 * crowd.rule.dx / crowd.space_unit))


def as_groups(members: list[Ints]) -> Groups:
    """Groups one after the other."""
    at = np.concatenate(([0], np.cumsum([group.size for group in members])))
    return Groups(at.astype(np.int64), np.concatenate(members).astype(np.int64))


def in_order(order: Ints, k: int) -> Groups:
    """Cut an order of people into groups of k; the last ones take one more each while any are left."""
    groups = [order[low : low + k] for low in range(0, order.size - order.size % k, k)]
    for number, person in enumerate(order[order.size - order.size % k :]):
        place = -1 - number % len(groups)
        groups[place] = np.append(groups[place], person)
    return as_groups(groups)


def group_values(groups: Groups, crowd: Crowd, workers: Workers) -> Floats:
    """The value of each group."""
    place = groups.at[1:] - 1
    stays = np.ones(groups.members.size, np.bool_)
    stays[place] = False
    out = Split(place, groups.members[place], groups.at - np.arange(groups.at.size), groups.members[stays])
    return values_with(crowd, out, out.person, np.arange(place.size), workers)


def guessed_groups(
    drawn: Drawn, order: Ints, k: int, rng: np.random.Generator, progress: Progress, workers: Workers
) -> Groups:
    """Groups from rounds by guesses alone, begun from people in an order in which neighbours are near."""
    groups = in_order(order, k)
    for done in range(GUESSED * k):
        progress("guessing", done, GUESSED * k)
        groups = guessed_round(groups, drawn, 2 * TRIED, rng, workers)
    progress("guessing", GUESSED * k, GUESSED * k)
    return groups


def regroup(
    crowd: Crowd, given: list[Ints], order: Ints | None, k: int, effort: int, *, progress: Progress, workers: Workers
) -> Found:
    """Search for groups of a lesser value than those given, never worse.

    Parameters
    ----------
    crowd
        Everybody (`crowd_of`).
    given
        Groups of k or more.
    order
        The people of these groups in an order in which those who are near each other are near: the search begins with
        groups that are guessed from it, where these are better. None: it begins with those given.
    k
        The least size of a group, 2 or more.
    effort
        How often everybody is out, in the mean.
    progress, workers
        Told of the rounds, in this thread; who does it, the calling thread being none of them.
    """
    groups = as_groups(given)
    check_limits(crowd, max(2 * k, int(groups.sizes.max())))
    values = group_values(groups, crowd, workers)
    before, drawn, rng = float(values.sum()), draw(crowd), np.random.default_rng(SEED)
    if order is not None and order.size >= 2 * k:
        guessed = guessed_groups(drawn, order, k, rng, progress, workers)
        value_each = group_values(guessed, crowd, workers)
        if value_each.sum() < before:
            groups, values = guessed, value_each
    rounds, known = effort * k if groups.sizes.size > 1 else 0, KnownPairs()
    for done in range(rounds):
        progress(f"regrouping · {1 - values.sum() / before:.1%} won", done, rounds)
        groups, values = round_of(groups, values, crowd, drawn, known, TRIED, rng, workers)
    progress(f"regrouping · {1 - values.sum() / before:.1%} won", rounds, rounds)
    return Found(np.split(groups.members, groups.at[1:-1]), float(values.sum()), before)
