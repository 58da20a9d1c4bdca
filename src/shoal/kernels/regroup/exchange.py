"""One round: a member of each group goes out, and those who are out are dealt to the cores so that all are best off.

A round keeps the sizes of all groups. Who goes where is an assignment: whoever is out may go to a few cores that
look near, and stay where they were. The best assignment takes all chains and circles of exchanges at once.
"""

from typing import NamedTuple

import numpy as np

from shoal.kernels.regroup.assign import assigned
from shoal.kernels.regroup.candidates import Candidates, Drawn, roughly, sketched
from shoal.kernels.regroup.cores import (
    Floats,
    Groups,
    Ints,
    by_chance,
    by_misfit,
    dealt,
    group_values,
    split,
    values_with,
)
from shoal.kernels.regroup.crowd import Crowd
from shoal.workers import Workers

GUESSED = (150, 20)
"""In rounds that go by sketches alone: cores that the tree gives, and how many of them everybody may go to."""


class Reach(NamedTuple):
    """How far a round looks: cores that the tree gives, those by sketch, and those whose value is found in the end.

    Those by sketch are looked at roughly.
    """

    nearest: int
    roughly: int
    tried: int


NEAR, WIDE = Reach(300, 60, 5), Reach(1_000, 60, 12)
"""In the first rounds, and in later ones, which takes half as much time again."""


def chosen(candidates: Candidates) -> Ints:
    """Which column of its row everybody takes."""
    rows, most = candidates.cores.shape
    at = np.arange(rows + 1) * most
    return np.asarray(assigned(at, candidates.cores.ravel(), candidates.dear.ravel()) - at[:-1])


def guessed_round(groups: Groups, drawn: Drawn, rng: np.random.Generator, workers: Workers) -> Groups:
    """A round that goes by sketches alone: it costs next to nothing, and may be wrong."""
    out = split(groups, by_chance(groups, rng))
    candidates = sketched(drawn, out, *GUESSED, workers)
    return dealt(groups, out, candidates.cores[np.arange(out.person.size), chosen(candidates)])


def rough_round(groups: Groups, crowd: Crowd, drawn: Drawn, rng: np.random.Generator, workers: Workers) -> Groups:
    """A round that goes by boxes that are closed early."""
    out = split(groups, by_misfit(groups, crowd, rng, workers))
    candidates = roughly(crowd, drawn, out, NEAR.nearest, NEAR.roughly, workers)
    return dealt(groups, out, candidates.cores[np.arange(out.person.size), chosen(candidates)])


def round_of(
    groups: Groups,
    values: Floats,
    crowd: Crowd,
    drawn: Drawn,
    reach: Reach,
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
    reach
        How far is looked.
    rng
        Chooses who is out.
    workers
        Who does it.
    """
    out = split(groups, by_misfit(groups, crowd, rng, workers))
    candidates = roughly(crowd, drawn, out, reach.nearest, reach.roughly, workers)
    # Of all cores some are dear with anybody: how much dearer they get says who fits.
    before = group_values(Groups(out.core_at, out.core), crowd, workers, roughly=True)
    dearer = candidates.dear - before[candidates.cores]
    cores = Candidates(candidates.cores, dearer).best(reach.tried).cores
    costs = np.empty(cores.shape)
    costs[:, 0] = values
    person = np.repeat(out.person, cores.shape[1] - 1)
    costs[:, 1:] = values_with(crowd, out, person, cores[:, 1:].ravel(), workers).reshape(costs[:, 1:].shape)
    rows, column = np.arange(values.size), chosen(Candidates(cores, costs))
    core, after = cores[rows, column], np.empty_like(values)
    after[core] = costs[rows, column]
    if after.sum() >= values.sum():
        return groups, values
    return dealt(groups, out, core), after
