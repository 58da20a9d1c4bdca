"""Lists of the nearest so far, one per person, in exact order.

A stretch is a fraction ``total / samples``; fractions are compared by cross-multiplication in 64 bits (`pack`
has made sure that this does not overflow) and equal ones by the rank of the other's content.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel

SLACK = 1e-9
"""Floats sort out only what is clear by more than this share; the rest is compared in integers."""


class Lists(NamedTuple):
    """Per row the nearest others, best first. Free places come last: they have no samples and a total of 1."""

    other: NDArray[np.int32]
    total: NDArray[np.int64]
    samples: NDArray[np.int32]


class Bars(NamedTuple):
    """What a newcomer has to stand before: the last place in a list, of every member of a crowd.

    A free place lets everybody pass; who keeps no list has a total of -1, which nobody passes.
    """

    total: NDArray[np.int64]
    samples: NDArray[np.int32]
    rank: NDArray[np.int32]
    limit: NDArray[np.float64]
    """Sum that the member as the longer may have, in the bounds' unit and a trifle more."""


def new_lists(rows: int, width: int) -> Lists:
    """Empty lists."""
    return Lists(
        np.full((rows, width), -1, np.int32),
        np.ones((rows, width), np.int64),
        np.zeros((rows, width), np.int32),
    )


def take_rows(lists: Lists, rows: NDArray[np.int64]) -> Lists:
    """A copy of some lists; a negative row gives one that nobody can enter."""
    taken = Lists(lists.other[rows], lists.total[rows], lists.samples[rows])
    taken.total[rows < 0], taken.samples[rows < 0] = -1, 1
    return taken


def last_places(
    lists: Lists, rows: NDArray[np.int64], sizes: NDArray[np.int32], rank: NDArray[np.int32], shift: int
) -> Bars:
    """The bars of some people.

    Parameters
    ----------
    lists
        Of all who keep one.
    rows
        The people's rows in the lists; negative: they keep none.
    sizes
        How many samples they have.
    rank
        Of everybody's content.
    shift
        Bounds are sums divided by ``2**shift``.
    """
    taken = take_rows(Lists(lists.other[:, -1:], lists.total[:, -1:], lists.samples[:, -1:]), rows)
    total, samples = taken.total[:, 0], taken.samples[:, 0]
    stretch = np.full(total.size, np.inf)
    np.divide(total, samples, out=stretch, where=samples > 0)
    return Bars(total, samples, rank[taken.other[:, 0]], stretch * sizes / 2**shift * (1 + SLACK))


@helper
def precedes(total, samples, rank, bar_total, bar_samples, bar_rank):  # type: ignore[no-untyped-def]
    """Whether a stretch stands before another one. It may be a bound: if that does not, the stretch does not."""
    mine, theirs = np.int64(total) * np.int64(bar_samples), np.int64(bar_total) * np.int64(samples)
    return mine < theirs or (mine == theirs and rank < bar_rank)


@helper
def insert(lists, row, other, total, samples, rank):  # type: ignore[no-untyped-def]
    """Put a candidate in its place, unless the list is full of better ones or has it already."""
    others, totals, sizes = lists.other, lists.total, lists.samples
    place = others.shape[1]
    while place > 0 and precedes(
        total, samples, rank[other], totals[row, place - 1], sizes[row, place - 1], rank[others[row, place - 1]]
    ):
        place -= 1
    # The order is strict, so a candidate that is here already stands right before its own place.
    if place == others.shape[1] or (place > 0 and others[row, place - 1] == other):
        return
    for p in range(others.shape[1] - 1, place, -1):
        others[row, p], totals[row, p], sizes[row, p] = others[row, p - 1], totals[row, p - 1], sizes[row, p - 1]
    others[row, place], totals[row, place], sizes[row, place] = other, total, samples


@kernel
def insert_events(lists, row_of, events, rank):  # type: ignore[no-untyped-def]
    """Enter what was found into the lists of both, where they keep one.

    Parameters
    ----------
    lists
        Written.
    row_of
        Everybody's row in the lists, or negative.
    events
        Rows of (person, person, total, samples).
    rank
        Of everybody's content.
    """
    for e in range(events.shape[0]):
        for side in range(2):
            row = row_of[events[e, side]]
            if row >= 0:
                insert(lists, row, events[e, 1 - side], events[e, 2], events[e, 3], rank)


@kernel
def spell_out(asked, number, start, members, sizes, nearest, found):  # type: ignore[no-untyped-def]
    """From lists of contents to lists of people: first those of one's own content, then content by content.

    Parameters
    ----------
    asked
        People who are asked for.
    number, start, members
        As in `shoal.kernels.common.content.twins`.
    sizes
        Samples of everybody.
    nearest
        Row by row of ``asked``, the nearest contents.
    found
        Written: the nearest people.
    """
    width = found.other.shape[1]
    for row in range(asked.size):
        own, used = number[asked[row]], 0
        for column in range(-1, nearest.other.shape[1]):
            content, total, samples = own, np.int64(0), sizes[asked[row]]
            if column >= 0:
                content = nearest.other[row, column]
                total, samples = nearest.total[row, column], np.int64(nearest.samples[row, column])
            for m in range(start[content], start[content + 1]):
                if used < width and members[m] != asked[row]:
                    found.other[row, used], found.total[row, used] = members[m], total
                    found.samples[row, used] = samples
                    used += 1
