"""What a group costs once it is published, by the boxes of its cheapest plan (`shoal.kernels.kmerge.solve`)."""

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import find_ends, find_stamps, new_plans, new_stamps
from shoal.kernels.regroup.cost import begin, cost_of, new_boxes, put_in
from shoal.kernels.regroup.merged import add_person, most_people, most_samples, new_merged
from shoal.kernels.regroup.rough import NOBODY, closed_early


@helper
def published(merged, samples, members, weight, room, rule, stamps, plans, boxes):  # type: ignore[no-untyped-def]
    """Make the boxes that will be published of the group that has these samples; how many there are."""
    n = find_stamps(merged.t, merged.x, merged.y, 0, samples, stamps)
    find_ends(merged.member, members, n, stamps)
    solve(n, rule, np.int64(-1), stamps, plans)
    i = b = 0
    while i < n:
        j = plans.last[i]
        low, high = stamps.first[i], stamps.first[j + 1]
        begin(boxes, b, merged.t[low], merged.x[low], merged.y[low])
        for r in range(low, high):
            m = merged.member[r]
            put_in(boxes, b, merged.t[r], merged.x[r], merged.y[r], weight[m], room[m])
        i, b = j + 1, b + 1
    return b


@kernel
def core_values(low, high, crowd, core_at, core, tried_at, tried, roughly, out):  # type: ignore[no-untyped-def]
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
    roughly
        Whether boxes that are closed early will do.
    out
        Written: beside each who is tried the value of the group.
    """
    longest = np.int64(0)
    for r in range(tried_at[low], tried_at[high]):
        longest = max(longest, crowd.offsets[tried[r] + 1] - crowd.offsets[tried[r]])
    largest = most_samples(low, high, crowd, core_at, core) + longest
    members = most_people(low, high, core_at) + 1
    one, two, boxes = new_merged(largest), new_merged(largest), new_boxes(largest)
    planned = np.int64(0) if roughly else largest
    stamps, plans = new_stamps(planned, members), new_plans(planned)
    seen, weight, room = np.empty(members, np.int32), np.empty(members), np.empty(members)
    for c in range(low, high):
        samples, size = np.int64(0), core_at[c + 1] - core_at[c]
        for number in range(size):
            person = core[core_at[c] + number]
            samples = add_person(crowd, person, number, one, samples, two)
            weight[number], room[number] = crowd.weight[person], crowd.room[person]
            one, two = two, one
        for r in range(tried_at[c], tried_at[c + 1]):
            total = add_person(crowd, tried[r], size, one, samples, two)
            weight[size], room[size] = crowd.weight[tried[r]], crowd.room[tried[r]]
            if roughly:
                count = closed_early(two, total, size + 1, NOBODY, weight, room, seen, boxes)
            else:
                count = published(two, total, size + 1, weight, room, crowd.rule, stamps, plans, boxes)
            out[r] = cost_of(boxes, count, crowd)
