"""Candidates who could hide people in a window, and what each would cost.

What it costs that j hides i is by how much j's boxes grow: in every epoch that both are in, the k-merge of j, of whom j
hides there already and of i, less the k-merge without i. (The paper, §III-G, takes the 2-merge of i and j, whatever
else j has to hide.)
"""

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel, maker
from shoal.kernels.kmerge.stamps import Rule
from shoal.kernels.kte.cover import Shown
from shoal.kernels.kte.crowd import gather, merge, merge_in, new_crowd
from shoal.kernels.kte.lives import Lives, Pairs, first_from
from shoal.kernels.kte.tree import DEEPEST, build_tree, nearest_unused
from shoal.workers import Workers

NOBODY = -1
LEAST_PIECE = 128
"""People asked in one go: fewer are not worth a thread."""


class Stretch(NamedTuple):
    """What a window covers, and what is decided there so far.

    Attributes
    ----------
    lives, alive, hides
        Samples; which cells are published; whom each person hides in this window or one that overlaps with it.
    epoch, reach
        Its first epoch; how many follow.
    bounds
        Cell d of person p is the samples ``bounds[p, d]:bounds[p, d + 1]``.
    priced
        Whether candidates are compared by cost; else they come nearest first, and cost nothing.
    cost, room
        If so: of each person and cell, what its boxes cost so far; samples of the largest crowd and of the largest
        cell together.
    start, slot_weight
        Its first slot; how many cells of space one slot of time counts for when the nearest are sought.
    """

    lives: Lives
    alive: NDArray[np.bool_]
    hides: Pairs
    epoch: int
    reach: int
    bounds: NDArray[np.int64]
    priced: bool
    cost: NDArray[np.int64]
    room: int
    start: int
    slot_weight: float
    rule: Rule


class Avoid(NamedTuple):
    """What candidates must not cover: of person number i who asks, the samples ``sample[at[i]:at[i + 1]]``."""

    boxes: Shown
    at: NDArray[np.int64]
    sample: NDArray[np.int64]


def avoid_nothing(asked: int) -> Avoid:
    """All candidates will do, for so many people."""
    nothing = Shown(np.zeros(1, np.int64), np.empty((0, 6), np.int32))
    return Avoid(nothing, np.zeros(asked + 1, np.int64), np.empty(0, np.int64))


class Candidates(NamedTuple):
    """Of each person asked, numbers of possible hiders, cheapest first, then `NOBODY`; and the costs."""

    hider: NDArray[np.int32]
    cost: NDArray[np.int64]


@kernel
def find_bounds(lives, first, cells):  # type: ignore[no-untyped-def]
    """Where the samples of the epochs ``first .. first + cells - 1`` begin, and the last ones end, of everybody."""
    people = lives.offsets.size - 1
    bounds = np.empty((people, cells + 1), np.int64)
    for p in range(people):
        end = lives.offsets[p + 1]
        row = first_from(lives.epoch, lives.offsets[p], end, first)
        for d in range(cells + 1):
            while row < end and lives.epoch[row] < first + d:
                row += 1
            bounds[p, d] = row
    return bounds


@kernel
def price_crowds(who, lives, alive, hides, first, rule, cost):  # type: ignore[no-untyped-def]
    """What the boxes of some people cost in the epochs from ``first`` on; returns the samples of the largest crowd.

    Parameters
    ----------
    who
        The first of the people, and the one after the last.
    lives, alive, hides
        As in `Stretch`.
    first
        The first of as many epochs as there are columns of cost.
    rule
        What a box costs.
    cost
        Written: the rows of these people.
    """
    cells, most, crowd = cost.shape[1], np.int64(0), new_crowd(64)
    for p in range(who[0], who[1]):
        for d in range(cells):
            if alive[p, first + d]:
                n, members = gather(p, first + d, cells - 1, lives, alive, hides, crowd)
                while n > crowd.t.size:
                    crowd = new_crowd(2 * n)
                    n, members = gather(p, first + d, cells - 1, lives, alive, hides, crowd)
                merge(crowd, n, members, rule)
                cost[p, d], most = crowd.plans.cost[0], max(most, n)
    return most


