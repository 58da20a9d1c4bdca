"""What a group costs once it is published: the boxes of its k-merge, as seen by those who use them.

Space is the sum of a box's sides, in units of 20 km, time is in units of 8 h. A box costs each of its samples the
middle between its space and the root of it, and the root of its time. Roots, because the first kilometre of a box
hurts more than the hundredth: sums of spans would let a few giant boxes decide who is with whom. With roots alone
boxes of middling size, which are what is left where a share is left out, would count too little. What lies beyond the
first unit of space counts only in part (`beyond`): whoever is that far from everybody is of little use to others, and
the first to be left out. Time counts less than space (`TIME`): exchanges win it more easily. Each sample counts as
much as its person's samples do (`rarely`). Last, all samples of a group count once more, a little, what its cheapest
box costs (`once_more`): where a share is left out, a group without any cheap box loses all of them, and its people are
gone.

The boxes are those of the cheapest plan by stretch (`shoal.kernels.kmerge.solve`), which is what is published.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel, maker
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import Rule, find_ends, find_stamps, new_plans, new_stamps, space_span

TIME = 0.7
"""What time counts, where space counts 1."""


def beyond(k: int) -> float:
    """What space beyond the first unit counts, in groups of k: nothing in pairs, and more in larger groups.

    Few pairs are that far apart. The larger groups are, the more people are in one with somebody who is far away.
    """
    return 1 / 2 - 1 / k


def rarely(k: int) -> float:
    """A sample counts as the number of its person's samples to minus this power: 0 counts samples, 1 counts people.

    A box lasts until the member who is seen least is seen. The larger groups are, the more do those who are
    seen often gain by being among themselves, and the more has to be done for the others.
    """
    return 5 / 4 - 1 / k


def once_more(k: int) -> float:
    """What the cheapest box of a group of k counts for each sample, where the box that the sample is in counts 1.

    With one group k people are gone: the larger groups are, the more it counts.
    """
    return (1 - 1 / k) / 5


class Crowd(NamedTuple):
    """People as in `shoal.kernels`, snapped to the cells of what will be published, and what a sample of each counts.

    Spans are divided by ``space_unit`` and ``time_unit``, both in cells. ``far`` is what space beyond one unit counts,
    ``once_more`` what a group's cheapest box does.
    """

    offsets: NDArray[np.int64]
    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    weight: NDArray[np.float64]
    rule: Rule
    space_unit: float
    time_unit: float
    far: float
    once_more: float


class Merged(NamedTuple):
    """Samples of several people in the order of time, and whose they are: the number in the group."""

    t: NDArray[np.int32]
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    member: NDArray[np.int32]


@maker
def new_merged(samples):  # type: ignore[no-untyped-def]
    """Room for so many samples."""
    return Merged(
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
        np.empty(samples, np.int32),
    )


@helper
def add_person(crowd, person, member, source, samples, into):  # type: ignore[no-untyped-def]
    """Merge a person's samples with the first ``samples`` of the source, in the order of time."""
    j, end = crowd.offsets[person], crowd.offsets[person + 1]
    i = out = 0
    while i < samples or j < end:
        if j >= end or (i < samples and source.t[i] <= crowd.t[j]):
            into.t[out], into.x[out], into.y[out] = source.t[i], source.x[i], source.y[i]
            into.member[out] = source.member[i]
            i += 1
        else:
            into.t[out], into.x[out], into.y[out], into.member[out] = crowd.t[j], crowd.x[j], crowd.y[j], member
            j += 1
        out += 1
    return out


@helper
def box_cost(space, time, far):  # type: ignore[no-untyped-def]
    """What a box costs each of its samples; spans in units."""
    first = min(space, 1.0)
    root = np.sqrt(first)
    return (first + root) / 2 + far * (np.sqrt(space) - root) + TIME * np.sqrt(time)


@helper
def planned(merged, n, weight, crowd, stamps, plans):  # type: ignore[no-untyped-def]
    """The value of the plan in ``plans``, of so many stamps; a sample of each member counts its ``weight``."""
    i, total, everything, cheapest = 0, 0.0, 0.0, np.inf
    while i < n:
        j = plans.last[i]
        low, high = stamps.first[i], stamps.first[j + 1]
        x0 = x1 = merged.x[low]
        y0 = y1 = merged.y[low]
        inside = 0.0
        for r in range(low, high):
            x0, x1, y0, y1 = min(x0, merged.x[r]), max(x1, merged.x[r]), min(y0, merged.y[r]), max(y1, merged.y[r])
            inside += weight[merged.member[r]]
        space = space_span(x0, x1, y0, y1, crowd.rule) / crowd.space_unit
        time = (stamps.time[j] - stamps.time[i] + crowd.rule.dt) / crowd.time_unit
        cost = box_cost(space, time, crowd.far)
        total, everything, cheapest = total + inside * cost, everything + inside, min(cheapest, cost)
        i = j + 1
    return total + crowd.once_more * everything * cheapest


@helper
def value(merged, samples, members, weight, crowd, stamps, plans):  # type: ignore[no-untyped-def]
    """The value of the group that has these samples."""
    n = find_stamps(merged.t, merged.x, merged.y, 0, samples, stamps)
    find_ends(merged.member, members, n, stamps)
    solve(n, crowd.rule, np.int64(-1), stamps, plans)
    return planned(merged, n, weight, crowd, stamps, plans)


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
    stamps, plans, weight = new_stamps(largest, members), new_plans(largest), np.empty(members)
    for c in range(low, high):
        samples, size = np.int64(0), core_at[c + 1] - core_at[c]
        for number in range(size):
            person = core[core_at[c] + number]
            samples, weight[number] = add_person(crowd, person, number, one, samples, two), crowd.weight[person]
            one, two = two, one
        for r in range(tried_at[c], tried_at[c + 1]):
            total, weight[size] = add_person(crowd, tried[r], size, one, samples, two), crowd.weight[tried[r]]
            out[r] = value(two, total, size + 1, weight, crowd, stamps, plans)
