"""Boxes of a group in a twentieth of the time: each is closed as soon as everybody is in it.

They are not those that will be published (`shoal.kernels.regroup.value`), but cost nearly as much, and rank people who
are tried with a core nearly as well. A last box that somebody is missing from joins the one before.
"""

import numpy as np

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.regroup.cost import begin, cost_of, new_boxes, put_in
from shoal.kernels.regroup.merged import add_person, most_people, most_samples, new_merged

NOBODY = -1


@helper
def closed_early(merged, samples, members, without, weight, room, seen, boxes):  # type: ignore[no-untyped-def]
    """Make the boxes of the members but one (or `NOBODY`), who has samples here as well; how many there are."""
    everybody = members - (without != NOBODY)
    b, missing = 0, everybody
    seen[:members] = -1
    for i in range(samples):
        m, t, x, y = merged.member[i], merged.t[i], merged.x[i], merged.y[i]
        if m == without:
            continue
        if missing == 0 and t != boxes.spans[b, 1]:
            b, missing = b + 1, everybody
        if missing == everybody:
            begin(boxes, b, t, x, y)
        put_in(boxes, b, t, x, y, weight[m], room[m])
        if seen[m] != b:
            seen[m] = b
            missing -= 1
    if missing == 0 or b == 0:
        return b + 1
    rest = boxes.spans[b]
    put_in(boxes, b - 1, rest[1], rest[2], rest[4], boxes.inside[b], boxes.room[b])
    put_in(boxes, b - 1, rest[1], rest[3], rest[5], 0.0, 0.0)
    return b


@kernel
def misfits(low, high, crowd, at, members, out):  # type: ignore[no-untyped-def]
    """How much dearer groups are with each of their members than without, roughly, for each unit of their own weight.

    Parameters
    ----------
    low, high
        The groups that are looked at.
    crowd
        Everybody.
    at, members
        Group g has the people ``members[at[g]:at[g + 1]]``, two or more.
    out
        Written: beside each member.
    """
    largest, most = most_samples(low, high, crowd, at, members), most_people(low, high, at)
    one, two, boxes = new_merged(largest), new_merged(largest), new_boxes(largest)
    seen, weight, room = np.empty(most, np.int32), np.empty(most), np.empty(most)
    for g in range(low, high):
        samples, size = np.int64(0), at[g + 1] - at[g]
        for m in range(size):
            person = members[at[g] + m]
            samples = add_person(crowd, person, m, one, samples, two)
            weight[m], room[m] = crowd.weight[person], crowd.room[person]
            one, two = two, one
        count = closed_early(one, samples, size, NOBODY, weight, room, seen, boxes)
        whole = cost_of(boxes, count, crowd)
        for m in range(size):
            person = members[at[g] + m]
            own = weight[m] * (crowd.offsets[person + 1] - crowd.offsets[person])
            count = closed_early(one, samples, size, m, weight, room, seen, boxes)
            out[at[g] + m] = (whole - cost_of(boxes, count, crowd)) / own
