"""The loops behind the checks of window hiding, compiled: filling the index of boxes, and the sweep.

These are the auditor's own; nothing here is shared with what makes releases. Import it late: it needs numba.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.auditor.window_material import Index, Known, Published, Small, Terms

F = TypeVar("F", bound=Callable[..., Any])

CELL_M = 400
"""Side of the smallest cell of the index."""

LEVELS = 24
"""Each level has cells twice as wide: the last one holds whatever 32-bit metres can span."""

INTERVALS, FEW_COVER, LEAST_COVER, FEW_LEFT, LEAST_LEFT, WITHHELD, LEAKING = range(7)
"""Columns of what the sweep counts."""

NONE = 2**62


def compiled(function: F) -> F:
    return cast(F, njit(cache=True, nogil=True)(function))


@compiled
def _bucket(slot: int, level: int, column: int, line: int, mask: int) -> int:
    """Scatter cells over the table; who falls together by chance is told apart by the boxes themselves."""
    key = ((int(slot) * 31 + level) * 1_000_003 + int(column)) * 1_000_033 + int(line)
    key ^= key >> 31
    key *= 0x1B873593CC9E2D51
    return (key >> 29) & mask


@compiled
def _level(width: int) -> int:
    level, side = 0, CELL_M
    while side < width and level < LEVELS - 1:
        side *= 2
        level += 1
    return level


@compiled
def fill(boxes: Published, index: Index) -> None:
    """Sort boxes into buckets; with no room for ``rows`` only count into ``starts``, shifted by one.

    A box lies at the level whose cells are just wider than itself, so in four of them at most, and in all bins of
    time that it touches.
    """
    starts, rows, used, step, mask = index.starts, index.rows, index.used, index.step, index.mask
    for box in range(boxes.first.size):
        level = _level(max(boxes.x1[box] - boxes.x0[box], boxes.y1[box] - boxes.y0[box]))
        used[level] = True
        side = CELL_M << level
        for slot in range(boxes.first[box] // step, (boxes.stop[box] - 1) // step + 1):
            for column in range(boxes.x0[box] // side, (boxes.x1[box] - 1) // side + 1):
                for line in range(boxes.y0[box] // side, (boxes.y1[box] - 1) // side + 1):
                    bucket = _bucket(slot, level, column, line, mask)
                    if rows.size:
                        rows[starts[bucket]] = box
                        starts[bucket] += 1
                    else:
                        starts[bucket + 1] += 1


@compiled
def looks_at(people: Ints, known: Known, index: Index) -> int:
    """Count the boxes that will be looked at for these people: how long the sweep will take."""
    total = 0
    for person in people:
        for row in range(known.offsets[person], known.offsets[person + 1]):
            for level in range(LEVELS):
                if index.used[level]:
                    side = CELL_M << level
                    slot, column, line = known.t[row] // index.step, known.x[row] // side, known.y[row] // side
                    bucket = _bucket(slot, level, column, line, index.mask)
                    total += index.starts[bucket + 1] - index.starts[bucket]
    return total


@compiled
def _longer(values: NDArray[Any], place: int) -> NDArray[Any]:
    """Make room for a value at a place, at most one or two beyond the end."""
    if place < values.size:
        return values
    more = np.empty(2 * values.size, values.dtype)
    more[: values.size] = values
    return more


@compiled
def _first_from(values: Small, low: int, high: int, wanted: int) -> int:
    """Find where, in a sorted stretch, values from this one on start."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


class Join(NamedTuple):
    """Who covers which samples of one person.

    Attributes
    ----------
    who
        People with a box around some sample; the others here are numbers of theirs.
    offsets, one, size
        Of each sample those who cover it, and how loosely.
    of, held
        Of each one the samples that they cover, ascending.
    """

    who: Small
    offsets: Ints
    one: Small
    size: Ints
    of: Ints
    held: Small


