"""Groups and their cores: of each group one member is out, and values are those of cores with somebody.

What is tried with many cores at once is spread over threads here.
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.regroup.value import Crowd, core_values
from shoal.workers import Workers

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

PIECES_PER_THREAD = 16
"""Pieces of work per thread: enough that one slow group does not keep the others waiting."""


class Groups(NamedTuple):
    """Group g has the people ``members[at[g]:at[g + 1]]``."""

    at: Ints
    members: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.at)


class Split(NamedTuple):
    """Of each group the place of who is out and who that is; the others are its core, as in `core_values`."""

    place: Ints
    person: Ints
    core_at: Ints
    core: Ints


def split(groups: Groups, rng: np.random.Generator) -> Split:
    """Take one member out of each group."""
    place = groups.at[:-1] + (rng.random(groups.sizes.size) * groups.sizes).astype(np.int64)
    stays = np.ones(groups.members.size, np.bool_)
    stays[place] = False
    return Split(place, groups.members[place], groups.at - np.arange(groups.at.size), groups.members[stays])


def spread_over(workers: Workers, work: Ints) -> list[tuple[int, int]]:
    """Ranges of rows that are about as much work each, given what comes before each row and after the last."""
    pieces = workers.threads * PIECES_PER_THREAD
    cuts = np.unique(np.searchsorted(work, work[-1] * np.arange(pieces + 1) // pieces))
    cuts[-1] = work.size - 1
    return [(int(low), int(high)) for low, high in itertools.pairwise(cuts)]


def dealt(groups: Groups, out: Split, core: Ints) -> Groups:
    """The groups after each who is out went to a core."""
    members = groups.members.copy()
    members[out.place[core]] = out.person
    return Groups(groups.at, members)


def values_with(crowd: Crowd, out: Split, person: Ints, core: Ints, workers: Workers) -> Floats:
    """The value of each core given with the person beside it."""
    order = np.argsort(core, kind="stable")
    tried_at, tried = np.searchsorted(core[order], np.arange(out.person.size + 1)), person[order]
    found = np.empty(tried.size)
    jobs = [
        workers.pool.submit(core_values, low, high, crowd, out.core_at, out.core, tried_at, tried, found)
        for low, high in spread_over(workers, tried_at)
    ]
    for job in jobs:
        job.result()
    values = np.empty_like(found)
    values[order] = found
    return values
