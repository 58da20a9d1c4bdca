"""Pairs: whom each might be with is found once, with the value of every such pair, and rounds choose among them.

A core is one person here, so that a value once found holds in all rounds, and these cost next to nothing.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.common.jit import kernel
from shoal.kernels.regroup.assign import assigned
from shoal.kernels.regroup.candidates import Candidates, Drawn, sketched
from shoal.kernels.regroup.cores import Floats, Groups, Ints, Split, values_with
from shoal.kernels.regroup.crowd import Crowd
from shoal.progress import Progress
from shoal.workers import Workers

ROUGHLY, TRIED = (400, 80), 16
"""Of everybody so many others out of the tree and by sketch, and of those by rough values: it is done only once."""


class Known(NamedTuple):
    """Pairs and their values, each pair from both sides.

    Person p may be with ``second[at[p]:at[p + 1]]``, ascending.
    """

    at: Ints
    second: Ints
    value: Floats


def known_pairs(crowd: Crowd, drawn: Drawn, people: Ints, also: Groups, progress: Progress, workers: Workers) -> Known:
    """The values of everybody with those who look best, and of some pairs more.

    Parameters
    ----------
    crowd, drawn
        Everybody.
    people
        Those of whom pairs are wanted.
    also
        Pairs.
    progress, workers
        Told how many pairs are valued; who does it.
    """
    each = Split(np.arange(people.size), people, np.arange(people.size + 1), people)
    near = sketched(drawn, each, *ROUGHLY, workers).cores
    others = people[near[:, 1:]]
    first, second, which = once(np.repeat(people, others.shape[1]), others.ravel())
    rough = valued(crowd, first, second, progress, workers, roughly=True)
    # A pair costs two people, half of it each: what the other would cost at best says how much is lost.
    best = np.full(crowd.offsets.size - 1, np.inf)
    for side in (first, second):
        np.minimum.at(best, side, rough)
    dear = np.empty(near.shape)
    dear[:, 1:] = rough[which].reshape(others.shape) - best[others] / 2
    near = people[Candidates(near, dear).best(TRIED).cores[:, 1:]]
    first, second, _ = once(
        np.concatenate((np.repeat(people, near.shape[1]), also.members[0::2])),
        np.concatenate((near.ravel(), also.members[1::2])),
    )
    value = np.tile(valued(crowd, first, second, progress, workers, roughly=False), 2)
    first, second = np.concatenate((first, second)), np.concatenate((second, first))
    order = np.lexsort((second, first))
    at = np.searchsorted(first[order], np.arange(crowd.offsets.size))
    return Known(at, second[order], value[order])


def once(first: Ints, second: Ints) -> tuple[Ints, Ints, Ints]:
    """Each pair once, whichever comes first in it, and where those given are among them.

    >>> [numbers.tolist() for numbers in once(np.array([3, 1, 1]), np.array([1, 3, 2]))]
    [[1, 1], [2, 3], [1, 1, 0]]
    """
    numbers = int(max(first.max(), second.max())) + 1
    pair, which = np.unique(np.minimum(first, second) * numbers + np.maximum(first, second), return_inverse=True)
    return pair // numbers, pair % numbers, which


def valued(crowd: Crowd, first: Ints, second: Ints, progress: Progress, workers: Workers, *, roughly: bool) -> Floats:
    """The values of pairs."""
    everybody, phase = np.arange(crowd.offsets.size - 1), "comparing pairs roughly" if roughly else "comparing pairs"

    def told(done: int) -> None:
        progress(phase, done, first.size)

    told(0)
    alone = Split(everybody, everybody, np.arange(crowd.offsets.size), everybody)
    return values_with(crowd, alone, first, second, workers, roughly=roughly, told=told)


@kernel
def ways_out(known, out, core, at, to, costs):  # type: ignore[no-untyped-def]
    """Where everybody who is out may go.

    Parameters
    ----------
    known
        The pairs that may be.
    out
        Who is out.
    core
        Of everybody the number of the core that they are, -1 who is out or in no pair.
    at, to, costs
        Written: ``out[r]`` may go to the cores ``to[at[r]:at[r + 1]]`` at these costs.
    """
    ways = 0
    for r in range(out.size):
        at[r] = ways
        for e in range(known.at[out[r]], known.at[out[r] + 1]):
            c = core[known.second[e]]
            if c >= 0:
                to[ways], costs[ways] = c, known.value[e]
                ways += 1
    at[out.size] = ways


def pairs_round(known: Known, mate: Ints, rng: np.random.Generator) -> tuple[Ints, float]:
    """One of each pair goes out, and those who are out are dealt to the others: everybody's mate, the sum of values.

    Parameters
    ----------
    known
        The pairs that may be; those that are, are among them.
    mate
        Of everybody who the other is; -1 who is in no pair.
    rng
        Chooses who is out.
    """
    people = np.arange(mate.size)
    one = np.flatnonzero(people < mate)
    out = np.where(rng.random(one.size) < 1 / 2, one, mate[one])
    out = np.sort(out)  # pairs of people who follow each other lie beside each other
    stays, core = mate[out], np.full(mate.size, -1)
    core[stays] = np.arange(out.size)
    at, to, costs = np.empty(out.size + 1, np.int64), np.empty_like(known.second), np.empty_like(known.value)
    ways_out(known, out, core, at, to, costs)
    taken = assigned(at, to[: at[-1]], costs[: at[-1]])
    other, after = stays[to[taken]], np.full(mate.size, -1)
    after[out], after[other] = other, out
    return after, float(costs[taken].sum())
