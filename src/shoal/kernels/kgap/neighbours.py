"""The k-1 nearest people of everybody, exact (GLOVE §4.2; anonymizability §2.2).

The search works in threads of Python on kernels that release the interpreter's lock. A thread reads people and a
snapshot of everybody's last place, which nobody writes, and returns what it found; the main thread alone keeps
the lists. So there is no race, and as the order of neighbours is strict the result is the same for any number of
threads and in any order of arrival.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.kernels.common.content import twins
from shoal.kernels.common.people import People, pack, select
from shoal.kernels.common.scale import Scale, scale_of
from shoal.kernels.kgap.candidates import Candidates, block_bars
from shoal.kernels.kgap.cascade import PAIR_TALLY, screen
from shoal.kernels.kgap.nearest import (
    Bars,
    Lists,
    insert_events,
    last_places,
    new_lists,
    spell_out,
    take_rows,
)
from shoal.kernels.kgap.pairs import as_people
from shoal.kernels.kgap.seeds import WINDOW, guess
from shoal.kernels.kgap.settle import settle
from shoal.kernels.kgap.survey import World, survey
from shoal.workers import Workers

Count = Callable[[int, int], None]
Rows = NDArray[np.int64]
Events = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rows of (person, person, total, samples); counts as in `PAIR_TALLY`."""
Task = tuple[Callable[[], Events], int]
"""What to do, and for how many people."""

GUESS_CHUNK, FIRST_CHUNK, CHUNKS = 512, 16, 400
"""Chunks of the search start small and grow: the first ones tighten the bars for all that follow."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Row i holds the nearest of person ``targets[i]``, best first, by (Delta, content).

    There are ``min(k - 1, n - 1)`` columns: with fewer than k people everybody else is listed.
    """

    targets: NDArray[np.int32]
    other: NDArray[np.int32]
    total: NDArray[np.int64]
    samples: NDArray[np.int32]
    """Delta is ``total / (unit * samples)``."""
    unit: int
    tally: dict[str, int]
    """How many pairs were looked at and how many came to each bound (`shoal.kernels.kgap.cascade.PAIR_TALLY`)."""


def guess_tasks(world: World, candidates: Candidates, row_of: Rows, width: int) -> Iterator[Task]:
    """First guesses, chunk by chunk of the candidates; chunks without anybody who keeps a list are left out.

    Parameters
    ----------
    world, candidates
        Everybody, laid out, and those among whom to look.
    row_of
        Everybody's row in the lists, or negative.
    width
        Of the lists.
    """
    n, window = candidates.member.size, max(WINDOW, width)
    nothing, no_row = new_lists(1, width), np.minimum(row_of[candidates.member], 0)
    bars = last_places(nothing, no_row, candidates.samples, world.rank, world.measures.shift)

    def task(lo: int, hi: int) -> Events:
        first, hints = guess(lo, hi, width, window, row_of, candidates, world.sites, world.digest, world.measures)
        row, column = np.nonzero(hints >= 0)
        a, b = row + first, hints[row, column].astype(np.int64)
        # A pair may be hinted at from both sides; the shorter is the owner.
        a_first = candidates.samples[a] <= candidates.samples[b]
        shorter, longer = np.unique(np.where(a_first, (a, b), (b, a)), axis=1)
        places, index = np.unique(shorter, return_inverse=True)
        pairs, bounds = np.stack((index, longer), axis=1).astype(np.int32), np.zeros(longer.size, np.int64)
        owners, mine = candidates.member[places].astype(np.int64), take_rows(nothing, no_row[places])
        events, computed = settle(owners, pairs, bounds, mine, bars, candidates, *world.for_settling())
        return events, np.array([0, 0, 0, 0, computed])

    for lo in range(0, n, GUESS_CHUNK):
        hi = min(lo + GUESS_CHUNK, n)
        if (no_row[max(0, lo - window) : hi + window] >= 0).any():
            yield partial(task, lo, hi), hi - lo


