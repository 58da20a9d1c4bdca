"""k-merge of many groups (kte §III-C, D), with optimal suppression at a price, in parallel.

A group is the samples of all its members: ``t``, ``x``, ``y`` (int32, grid units) and ``member`` (0 .. members - 1),
sorted by time; the order within one time does not matter. The result is the cheapest sequence of parts, cut in time,
in which every part holds a sample of every member. Deviations from the paper: a cut lies only between two different
times; the cost may be the stretch of the raw samples (`Rule`); with a price, whole times between parts may be left
out at so much per raw sample, even all of them. Ties: least cost, fewest samples left out, most parts, smallest list
of part starts. Everything is a whole number, so the result depends on nothing but the input.

Alignment: give the coordinates snapped down to the aligned cells and the cells' extents as ``Rule.dt`` and
``Rule.dx``. Samples of one slot then form one time, so that cuts and what is left out are whole slots, and spans are
those of the aligned boxes.

Limits: the cost of all samples in one part and the price of one sample stay below 2^61; else `ValueError`. That allows
10^6 samples in a group, 2·10^5 cells and 10^6 minutes across, with weights up to 10^6.

Work: linear in the samples where members take turns. Where one is dense and another is not, each start looks at few of
the possible ends (`kmerge_solve.search`), about the square root of a run's length under the stretch cost. Areas of
people who keep to few places add up to nearly the same wherever one cuts: there it may look at all of them.
"""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.kernels.kmerge.batch import PART_COLUMNS, Plan, Solver, as_groups
from shoal.kernels.kmerge.pairs import kmerge_cost2_pairs, pair_room
from shoal.kernels.kmerge.stamps import Rule, stretch_rule
from shoal.workers import Workers

__all__ = [
    "PART_COLUMNS",
    "Plan",
    "Price",
    "Rule",
    "kmerge_cost2_pairs",
    "kmerge_groups",
    "pair_room",
    "share_price",
    "stretch_rule",
]


def kmerge_groups(
    offsets: ArrayLike,
    t: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    member: ArrayLike,
    members: ArrayLike,
    rule: Rule,
    price: int | NDArray[np.int64] | None = None,
    *,
    workers: Workers,
) -> Plan:
    """The best plan of every group.

    Parameters
    ----------
    offsets
        Group g has the samples ``offsets[g]:offsets[g + 1]``.
    t, x, y
        Samples, those of a group sorted by time.
    member
        Whose each sample is, counted from 0 in each group.
    members
        How many members each group has.
    rule
        What a part costs.
    price
        Of a raw sample left out, for all groups or for each; None: nothing may be left out.
    workers
        Who does it; the calling thread must be none of them.
    """
    if price is not None and np.min(price, initial=0) < 0:
        raise ValueError("a price is not negative")
    solver = Solver(as_groups(offsets, t, x, y, member, members), rule, workers)
    prices = np.broadcast_to(np.int64(-1) if price is None else price, solver.sizes.shape)
    for one in np.unique(prices):
        solver.run(int(one), np.flatnonzero(prices == one))
    return solver.plan()


def next_price(low: int, high: int, target: int, tried: dict[int, int]) -> int:
    """A price strictly between low and high, where the one sought may be.

    Doubles or halves until both ends have been tried. Near there the logarithm of what is left out is almost straight
    in the price: the secant through the last two points soon finds the place, a little beyond it draws in the bracket's
    farther end, and every third step halves the bracket, whatever the data. Rounding decides what is tried, never
    what is found.

    Parameters
    ----------
    low, high
        Too much is left out at low, not at high.
    target
        Samples that may be left out.
    tried
        Samples left out at each price so far, in the order of trying.
    """
    if high not in tried:
        return min(2 * low + 1, high - 1)
    if low not in tried:
        return high // 2
    (before, more), (last, here) = list(tried.items())[-2:]
    if len(tried) % 3 == 0 or more == here:
        return (low + high) // 2
    steps = math.log((target + 1) / (here + 1)) / math.log((here + 1) / (more + 1))
    aim = last + steps * (last - before)
    beyond = 1 + abs(aim - last) / 16
    aim += beyond if high - aim > aim - low else -beyond
    return int(min(max(aim, low + 1), high - 1))


class Price(NamedTuple):
    """Of a raw sample left out, None where nothing is; the share of all that is left out; how many of each group.

    ``each`` is what each group pays: the same, but where it is spared (`spared`).
    """

    price: int | None
    share: Fraction
    left_out: NDArray[np.int64]
    each: NDArray[np.int64] | None


