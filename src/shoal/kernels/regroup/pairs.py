"""Pairs: whom each might be with is found once, with the value of every such pair, and rounds choose among them.

A core is one person here, so that a value once found holds in all rounds, and these cost next to nothing.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.regroup.assign import assigned
from shoal.kernels.regroup.candidates import Drawn, roughly
from shoal.kernels.regroup.cores import Floats, Groups, Ints, Split, values_with
from shoal.kernels.regroup.crowd import Crowd
from shoal.workers import Workers

ROUGHLY, TRIED = (400, 80), 24
"""Of everybody so many others out of the tree and by sketch, and of those by rough values: it is done only once."""


class Known(NamedTuple):
    """Pairs and their values, each pair from both sides, in the order of the first and second of them."""

    first: Ints
    second: Ints
    value: Floats


def known_pairs(crowd: Crowd, drawn: Drawn, people: Ints, also: Groups, workers: Workers) -> Known:
    """The values of everybody with those who look best, and of some pairs more.

    Parameters
    ----------
    crowd, drawn
        Everybody.
    people
        Those of whom pairs are wanted.
    also
        Pairs.
    workers
        Who does it.
    """
    each = Split(np.arange(people.size), people, np.arange(people.size + 1), people)
    near = people[roughly(crowd, drawn, each, *ROUGHLY, workers).best(TRIED).cores[:, 1:]]
    first = np.concatenate((np.repeat(people, near.shape[1]), also.members[0::2]))
    second = np.concatenate((near.ravel(), also.members[1::2]))
    everybody = crowd.offsets.size - 1
    pair = np.unique(np.minimum(first, second) * everybody + np.maximum(first, second))
    first, second = pair // everybody, pair % everybody
    cores = Split(np.arange(everybody), np.arange(everybody), np.arange(everybody + 1), np.arange(everybody))
    value = np.tile(values_with(crowd, cores, first, second, workers), 2)
    first, second = np.concatenate((first, second)), np.concatenate((second, first))
    order = np.lexsort((second, first))
    return Known(first[order], second[order], value[order])


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
    row, core = (np.full(mate.size, -1) for _ in range(2))
    # In the order of people, as the pairs are known in it.
    out = np.sort(out)
    stays = mate[out]
    row[out] = core[stays] = np.arange(out.size)
    may = (row[known.first] >= 0) & (core[known.second] >= 0)
    at = np.searchsorted(row[known.first[may]], np.arange(out.size + 1))
    other, value = known.second[may], known.value[may]
    taken = assigned(at, core[other], value)
    after = np.full(mate.size, -1)
    after[out], after[other[taken]] = other[taken], out
    return after, float(value[taken].sum())