def search_tasks(world: World, candidates: Candidates, lists: Lists, row_of: Rows, owners: Rows) -> Iterator[Task]:
    """Chunks of owners against candidates, each with the bars of the moment at which it is asked for.

    Parameters
    ----------
    world
        Everybody, laid out.
    candidates
        Against whom.
    lists, row_of
        The lists as they are, and everybody's row in them, or negative.
    owners
        People whose fields are built.
    """

    def task(chunk: Rows, mine: Lists, bars: Bars) -> Events:
        blocks = block_bars(bars, candidates)
        pairs, bounds, tally = screen(
            chunk, mine, bars, blocks, candidates, world.rank, world.sites, world.digest, world.measures
        )
        best_first = np.lexsort((bounds / candidates.samples[pairs[:, 1]], pairs[:, 0]))
        pairs, bounds = pairs[best_first], bounds[best_first]
        events, tally[-2] = settle(chunk, pairs, bounds, mine, bars, candidates, *world.for_settling())
        return events, tally

    at, size, largest = 0, FIRST_CHUNK, max(FIRST_CHUNK, row_of.size // CHUNKS)
    while at < owners.size:
        chunk = owners[at : at + size]
        mine = take_rows(lists, row_of[chunk])
        bars = last_places(lists, row_of[candidates.member], candidates.samples, world.rank, world.measures.shift)
        yield partial(task, chunk, mine, bars), chunk.size
        at, size = at + size, min(2 * size, largest)


def run_tasks(tasks: Iterable[Task], workers: Workers) -> Iterator[tuple[Events, int]]:
    """Work the tasks off, few ahead of time; gives what each returns, as they come."""
    pending: dict[Future[Events], int] = {}
    todo = iter(tasks)
    while True:
        while len(pending) <= workers.threads and (task := next(todo, None)) is not None:
            pending[workers.pool.submit(task[0])] = task[1]
        if not pending:
            return
        for future in wait(pending, return_when=FIRST_COMPLETED).done:
            yield future.result(), pending.pop(future)


def nearest_among(
    world: World, members: Rows, asked: Rows, width: int, workers: Workers, progress: Count | None = None
) -> tuple[Lists, NDArray[np.int64]]:
    """Lists for those asked for, among some who are all different; how many pairs came to each bound.

    Parameters
    ----------
    world
        Everybody, laid out. All indices are in its order.
    members
        Among whom to look; they ascend.
    asked
        Members who are asked for; they ascend.
    width
        Of the lists.
    workers, progress
        As in `neighbours`.
    """
    tally, done = np.zeros(len(PAIR_TALLY), np.int64), 0
    row_of = np.full(world.order.size, -1, np.int64)
    row_of[asked] = np.arange(asked.size)
    lists = new_lists(asked.size, width)
    if width < 1 or asked.size == 0:
        return lists, tally
    candidates, outside = world.candidates(members), members[row_of[members] < 0]
    stages = [
        guess_tasks(world, candidates, row_of, width),
        search_tasks(world, candidates, lists, row_of, asked),
        # Two people who keep no list have nothing to look for in each other.
        search_tasks(world, world.candidates(asked), lists, row_of, outside),
    ]
    for stage in stages:
        for (events, counts), served in run_tasks(stage, workers):
            insert_events(lists, row_of, events, world.rank)
            tally += counts
            done += served
            if progress is not None:
                progress(done, 2 * members.size)
    return lists, tally


def nearest_contents(
    people: People, scale: Scale, width: int, asked: NDArray[np.int32], workers: Workers, progress: Count | None
) -> tuple[Lists, NDArray[np.int64]]:
    """Lists for those asked for, of people who are all different; how many pairs came to each bound.

    Parameters
    ----------
    people, scale
        Packed, and what a cell costs.
    width
        Of the lists.
    asked
        People who are asked for, some perhaps twice.
    workers, progress
        As in `neighbours`.
    """
    if width < 1 or asked.size == 0:
        return new_lists(asked.size, 0), np.zeros(len(PAIR_TALLY), np.int64)
    world = survey(people, scale)
    place = np.empty_like(world.order)
    place[world.order] = np.arange(place.size)
    distinct, row = np.unique(place[asked], return_inverse=True)
    lists, tally = nearest_among(world, np.arange(place.size), distinct, width, workers, progress)
    other = world.order[lists.other].astype(np.int32)
    return Lists(other[row], lists.total[row], lists.samples[row]), tally


def neighbours(
    offsets: NDArray[np.int64],
    t: NDArray[np.int32],
    x: NDArray[np.int32],
    y: NDArray[np.int32],
    *,
    space_cap: int,
    time_cap: int,
    k: int,
    targets: ArrayLike | None = None,
    workers: Workers,
    progress: Count | None = None,
) -> Neighbours:
    """Find the k-1 people with the least fingerprint stretch from each target.

    The order is by (Delta, content): Delta as an exact fraction, content as the samples (t, x, y) compared like
    tuples. Only people of identical content are interchangeable; among them the order of the input decides. The
    first columns for a large k are the columns for a smaller one.

    Parameters
    ----------
    offsets, t, x, y
        People as in `shoal.kernels`.
    space_cap, time_cap
        20 km and 8 h in grid cells.
    k
        At least 2. With fewer than k people the lists hold everybody else.
    targets
        Indices of people whose neighbours are asked for, among everybody; all by default.
    workers
        Who does it; the calling thread must be none of them.
    progress
        Called as ``progress(done, total)`` between chunks, in the calling thread.

    Examples
    --------
    Three people with one sample each, 1 km and 2 km apart: half of the caps' point is for space.

    >>> offsets, zero = np.arange(4), np.zeros(3, np.int32)
    >>> x = np.array([0, 10, 30], np.int32)
    >>> from shoal.workers import workers
    >>> with workers(2) as two:
    ...     near = neighbours(offsets, zero, x, zero, space_cap=200, time_cap=480, k=2, workers=two)
    >>> near.other.ravel().tolist(), (near.total / (near.unit * near.samples)).ravel().tolist()
    ([1, 0, 1], [0.025, 0.025, 0.05])
    """
    if k < 2:
        raise ValueError("k is at least 2")
    scale = scale_of(space_cap, time_cap)
    people = pack(offsets, t, x, y, scale)
    n = people.offsets.size - 1
    asked = as_people(np.arange(n) if targets is None else targets, people)
    # People of identical content are one to the search: of all ties theirs are the commonest and the easiest.
    number, start, members = twins(people)
    contents = select(people, members[start[:-1]])
    nearest, tally = nearest_contents(contents, scale, min(k - 1, start.size - 2), number[asked], workers, progress)
    found = new_lists(asked.size, max(0, min(k - 1, n - 1)))
    spell_out(asked, number, start, members, np.diff(people.offsets), nearest, found)
    return Neighbours(asked, *found, scale.unit, dict(zip(PAIR_TALLY, tally.tolist(), strict=True)))
