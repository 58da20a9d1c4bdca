"""Far leaks: intervals of length tau of which all who fit cover a sample of the person farther than epsilon from it.

An interval is ``s .. s + tau``, both slots included, for every slot s from the first sample of the data to the last.
Who fits: whoever covers all published samples that the person has in it, and has no box within it that holds none of
the person's samples. Those are the hiders of the window, by construction, and others by accident; the latter are looked
up in the index of boxes, and only where the hiders alone would leak.

On the safe side, somebody who fits for some starts only of a run of intervals with the same samples is taken for one
who does not fit, and so is who misses a published sample but covers one that is withheld.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kte.cover import Index, Shown, bucket_of, covers, first_not_before, inside
from shoal.kernels.kte.lives import Lives, Pairs, first_from
from shoal.workers import Workers

PIECES_PER_THREAD = 16


class Clock(NamedTuple):
    """First and last slot of the data; slots of an epoch, of epsilon (the same, unless there is one epoch), of tau."""

    first: int
    last: int
    length: int
    epsilon: int
    tau: int


class Leaks(NamedTuple):
    """What leaks: a sample of a person, from intervals that begin in a window's first epoch; by person and window.

    ``intervals`` and ``leaking`` count all intervals with something published in them, and those that leak.
    """

    person: NDArray[np.int64]
    window: NDArray[np.int64]
    sample: NDArray[np.int64]
    intervals: int
    leaking: int


@helper
def strike_uncovered(far, count, boxes, person, lives):  # type: ignore[no-untyped-def]
    """Keep, of the samples ``far[:count]``, in the order of time, those that a person covers; returns how many."""
    kept, row, end = 0, boxes.at[person], boxes.at[person + 1]
    for i in range(count):
        s = far[i]
        while row < end and boxes.box[row, 1] < lives.t[s]:
            row += 1
        if row < end and inside(boxes.box[row], lives.t[s], lives.x[s], lives.y[s]):
            far[kept] = s
            kept += 1
    return kept


@helper
def may_fit(other, low, high, a, b, alive, person, lives, boxes):  # type: ignore[no-untyped-def]
    """Whether somebody covers the published samples ``low .. high - 1`` and has no box in ``a .. b`` without any.

    Parameters
    ----------
    other
        Whose boxes.
    low, high, a, b
        Samples, and the slots, of the interval.
    alive, person, lives
        Whose samples, and which of them are published.
    boxes
        All boxes.
    """
    for s in range(low, high):
        if alive[person, lives.epoch[s]] and not covers(boxes, other, lives.t[s], lives.x[s], lives.y[s]):
            return False
    end = lives.offsets[person + 1]
    row = first_not_before(boxes, other, a)
    while row < boxes.at[other + 1] and boxes.box[row, 1] <= b:
        box = boxes.box[row]
        if box[0] >= a:
            s = first_from(lives.t, lives.offsets[person], end, box[0])
            while s < end and lives.t[s] <= box[1] and not inside(box, lives.t[s], lives.x[s], lives.y[s]):
                s += 1
            if s == end or lives.t[s] > box[1]:
                return False
        row += 1
    return True


@helper
def ask_others(far, count, low, high, a, b, alive, person, lives, boxes, index):  # type: ignore[no-untyped-def]
    """Keep, of the samples ``far[:count]``, those that everybody covers who fits by accident.

    Parameters
    ----------
    far, count
        Changed: samples that the hiders cover.
    low, high, a, b
        Samples, at least one of them published, and the slots, of the interval.
    alive, person, lives, boxes
        As in `may_fit`.
    index
        Of the boxes.

    Returns
    -------
    count, other
        How many are left, and, where none is, who was the last to fit.
    """
    while not alive[person, lives.epoch[low]]:
        low += 1
    for level in range(index.lines.size):
        side = index.side << level
        column, line = (lives.x[low] - index.x) // side, (lives.y[low] - index.y) // side
        bucket = bucket_of(index, lives.epoch[low], level, column, line)
        for row in range(index.start[bucket], index.start[bucket + 1]):
            other = index.owner[row]
            if other == person or not inside(index.box[row], lives.t[low], lives.x[low], lives.y[low]):
                continue
            kept = 0
            for i in range(count):
                kept += covers(boxes, other, lives.t[far[i]], lives.x[far[i]], lives.y[far[i]])
            if kept < count and may_fit(other, low, high, a, b, alive, person, lives, boxes):
                count = strike_uncovered(far, count, boxes, other, lives)
                if count == 0:
                    return 0, other
    return count, -1


@kernel
def find_leaks(who, clock, lives, alive, hidden_by, boxes, index, hasty):  # type: ignore[no-untyped-def]
    """What leaks about some people.

    Parameters
    ----------
    who
        The people.
    clock, lives, alive
        Times; samples; which cells are published.
    hidden_by
        Of each person, who hides it, by window.
    boxes, index
        All boxes.
    hasty
        Whether one leak of a person in a window is enough, and the others are not looked for.

    Returns
    -------
    found, number
        Rows of (person, window, sample), and how many of them there are.
    intervals, leaking
        As in `Leaks`.
    """
    found, number = np.empty((64, 3), np.int64), 0
    intervals, leaking = np.int64(0), np.int64(0)
    longest = np.int64(0)
    for p in who:
        longest = max(longest, lives.offsets[p + 1] - lives.offsets[p])
    shared, far, told = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest, np.int64)
    for p in who:
        begin, end = lives.offsets[p], lives.offsets[p + 1]
        window, in_common, other = -1, 0, -1
        told[:] = -1
        start, low, high = clock.first, begin, begin
        while start <= clock.last and low < end:
            while low < end and lives.t[low] < start:
                low += 1
            high = max(high, low)
            while high < end and lives.t[high] <= start + clock.tau:
                high += 1
            # All starts from a to b have the same samples, and the same window.
            a = start
            b = min(clock.last, a + clock.length - 1 - (a - clock.first) % clock.length)
            if low < high:
                b = min(b, lives.t[low])
            if high < end:
                b = min(b, lives.t[high] - clock.tau - 1)
            start = b + 1
            own = False
            for s in range(low, high):
                own |= alive[p, lives.epoch[s]]
            if not own:
                continue
            intervals += b - a + 1
            if window != (a - clock.first) // clock.length:
                window = (a - clock.first) // clock.length
                in_common = 0
                for s in range(begin, end):
                    if alive[p, lives.epoch[s]]:
                        shared[in_common] = s
                        in_common += 1
                row = first_from(hidden_by.window, hidden_by.at[p], hidden_by.at[p + 1], window)
                while row < hidden_by.at[p + 1] and hidden_by.window[row] == window:
                    in_common = strike_uncovered(shared, in_common, boxes, hidden_by.other[row], lives)
                    row += 1
            count = 0
            for i in range(in_common):
                t = lives.t[shared[i]]
                if t < b - clock.epsilon or t > a + clock.tau + clock.epsilon:
                    far[count] = shared[i]
                    count += 1
            # Whoever fitted the interval before probably fits this one, and is no more wrong about what is far.
            if count > 0 and other >= 0 and may_fit(other, low, high, a, b + clock.tau, alive, p, lives, boxes):
                count = strike_uncovered(far, count, boxes, other, lives)
            if count > 0:
                count, other = ask_others(far, count, low, high, a, b + clock.tau, alive, p, lives, boxes, index)
            if count == 0:
                continue
            before = min(b, max(a - 1, lives.t[far[0]] + clock.epsilon))
            after = max(a, min(b + 1, lives.t[far[count - 1]] - clock.tau - clock.epsilon))
            leaking += min(b - a + 1, b - before + after - a)
            for i in range(count):
                if told[far[i] - begin] == window:
                    continue
                if number == len(found):
                    more = np.empty((2 * number, 3), np.int64)
                    more[:number] = found
                    found = more
                found[number, 0], found[number, 1], found[number, 2] = p, window, far[i]
                told[far[i] - begin] = window
                number += 1
            if hasty:
                in_common = 0
    return found, number, intervals, leaking


def far_leaks(
    who: NDArray[np.int64],
    clock: Clock,
    lives: Lives,
    alive: NDArray[np.bool_],
    hidden_by: Pairs,
    boxes: Shown,
    index: Index,
    *,
    hasty: bool,
    workers: Workers,
) -> Leaks:
    """What leaks about some people, in parallel; parameters as in `find_leaks`."""
    pieces = np.array_split(who, min(workers.threads * PIECES_PER_THREAD, max(1, who.size)))
    jobs = [
        workers.pool.submit(find_leaks, piece, clock, lives, alive, hidden_by, boxes, index, hasty) for piece in pieces
    ]
    results = [job.result() for job in jobs]
    rows = np.concatenate([found[:number] for found, number, _, _ in results])
    person, window, sample = (np.ascontiguousarray(column) for column in rows.T)
    return Leaks(person, window, sample, sum(int(r[2]) for r in results), sum(int(r[3]) for r in results))
