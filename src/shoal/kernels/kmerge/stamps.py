"""Stamps, plans and costs: what the dynamic programme of k-merge (kte §III-A to D) works on.

Samples with the same time form one *stamp*; cuts lie between stamps only. The paper has no equal times.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, maker

NEVER = 2**62 - 1
"""More than any plan costs; twice as much still fits 64 bits."""


class Rule(NamedTuple):
    """What a part costs. Spans are ``max - min + extent``, ``dt`` in time and ``dx`` along each axis of space.

    ``area``: kte (2), time span × sum of the space spans. Otherwise the stretch of its samples: their number ×
    (``space_weight`` × sum of the space spans + ``time_weight`` × time span).
    """

    area: bool
    space_weight: int = 1
    time_weight: int = 1
    dt: int = 1
    dx: int = 1


def stretch_rule(space_cap: int, time_cap: int | Fraction, dt: int = 1, dx: int = 1) -> Rule:
    """A part costs the stretch of its samples, where so many cells of space count as much as so many steps of time.

    >>> stretch_rule(200, 480)
    Rule(area=False, space_weight=12, time_weight=5, dt=1, dx=1)
    """
    weights = Fraction(time_cap) / space_cap
    return Rule(False, weights.numerator, weights.denominator, dt, dx)


class Stamps(NamedTuple):
    """Per stamp: its first sample, its time, its place (a box); ``end`` as above, the number of stamps if none.

    ``ahead[j]`` is the box from some stamp on, the pivot, up to stamp j (`shoal.kernels.kmerge.solve.pivot_at`).
    """

    first: NDArray[np.int64]
    time: NDArray[np.int64]
    box: NDArray[np.int32]
    end: NDArray[np.int32]
    seen: NDArray[np.int32]
    ahead: NDArray[np.int32]


class Plans(NamedTuple):
    """The best plan from each stamp on: cost, samples left out, parts, its first part's start, what comes first.

    ``last[i]`` is the last stamp of the part that starts at ``i``, or -1 if stamp ``i`` is left out. ``least[q]`` is
    the least of the costs from all stamps on that are settled so far, as far as ``q``.
    """

    cost: NDArray[np.int64]
    least: NDArray[np.int64]
    left: NDArray[np.int64]
    parts: NDArray[np.int32]
    start: NDArray[np.int32]
    last: NDArray[np.int32]


@maker
def new_stamps(samples, members):  # type: ignore[no-untyped-def]
    """Room for the stamps of any group of so many samples and members."""
    return Stamps(
        np.empty(samples + 1, np.int64),
        np.empty(samples, np.int64),
        np.empty((samples, 4), np.int32),
        np.empty(samples + 1, np.int32),
        np.empty(members, np.int32),
        np.empty((samples, 4), np.int32),
    )


@maker
def new_plans(samples):  # type: ignore[no-untyped-def]
    """Room for the plans of any group of so many samples."""
    return Plans(
        np.empty(samples + 1, np.int64),
        np.empty(samples + 1, np.int64),
        np.empty(samples + 1, np.int64),
        np.empty(samples + 1, np.int32),
        np.empty(samples + 1, np.int32),
        np.empty(samples + 1, np.int32),
    )


@helper
def find_stamps(t, x, y, low, high, stamps):  # type: ignore[no-untyped-def]
    """Fill in first, time and box for the samples low .. high - 1; return the number of stamps."""
    n = -1
    for r in range(low, high):
        if r == low or t[r] != t[r - 1]:
            n += 1
            stamps.first[n], stamps.time[n] = r, t[r]
            stamps.box[n, 0] = stamps.box[n, 1] = x[r]
            stamps.box[n, 2] = stamps.box[n, 3] = y[r]
        else:
            stamps.box[n, 0], stamps.box[n, 1] = min(stamps.box[n, 0], x[r]), max(stamps.box[n, 1], x[r])
            stamps.box[n, 2], stamps.box[n, 3] = min(stamps.box[n, 2], y[r]), max(stamps.box[n, 3], y[r])
    stamps.first[n + 1] = high
    return n + 1


@helper
def find_ends(member, members, n, stamps):  # type: ignore[no-untyped-def]
    """Fill in ``end``: a window slides over the stamps, each sample enters and leaves it once."""
    seen = stamps.seen
    seen[:members] = 0
    missing, j = members, 0
    for i in range(n):
        while missing > 0 and j < n:
            for r in range(stamps.first[j], stamps.first[j + 1]):
                seen[member[r]] += 1
                missing -= seen[member[r]] == 1
            j += 1
        stamps.end[i] = j - 1 if missing == 0 else n
        for r in range(stamps.first[i], stamps.first[i + 1]):
            seen[member[r]] -= 1
            missing += seen[member[r]] == 0
    stamps.end[n] = n


@helper
def part_cost(samples, time_span, space_span, rule):  # type: ignore[no-untyped-def]
    """What a part of so many samples and such spans costs."""
    if rule.area:
        return time_span * space_span
    return samples * (rule.space_weight * space_span + rule.time_weight * time_span)


@helper
def space_span(x0, x1, y0, y1, rule):  # type: ignore[no-untyped-def]
    """Sum of the spans of a box along x and y."""
    return np.int64(x1) - x0 + np.int64(y1) - y0 + 2 * rule.dx


@helper
def offer_part(i, j, part, plans):  # type: ignore[no-untyped-def]
    """Let the part i .. j, at this cost, and the best plan after it replace the plan from i on if it is better."""
    cost = part + plans.cost[j + 1]
    if cost > plans.cost[i]:
        return
    if cost == plans.cost[i]:
        left, parts = plans.left[j + 1], plans.parts[j + 1] + 1
        if left > plans.left[i]:
            return
        if left == plans.left[i]:
            if parts < plans.parts[i]:
                return
            # A plan that leaves stamp i out starts later than i and loses.
            rival = plans.start[plans.last[i] + 1] if plans.last[i] >= 0 else NEVER
            if parts == plans.parts[i] and plans.start[j + 1] >= rival:
                return
    plans.cost[i], plans.left[i] = cost, plans.left[j + 1]
    plans.parts[i], plans.start[i], plans.last[i] = plans.parts[j + 1] + 1, i, j
