"""What a group costs once it is published: the boxes of its k-merge, as seen by those who use them.

The value of a group is the sum over its samples of ``sqrt(space / 20 km) + sqrt(time / 8 h)``, where space is the sum
of the sides of the sample's box and time its duration, each sample weighted as its person is. Roots, because the first
kilometre of a box hurts more than the hundredth: sums of spans would let a few giant boxes decide who is with whom.
The boxes are those of the cheapest plan by stretch (`shoal.kernels.kmerge.solve`), which is what is published.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import Rule, find_ends, find_stamps, new_plans, new_stamps, space_span


class Crowd(NamedTuple):
    """People as in `shoal.kernels`, snapped to the cells of what will be published, and what a sample of each counts.

    Spans are divided by ``space_unit`` and ``time_unit``, both in cells.
    """

    offsets: NDArray[np.int64]
    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    rule: Rule
    space_unit: float
    time_unit: float


class Merged(NamedTuple):
    """Samples of several people in the order of time, and whose they are: the number in the group, and the weight."""

    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    member: NDArray[np.int32]
    weight: NDArray[np.float64]


@maker
def new_merged(samples):  # type: ignore[no-untyped-def]
    """Room for so many samples."""
    return Merged(
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.float64),
    )


@helper
def put(source, i, into, j):  # type: ignore[no-untyped-def]
    """Copy a sample."""
    into.t[j], into.x[j], into.y[j] = source.t[i], source.x[i], source.y[i]
    into.member[j], into.weight[j] = source.member[i], source.weight[i]


@helper
def put_person(crowd, i, member, weight, into, j):  # type: ignore[no-untyped-def]
    """Copy a sample of a person."""
    into.t[j], into.x[j], into.y[j] = crowd.t[i], crowd.x[i], crowd.y[i]
    into.member[j], into.weight[j] = member, weight


@helper
def add_person(crowd, person, member, source, samples, into):  # type: ignore[no-untyped-def]
    """Merge a person's samples with the first ``samples`` of the source, in the order of time."""
    j, end, weight = crowd.offsets[person], crowd.offsets[person + 1], crowd.weight[person]
    i = out = 0
    while i < samples or j < end:
        if j >= end or (i < samples and source.t[i] <= crowd.t[j]):
            put(source, i, into, out)
            i += 1
        else:
            put_person(crowd, j, member, weight, into, out)
            j += 1
        out += 1
    return out


@helper
def planned(merged, n, crowd, stamps, plans):  # type: ignore[no-untyped-def]
    """The value of the plan in ``plans``, of so many stamps."""
    i, total = 0, 0.0
    while i < n:
        j = plans.last[i]
        low, high = stamps.first[i], stamps.first[j + 1]
        x0 = x1 = merged.x[low]
        y0 = y1 = merged.y[low]
        weight = 0.0
        for r in range(low, high):
            x0, x1, y0, y1 = min(x0, merged.x[r]), max(x1, merged.x[r]), min(y0, merged.y[r]), max(y1, merged.y[r])
            weight += merged.weight[r]
        space = space_span(x0, x1, y0, y1, crowd.rule) / crowd.space_unit
        time = (stamps.time[j] - stamps.time[i] + crowd.rule.dt) / crowd.time_unit
        total += weight * (np.sqrt(space) + np.sqrt(time))
        i = j + 1
    return total


@helper
def value(merged, samples, members, crowd, stamps, plans):  # type: ignore[no-untyped-def]
    """The value of the group that has these samples."""
    n = find_stamps(merged.t, merged.x, merged.y, 0, samples, stamps)
    find_ends(merged.member, members, n, stamps)
    solve(n, crowd.rule, np.int64(-1), stamps, plans)
    return planned(merged, n, crowd, stamps, plans)


@kernel
def core_values(low, high, crowd, core_at, core, tried_at, tried, out):  # type: ignore[no-untyped-def]
    """The values of some cores, each with one more person, for each of those who are tried with it.

    Parameters
    ----------
    low, high
        The cores that are looked at.
    crowd
        Everybody.
    core_at, core
        Core c has the people ``core[core_at[c]:core_at[c + 1]]``, one or more.
    tried_at, tried
        With core c are tried ``tried[tried_at[c]:tried_at[c + 1]]``.
    out
        Written: beside each who is tried the value of the group.
    """
    largest, members = np.int64(0), np.int64(0)
    for c in range(low, high):
        samples = np.int64(0)
        for m in core[core_at[c] : core_at[c + 1]]:
            samples += crowd.offsets[m + 1] - crowd.offsets[m]
        longest = np.int64(0)
        for m in tried[tried_at[c] : tried_at[c + 1]]:
            longest = max(longest, crowd.offsets[m + 1] - crowd.offsets[m])
        largest, members = max(largest, samples + longest), max(members, core_at[c + 1] - core_at[c] + 1)
    one, two = new_merged(largest), new_merged(largest)
    stamps, plans = new_stamps(largest, members), new_plans(largest)
    for c in range(low, high):
        samples, size = np.int64(0), core_at[c + 1] - core_at[c]
        for number in range(size):
            samples = add_person(crowd, core[core_at[c] + number], number, one, samples, two)
            one, two = two, one
        for r in range(tried_at[c], tried_at[c + 1]):
            total = add_person(crowd, tried[r], size, one, samples, two)
            out[r] = value(two, total, size + 1, crowd, stamps, plans)
