"""One round: a member of each group goes out, and those who are out are dealt to the cores so that all are best off.

A round keeps the sizes of all groups. Who goes where is an assignment: whoever is out may go to a few cores that
look near, and stay where they were. The best assignment is found exactly, with all chains and circles of exchanges, and
as everybody staying is one of them, no round makes the total worse.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.regroup.cores import Floats, Groups, Ints, Split, dealt, split, spread_over
from shoal.kernels.regroup.pairs import KnownPairs
from shoal.kernels.regroup.sketch import Sketch, guess
from shoal.kernels.regroup.value import Crowd
from shoal.workers import Workers

LOOKED_AT = 150
"""Cores near in mean place and number of samples: of these the guesses choose."""

EXACT = 2.0**51
"""Sums of whole numbers up to here are exact, and so are their differences."""


class Drawn(NamedTuple):
    """Everybody as the guesses see them: the sketch, and (mean place, number of samples) to look for who is near."""

    people: Sketch
    features: Floats
    least: np.float32


def sketched_cores(people: Sketch, out: Split) -> Sketch:
    """What the members of a core have together."""
    starts, core = out.core_at[:-1], out.core
    least = [np.minimum.reduceat(values[core], starts) for values in (people.x0, people.y0, people.seen)]
    most = [np.maximum.reduceat(values[core], starts) for values in (people.x1, people.y1)]
    weight = np.add.reduceat(people.weight[core], starts)
    return Sketch(least[0], most[0], least[1], most[1], weight, least[2], people.lasts)


def guesses(drawn: Drawn, out: Split, most: int, workers: Workers) -> tuple[Ints, NDArray[np.float32]]:
    """Of everybody who is out the own core first, then up to ``most`` others that look best; and how dear they look."""
    from scipy.spatial import KDTree

    count = out.person.size
    middle = np.add.reduceat(drawn.features[out.core], out.core_at[:-1]) / np.diff(out.core_at)[:, None]
    near = KDTree(middle).query(drawn.features[out.person], np.arange(1, min(LOOKED_AT, count) + 1))[1]
    near = np.column_stack((np.arange(count), near))
    dear = np.empty(near.shape, np.float32)
    cores = sketched_cores(drawn.people, out)
    jobs = [
        workers.pool.submit(guess, low, high, drawn.people, out.person, cores, near, drawn.least, dear)
        for low, high in spread_over(workers, np.arange(count + 1))
    ]
    for job in jobs:
        job.result()
    others = np.where(near[:, 1:] == near[:, :1], np.float32(np.inf), dear[:, 1:])
    best = np.argsort(others, axis=1, kind="stable")[:, : min(most, count - 1)]
    best = np.column_stack((np.zeros(count, np.int64), best + 1))
    return np.take_along_axis(near, best, 1), np.take_along_axis(dear, best, 1)


def assigned(cores: Ints, costs: Floats) -> Ints:
    """Which column of its row everybody takes, so that each core is taken once and the sum of costs is least.

    Costs are rounded to whole numbers of which as many as there are rows can be added exactly: with fractions, sums
    that ought to be equal differ in their last digit, and the algorithm may go round in circles for ever.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    count, most = cores.shape
    above = costs - costs.min()
    # Zeros would count as no edge; a constant more for everybody changes nothing.
    weights = np.rint(above * (EXACT // count / (above.max() or 1))).ravel() + 1
    edges = csr_array((weights, cores.ravel(), np.arange(count + 1) * most), shape=(count, count))
    _, taken = min_weight_full_bipartite_matching(edges)
    return np.asarray((cores == taken[:, None]).argmax(axis=1))


def guessed_round(groups: Groups, drawn: Drawn, most: int, rng: np.random.Generator, workers: Workers) -> Groups:
    """A round that goes by guesses alone: it takes a tenth of the time, and may be wrong."""
    out = split(groups, rng)
    cores, dear = guesses(drawn, out, most, workers)
    column = assigned(cores, dear.astype(np.float64))
    return dealt(groups, out, cores[np.arange(column.size), column])


def round_of(
    groups: Groups,
    values: Floats,
    crowd: Crowd,
    drawn: Drawn,
    known: KnownPairs,
    most: int,
    rng: np.random.Generator,
    workers: Workers,
) -> tuple[Groups, Floats]:
    """A round that goes by values; it never makes their sum worse.

    Parameters
    ----------
    groups, values
        As they are.
    crowd, drawn
        Everybody.
    known
        Values of earlier rounds; those of this one are added.
    most
        How many other cores are tried with each who is out.
    rng
        Chooses who is out.
    workers
        Who does it.
    """
    out = split(groups, rng)
    cores, _ = guesses(drawn, out, most, workers)
    costs = np.empty(cores.shape)
    costs[:, 0] = values
    person = np.repeat(out.person, cores.shape[1] - 1)
    tried = known.values_with(crowd, out, person, cores[:, 1:].ravel(), workers)
    costs[:, 1:] = tried.reshape(costs[:, 1:].shape)
    rows, column = np.arange(values.size), assigned(cores, costs)
    core, after = cores[rows, column], np.empty_like(values)
    after[core] = costs[rows, column]
    if after.sum() >= values.sum():
        return groups, values
    return dealt(groups, out, core), after