def share_price(
    offsets: ArrayLike,
    t: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    member: ArrayLike,
    members: ArrayLike,
    rule: Rule,
    share: float | Fraction,
    *,
    most_emptied: int | None = None,
    workers: Workers,
) -> Price:
    """The least price at which at most this share of all samples is left out.

    The plans are what `kmerge_groups` makes of it, of all groups or of some at a time: one price holds for all groups
    but those that are spared (`Price.each`).

    Bisection is right because what is left out never grows with the price. Let a group's best plans at prices
    p < q cost A and B without the price of the a and b samples that they leave out. Each is best at its own price:
    A + p·a <= B + p·b and B + q·b <= A + q·a; the sum of both gives (q - p)·(b - a) <= 0, so b <= a, whatever
    settles ties. At a price of 0 everything is left out (a part costs at least 1); at the
    group's cost without any price nothing is, because one sample left out already costs as much and ties go to fewest
    left out. So is the sum over the groups.

    A group with a = b is settled for all prices between: the inequalities give A = B, and the number left out there
    lies between b and a, so the same plans are best and the tie rule picks the same one. Only groups with
    a > b are solved again.

    Parameters
    ----------
    offsets, t, x, y, member, members, rule, workers
        As in `kmerge_groups`.
    share
        From 0 to 1. 0 means no price at all (None); a float means the decimal number that it prints as.
    most_emptied
        So many members may be in groups of which everything is left out; None: any number. More are spared.
    """
    allowed_share = Fraction(str(share))
    if not 0 <= allowed_share <= 1:
        raise ValueError("a share lies between 0 and 1")
    solver = Solver(as_groups(offsets, t, x, y, member, members), rule, workers, plans=False)
    solver.run(-1)
    total = int(solver.sizes.sum())
    if allowed_share == 0 or total == 0:
        return Price(None, Fraction(0), np.zeros_like(solver.sizes), None)
    allowed = int(allowed_share * total)
    # Too much is left out at low, not at high; both ends are known without a run.
    low, high = -1, int(solver.room.cost.max())
    dearest = high
    left_low, left_high = solver.sizes, np.zeros_like(solver.sizes)
    # The price sought is near what samples cost without one, and far below the costliest group's cost.
    price, tried = min(int(solver.room.cost.sum()) // total, high - 1), dict[int, int]()
    while low + 1 < high:
        solver.run(price, np.flatnonzero(left_low != left_high))
        left = np.where(left_low == left_high, left_high, solver.room.left)
        tried[price] = int(left.sum())
        if tried[price] <= allowed:
            high, left_high = price, left
        else:
            low, left_low = price, left
        price = next_price(low, high, allowed, tried)
    each = np.full(solver.sizes.size, high)
    if most_emptied is not None and spared(solver, each, left_high, dearest, most_emptied):
        high = lowered(solver, each, left_high, high, allowed)
    return Price(high, Fraction(int(left_high.sum()), total), left_high, each)


def spared(solver: Solver, each: NDArray[np.int64], left: NDArray[np.int64], dearest: int, most_emptied: int) -> bool:
    """Let no more than so many members be in groups of which everything is left out; whether any had to be spared.

    Those groups pay the least price, one for all of them, at which that holds. It is bisected: a group that keeps
    something at a price does so at a higher one, as what is left out never grows with the price (`share_price`).

    Parameters
    ----------
    solver
        All groups.
    each, left
        What each group pays, the same for all, and leaves out; changed for those that are spared.
    dearest
        A price at which nothing is left out of any group.
    most_emptied
        So many members.
    """
    lost = np.flatnonzero(left == solver.sizes)
    if solver.groups.members[lost].sum() <= most_emptied:
        return False
    low, high = int(each[0]), dearest
    left_high = np.zeros_like(lost)
    while low + 1 < high:
        price = (low + high) // 2
        solver.run(price, lost)
        left_now = solver.room.left[lost]
        if solver.groups.members[lost[left_now == solver.sizes[lost]]].sum() <= most_emptied:
            high, left_high = price, left_now
        else:
            low = price
    kept = left_high < solver.sizes[lost]
    each[lost[kept]], left[lost[kept]] = high, left_high[kept]
    return True


def lowered(solver: Solver, each: NDArray[np.int64], left: NDArray[np.int64], price: int, allowed: int) -> int:
    """The least price of those who are not spared: what the others keep leaves room for more to be left out.

    Nobody more may lose everything.

    Parameters
    ----------
    solver, each, left
        As in `spared`.
    price
        Of those who are not spared, as it is.
    allowed
        Samples that may be left out in all.
    """
    others = np.flatnonzero((left < solver.sizes) & (each == price))
    rest = int(left.sum() - left[others].sum())
    low, high, left_high = -1, price, left[others]
    while low + 1 < high:
        middle = (low + high) // 2
        solver.run(middle, others)
        left_now = solver.room.left[others]
        if rest + left_now.sum() <= allowed and (left_now < solver.sizes[others]).all():
            high, left_high = middle, left_now
        else:
            low = middle
    each[each == price], left[others] = high, left_high
    return high
