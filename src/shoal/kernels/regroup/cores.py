"""Groups and their cores: of each group one member is out, and values are those of cores with somebody.

What is tried with many cores at once is spread over threads here.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.regroup.crowd import Crowd
from shoal.kernels.regroup.rough import misfits
from shoal.kernels.regroup.value import core_values
from shoal.workers import Workers

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

PIECES_PER_THREAD = 16
"""Pieces of work per thread: enough that one slow group does not keep the others waiting."""

CHOOSY = 1.0
"""How much a misfit, in standard deviations, counts against chance when it is drawn who goes out."""


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


def as_groups(members: list[Ints]) -> Groups:
    """Groups one after the other."""
    at = np.concatenate(([0], np.cumsum([group.size for group in members])))
    return Groups(at.astype(np.int64), np.concatenate(members).astype(np.int64))


def listed(groups: Groups) -> list[Ints]:
    """Groups, each on its own."""
    return np.split(groups.members, groups.at[1:-1])


def in_order(order: Ints, k: int) -> Groups:
    """Cut an order of people into groups of k; the last ones take one more each while any are left."""
    groups = [order[low : low + k] for low in range(0, order.size - order.size % k, k)]
    for number, person in enumerate(order[order.size - order.size % k :]):
        place = -1 - number % len(groups)
        groups[place] = np.append(groups[place], person)
    return as_groups(groups)


def split(groups: Groups, place: Ints) -> Split:
    """Take the members at these places out, one of each group."""
    stays = np.ones(groups.members.size, np.bool_)
    stays[place] = False
    return Split(place, groups.members[place], groups.at - np.arange(groups.at.size), groups.members[stays])


def by_chance(groups: Groups, rng: np.random.Generator) -> Ints:
    """One place of each group, all alike."""
    return groups.at[:-1] + (rng.random(groups.sizes.size) * groups.sizes).astype(np.int64)


def by_misfit(groups: Groups, crowd: Crowd, rng: np.random.Generator, workers: Workers) -> Ints:
    """One place of each group: rather of somebody whom the others have to go far for, or to wait for."""
    misfit = np.empty(groups.members.size)
    spread(workers, groups.at, misfits, crowd, groups.at, groups.members, misfit)
    # The greatest of such sums is each one with a chance in proportion to the exponential of what it counts.
    drawn = CHOOSY * misfit / (misfit.std() or 1.0) + rng.gumbel(size=misfit.size)
    group = np.repeat(np.arange(groups.sizes.size), groups.sizes)
    return np.lexsort((drawn, group))[groups.at[1:] - 1]


def spread(
    workers: Workers, work: Ints, task: Callable[..., Any], *arguments: Any, told: Callable[[int], None] | None = None
) -> None:
    """Let threads do a task for ranges of rows, ``task(low, high, *arguments)``.

    Parameters
    ----------
    workers
        Who does it.
    work
        How much comes before each row, and after the last: ranges are about as much work each.
    task, arguments
        What is done.
    told
        Told how much is done, in this thread.
    """
    pieces = workers.threads * PIECES_PER_THREAD
    cuts = np.unique(np.searchsorted(work, work[-1] * np.arange(pieces + 1) // pieces))
    cuts[-1] = work.size - 1
    jobs = [workers.pool.submit(task, int(low), int(high), *arguments) for low, high in itertools.pairwise(cuts)]
    for job, end in zip(jobs, cuts[1:], strict=True):
        job.result()
        if told:
            told(int(work[end]))


def dealt(groups: Groups, out: Split, core: Ints) -> Groups:
    """The groups after each who is out went to a core."""
    members = groups.members.copy()
    members[out.place[core]] = out.person
    return Groups(groups.at, members)


def values_with(
    crowd: Crowd,
    out: Split,
    person: Ints,
    core: Ints,
    workers: Workers,
    *,
    roughly: bool = False,
    told: Callable[[int], None] | None = None,
) -> Floats:
    """The value of each core given with the person beside it; somebody may be told how many are found."""
    order = np.argsort(core, kind="stable")
    tried_at, tried = np.searchsorted(core[order], np.arange(out.person.size + 1)), person[order]
    found, values = np.empty(tried.size), np.empty(tried.size)
    spread(workers, tried_at, core_values, crowd, out.core_at, out.core, tried_at, tried, roughly, found, told=told)
    values[order] = found
    return values


def group_values(groups: Groups, crowd: Crowd, workers: Workers, *, roughly: bool = False) -> Floats:
    """The value of each group."""
    last = split(groups, groups.at[1:] - 1)
    return values_with(crowd, last, last.person, np.arange(last.place.size), workers, roughly=roughly)