@compiled
def _join(number: int, person: int, known: Known, boxes: Published, index: Index, local: Small, seen: Small) -> Join:
    """Look up all samples of a person; ``seen`` marks the boxes that hold one, ``local`` numbers their owners."""
    low, n = known.offsets[person], known.offsets[person + 1] - known.offsets[person]
    who, before, place = np.empty(64, np.int32), np.empty(64, np.int32), np.empty(64, np.int64)
    one_of, size = np.empty(256, np.int32), np.empty(256, np.int64)
    offsets, people, m = np.zeros(n + 1, np.int64), 0, 0
    shapes = index.shapes
    for p in range(n):
        t, x, y = known.t[low + p], known.x[low + p], known.y[low + p]
        for level in range(LEVELS):
            if not index.used[level]:
                continue
            side = CELL_M << level
            bucket = _bucket(t // index.step, level, x // side, y // side, index.mask)
            for entry in range(index.starts[bucket], index.starts[bucket + 1]):
                if not (shapes[entry, 0] <= t < shapes[entry, 1]):
                    continue
                if not (shapes[entry, 2] <= x and x + known.cell_m <= shapes[entry, 3]):
                    continue
                if not (shapes[entry, 4] <= y and y + known.cell_m <= shapes[entry, 5]):
                    continue
                box = index.rows[entry]
                seen[box] = number
                one = local[boxes.owner[box]]
                if one < 0:
                    one = people
                    people += 1
                    who, before, place = _longer(who, one), _longer(before, one), _longer(place, one)
                    local[boxes.owner[box]], who[one], before[one] = one, boxes.owner[box], -1
                if before[one] == p:  # boxes of one person may overlap: the tightest counts
                    size[place[one]] = min(size[place[one]], boxes.size[box])
                    continue
                one_of, size = _longer(one_of, m), _longer(size, m)
                before[one], place[one] = p, m
                one_of[m], size[m] = one, boxes.size[box]
                m += 1
        offsets[p + 1] = m
    of = np.zeros(people + 1, np.int64)
    for entry in range(m):
        of[one_of[entry] + 1] += 1
    of = np.cumsum(of)
    held, at = np.empty(m, np.int32), of[:-1].copy()
    for p in range(n):
        for entry in range(offsets[p], offsets[p + 1]):
            held[at[one_of[entry]]] = p
            at[one_of[entry]] += 1
    return Join(who[:people], offsets, one_of[:m], size[:m], of, held)


@compiled
def _shared(sample: int, crowd: Small, left: Small, join: Join) -> bool:
    """Tell whether all who are left of a crowd cover a sample."""
    for place in left:
        one = crowd[place]
        at = _first_from(join.held, join.of[one], join.of[one + 1], sample)
        if at == join.of[one + 1] or join.held[at] != sample:
            return False
    return True


@compiled
def _leaking(u: int, v: int, crowd: Small, left: Small, least: int, t: Small, join: Join, terms: Terms) -> int:
    """Count starts of u … v for which all who are left of a crowd cover a sample beyond epsilon from the interval.

    Of them ``least`` covers the fewest samples: what all share is among those.
    """
    of, held = join.of, join.held
    # The earliest that is shared makes all starts leak that are late enough; the latest, those early enough.
    before, after = v, u
    for at in range(of[least], of[least + 1]):
        when = t[held[at]] + terms.epsilon
        if when >= v:
            break
        if _shared(held[at], crowd, left, join):
            before = when
            break
    for at in range(of[least + 1] - 1, of[least] - 1, -1):
        when = t[held[at]] - terms.far
        if when <= u:
            break
        if _shared(held[at], crowd, left, join):
            after = when
            break
    late, early = v - max(before, u - 1), min(after, v + 1) - u
    return int(min(late + early, v - u + 1))


@compiled
def _order(one: int, other: int, cost: Ints, count: Ints) -> int:
    """Compare how tightly two fit in the mean: negative where one does more so."""
    return int(cost[one] * count[other] - cost[other] * count[one])


@compiled
def _fewer(one: int, other: int, of: Ints) -> bool:
    return bool(of[one + 1] - of[one] < of[other + 1] - of[other])


@compiled
def _move(one: int, old: int, new: int, head: Small, after: Small, before: Small) -> None:
    """Take one from the list of those who cover so many samples to another; nobody is listed for none."""
    if old > 0:
        if before[one] >= 0:
            after[before[one]] = after[one]
        else:
            head[old] = after[one]
        if after[one] >= 0:
            before[after[one]] = before[one]
    if new > 0:
        after[one], before[one] = head[new], -1
        if head[new] >= 0:
            before[head[new]] = one
        head[new] = one


@compiled
def sweep(
    people: Ints,
    known: Known,
    boxes: Published,
    index: Index,
    terms: Terms,
    counts: Ints,
    tightest: NDArray[np.float64],
) -> None:
    """Slide an interval over the data for each of some people, and count who fits.

    Between two events (a sample enters or leaves) the same people cover the same samples; in between, boxes that hold
    nothing of the person enter and leave, and rule out their owners for a while.

    Parameters
    ----------
    counts, tightest
        Filled for each of ``people``.
    """
    tau, last = terms.tau, known.last
    local = np.full(boxes.offsets.size - 1, -1, np.int32)
    seen = np.full(boxes.first.size, -1, np.int32)
    turn = np.empty(64, np.int64)
    for number in range(people.size):
        person = people[number]
        t = known.t[known.offsets[person] : known.offsets[person + 1]]
        join = _join(number, person, known, boxes, index, local, seen)
        mine, n, others = local[person], t.size, join.who.size
        count, cost = np.zeros(others, np.int64), np.zeros(others, np.int64)
        # Those who cover so many samples of the interval, by number: who fits is found without asking everybody.
        head, after, before = np.full(n + 1, -1, np.int32), np.empty(others, np.int32), np.empty(others, np.int32)
        # Who fits; places in that list of those who are left, and where each place stands; how many boxes rule it out.
        crowd, left = np.empty(others, np.int32), np.empty(others, np.int32)
        where, out = np.empty(others, np.int32), np.empty(others, np.int32)
        least_cover, least_left = NONE, NONE
        s, low, high = 0, 0, 0
        while s <= last and low < n:
            while low < n and t[low] < s:
                for entry in range(join.offsets[low], join.offsets[low + 1]):
                    one = join.one[entry]
                    _move(one, count[one], count[one] - 1, head, after, before)
                    count[one] -= 1
                    cost[one] -= join.size[entry]
                low += 1
            while high < n and t[high] <= s + tau:
                for entry in range(join.offsets[high], join.offsets[high + 1]):
                    one = join.one[entry]
                    _move(one, count[one], count[one] + 1, head, after, before)
                    count[one] += 1
                    cost[one] += join.size[entry]
                high += 1
            a, b = s, last
            if low < high:
                b = min(b, t[low])
            if high < n:
                b = min(b, t[high] - tau - 1)
            s = b + 1
            if low == high:
                continue
            own = count[mine] if mine >= 0 else 0
            if own == 0:
                counts[number, WITHHELD] += b - a + 1
                continue
            covering = 0
            for number_of in range(own, high - low + 1):
                one = head[number_of]
                while one >= 0:
                    crowd[covering] = one
                    covering += 1
                    one = after[one]
            counts[number, INTERVALS] += b - a + 1
            least_cover = min(least_cover, covering)
            if covering < terms.k:
                counts[number, FEW_COVER] += b - a + 1
            # Boxes that hold nothing of the person: when each rules its owner out, and when no more.
            turns, width = 0, 2 * covering
            for place in range(covering):
                out[place] = 0
                if crowd[place] == mine:
                    continue
                j = join.who[crowd[place]]
                end = boxes.offsets[j + 1]
                box = _first_from(boxes.first, boxes.offsets[j], end, a)
                while box < end and boxes.first[box] <= b + tau:
                    from_, to = max(a, boxes.stop[box] - 1 - tau), min(b, boxes.first[box])
                    if seen[box] != number and from_ <= to:
                        turn = _longer(turn, turns + 1)
                        turn[turns] = (from_ - a) * width + 2 * place
                        turn[turns + 1] = (to + 1 - a) * width + 2 * place + 1
                        turns += 2
                    box += 1
            turn[:turns].sort()
            for place in range(covering):
                left[place], where[place] = place, place
            remain, best, ties, least, again, at = covering, mine, 0, 0, True, 0
            u = a
            while u <= b:
                while at < turns and turn[at] // width == u - a:
                    place, back = turn[at] % width // 2, turn[at] % 2 == 1
                    at += 1
                    out[place] += -1 if back else 1
                    order = _order(crowd[place], best, cost, count)
                    if back and out[place] == 0:
                        left[remain], where[place] = place, remain
                        remain += 1
                        if order <= 0:
                            best, ties = crowd[place], ties + 1 if order == 0 else 1
                        if _fewer(crowd[place], crowd[least], join.of):
                            least = place
                    elif not back and out[place] == 1:
                        remain -= 1
                        moved = left[remain]
                        left[where[place]], where[moved] = moved, where[place]
                        ties -= order == 0
                        again = again or ties == 0 or place == least
                v = min(b, a + turn[at] // width - 1) if at < turns else b
                if again:
                    best, ties, least, again = crowd[left[0]], 0, left[0], False
                    for place in left[:remain]:
                        order = _order(crowd[place], best, cost, count)
                        if order <= 0:
                            best, ties = crowd[place], ties + 1 if order == 0 else 1
                        if _fewer(crowd[place], crowd[least], join.of):
                            least = place
                least_left = min(least_left, remain)
                if remain < terms.k:
                    counts[number, FEW_LEFT] += v - u + 1
                if _order(mine, best, cost, count) == 0:
                    tightest[number] += (v - u + 1) / ties
                counts[number, LEAKING] += _leaking(u, v, crowd, left[:remain], crowd[least], t, join, terms)
                u = v + 1
        counts[number, LEAST_COVER], counts[number, LEAST_LEFT] = least_cover, least_left
        for j in join.who:
            local[j] = -1