def crowd_costs(
    lives: Lives, alive: NDArray[np.bool_], hides: Pairs, first: int, cells: int, rule: Rule, *, workers: Workers
) -> tuple[NDArray[np.int64], int]:
    """What everybody's boxes cost, and how many samples the largest crowd has, in parallel.

    Parameters
    ----------
    lives, alive, hides, first, rule
        As in `price_crowds`.
    cells
        How many epochs.
    workers
        Who does it.
    """
    cost = np.zeros((len(alive), cells), np.int64)
    pieces = min(4 * workers.threads, -(-len(alive) // LEAST_PIECE))
    cuts = [len(alive) * piece // pieces for piece in range(pieces + 1)]
    jobs = [
        workers.pool.submit(price_crowds, who, lives, alive, hides, first, rule, cost)
        for who in itertools.pairwise(cuts)
    ]
    return cost, max(int(job.result()) for job in jobs)


@kernel
def mean_points(people, stretch, shared):  # type: ignore[no-untyped-def]
    """Mean place and weighted time of people in each of the cells ``shared``, as rows of coordinates."""
    lives, bounds = stretch.lives, stretch.bounds
    points = np.empty((people.size, 3 * shared.size), np.float32)
    for i in range(people.size):
        p = people[i]
        for c in range(shared.size):
            low, high = bounds[p, shared[c]], bounds[p, shared[c] + 1]
            t, x, y = np.int64(0), np.int64(0), np.int64(0)
            for s in range(low, high):
                t, x, y = t + lives.t[s], x + lives.x[s], y + lives.y[s]
            number = high - low
            # Times of this century are too large for float32 to tell two minutes apart.
            points[i, 3 * c] = (t / number - stretch.start) * stretch.slot_weight
            points[i, 3 * c + 1], points[i, 3 * c + 2] = x / number, y / number
    return points


@maker
def cost_of_hiding(hider, hidden, stretch, shared, rule, crowd):  # type: ignore[no-untyped-def]
    """By how much the boxes of the hider grow in the cells ``shared``."""
    lives, alive, hides, bounds = stretch.lives, stretch.alive, stretch.hides, stretch.bounds
    total = np.int64(0)
    for d in shared:
        n, members = gather(hider, stretch.epoch + d, stretch.reach, lives, alive, hides, crowd)
        low, high = bounds[hidden, d], bounds[hidden, d + 1]
        merge_in(crowd, n, members, lives, low, high)
        merge(crowd, n + high - low, members + 1, rule)
        total += crowd.plans.cost[0] - stretch.cost[hider, d]
    return total


@kernel
def ask_tree(asked, points, tree, people, stretch, shared, used, avoid, found):  # type: ignore[no-untyped-def]
    """The candidates of some people.

    Parameters
    ----------
    asked, points
        Who asks, and their points.
    tree, people
        Who could hide them.
    stretch, shared
        The window, and the cells in which all of them are.
    used
        Pairs that must not come again.
    avoid
        What they must not cover.
    found
        Written: the candidates.
    """
    most = found.hider.shape[1]
    near, distance = np.empty(most, np.int32), np.empty(most, np.float32)
    stack, crowd = np.empty(DEEPEST, np.int64), new_crowd(stretch.room)
    for i in range(asked.size):
        unwanted = (avoid.boxes, avoid.sample[avoid.at[i] : avoid.at[i + 1]])
        count = nearest_unused(tree, people, asked[i], points[i], used, unwanted, stretch.lives, near, distance, stack)
        hider, cost = found.hider[i], found.cost[i]
        for c in range(count):
            price, place = np.int64(0), c
            if stretch.priced:
                price = cost_of_hiding(people[near[c]], asked[i], stretch, shared, stretch.rule, crowd)
            while place > 0 and cost[place - 1] > price:
                hider[place], cost[place] = hider[place - 1], cost[place - 1]
                place -= 1
            hider[place], cost[place] = near[c], price


def find_candidates(
    asked: NDArray[np.int64],
    people: NDArray[np.int64],
    stretch: Stretch,
    shared: NDArray[np.int64],
    used: NDArray[np.int64],
    most: int,
    *,
    avoid: Avoid | None = None,
    workers: Workers,
) -> Candidates:
    """Find the nearest who could hide people.

    Parameters
    ----------
    asked
        Who is to be hidden.
    people
        Who could hide them: all of these, and all who ask, are in the same cells.
    stretch, shared
        The window, and those cells.
    used
        Pairs that must not come again.
    most
        Candidates of each.
    avoid
        What they must not cover.
    workers
        Who does it.

    Returns
    -------
    Candidates
        Hiders by their place in ``people``. Where there are fewer than ``most``, nobody else will do.
    """
    avoid = avoid or avoid_nothing(asked.size)
    found = Candidates(np.full((asked.size, most), NOBODY, np.int32), np.zeros((asked.size, most), np.int64))
    if not people.size or not asked.size:
        return found
    tree = build_tree(mean_points(people, stretch, shared))
    points = tree.points if asked is people else mean_points(asked, stretch, shared)
    pieces = min(4 * workers.threads, -(-asked.size // LEAST_PIECE))
    cuts = [asked.size * piece // pieces for piece in range(pieces + 1)]
    jobs = []
    for low, high in itertools.pairwise(cuts):
        some = avoid._replace(at=avoid.at[low : high + 1])
        part = Candidates(found.hider[low:high], found.cost[low:high])
        jobs.append(
            workers.pool.submit(
                ask_tree, asked[low:high], points[low:high], tree, people, stretch, shared, used, some, part
            )
        )
    for job in jobs:
        job.result()
    return found
