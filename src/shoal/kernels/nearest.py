"""Lists of the nearest so far, one per person, in exact order.

A stretch is a fraction ``total / samples``; fractions are compared by cross-multiplication in 64 bits (`pack`
has made sure that this does not overflow) and equal ones by the rank of the other's content.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import helper, kernel

NOBODY = -1

SLACK = 1e-9
"""Floats sort out only what is clear by more than this share; the rest is compared in integers."""


class Lists(NamedTuple):
    """Per row the nearest others, best first; free places hold `NOBODY` and stand behind everybody."""

    other: NDArray[np.int32]
    total: NDArray[np.int64]
    samples: NDArray[np.int32]


def new_lists(rows: int, width: int) -> Lists:
    """Empty lists."""
    return Lists(
        np.full((rows, width), NOBODY, np.int32),
        np.zeros((rows, width), np.int64),
        np.ones((rows, width), np.int32),
    )


def take_rows(lists: Lists, rows: NDArray[np.int64]) -> Lists:
    """A copy of some lists."""
    return Lists(lists.other[rows], lists.total[rows], lists.samples[rows])


def last_places(lists: Lists) -> Lists:
    """A copy of the last place of every list, where a candidate has to pass."""
    return Lists(lists.other[:, -1:].copy(), lists.total[:, -1:].copy(), lists.samples[:, -1:].copy())


@helper
def precedes(total, samples, other, rank, lists, row, place):  # type: ignore[no-untyped-def]
    """Whether a candidate stands before what the list holds at this place.

    ``total`` may be a lower bound: if even the bound does not stand before, the candidate does not.
    """
    held = lists.other[row, place]
    if held < 0:
        return True
    mine = np.int64(total) * np.int64(lists.samples[row, place])
    theirs = lists.total[row, place] * np.int64(samples)
    if mine != theirs:
        return mine < theirs
    return rank[other] < rank[held]


@helper
def insert(lists, row, other, total, samples, rank):  # type: ignore[no-untyped-def]
    """Put a candidate in its place, unless the list is full of better ones or has it already."""
    width = lists.other.shape[1]
    if not precedes(total, samples, other, rank, lists, row, width - 1):
        return False
    place = width - 1
    while place > 0 and precedes(total, samples, other, rank, lists, row, place - 1):
        place -= 1
    # The order is strict, so a candidate that is here already stands right before its own place.
    if place > 0 and lists.other[row, place - 1] == other:
        return False
    for p in range(width - 1, place, -1):
        lists.other[row, p] = lists.other[row, p - 1]
        lists.total[row, p] = lists.total[row, p - 1]
        lists.samples[row, p] = lists.samples[row, p - 1]
    lists.other[row, place], lists.total[row, place], lists.samples[row, place] = other, total, samples
    return True


@helper
def wanted(bound, samples, a, b, rank, mine, row_a, bars, row_b):  # type: ignore[no-untyped-def]
    """Whether a pair of this stretch, or of at least this bound, could enter the list of a or of b."""
    if row_a >= 0 and precedes(bound, samples, b, rank, mine, row_a, mine.other.shape[1] - 1):
        return True
    return row_b >= 0 and precedes(bound, samples, a, rank, bars, row_b, 0)


@helper
def bar(lists, row, shift):  # type: ignore[no-untyped-def]
    """Stretch of the last in the list, in the bounds' unit and a trifle more; infinite while there is room."""
    last = lists.other.shape[1] - 1
    if row < 0:
        return -1.0
    if lists.other[row, last] < 0:
        return np.inf
    return lists.total[row, last] / lists.samples[row, last] / (1 << shift) * (1 + SLACK)


@kernel
def insert_events(lists, row_of, events, rank):  # type: ignore[no-untyped-def]
    """Enter rows of (person, person, total, samples) into the lists of both, where they keep one."""
    for e in range(events.shape[0]):
        for side in range(2):
            row = row_of[events[e, side]]
            if row >= 0:
                insert(lists, row, events[e, 1 - side], events[e, 2], events[e, 3], rank)
