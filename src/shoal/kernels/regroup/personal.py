"""What everybody gets: the mean span of the boxes that their samples are published in."""

import numpy as np

from shoal.kernels.common.jit import kernel
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import find_ends, find_stamps, new_plans, new_stamps
from shoal.kernels.regroup.cores import Floats, Groups, spread
from shoal.kernels.regroup.cost import begin, new_boxes, put_in
from shoal.kernels.regroup.crowd import Crowd, whole_price
from shoal.kernels.regroup.merged import add_person, most_people, most_samples, new_merged
from shoal.workers import Workers


@kernel
def add_spans(low, high, crowd, price, at, members, left, larger, both, time):  # type: ignore[no-untyped-def]
    """Add up the spans of the boxes that people's samples are in, of the plans that will be published.

    Parameters
    ----------
    low, high
        The groups that are looked at.
    crowd
        Everybody.
    price
        Of a sample that is left out, as k-merge counts; -1: none may be.
    at, members
        Group g has the people ``members[at[g]:at[g + 1]]``.
    left, larger, both, time
        Written, zero before: of each person the samples in such boxes; sums of the larger side, of both sides, and of
        durations, in cells.
    """
    largest, most = most_samples(low, high, crowd, at, members), most_people(low, high, at)
    one, two, boxes = new_merged(largest), new_merged(largest), new_boxes(1)
    stamps, plans, rule = new_stamps(largest, most), new_plans(largest), crowd.rule
    for g in range(low, high):
        samples = np.int64(0)
        for m in range(at[g + 1] - at[g]):
            samples = add_person(crowd, members[at[g] + m], m, one, samples, two)
            one, two = two, one
        n = find_stamps(one.t, one.x, one.y, 0, samples, stamps)
        find_ends(one.member, at[g + 1] - at[g], n, stamps)
        solve(n, rule, price, stamps, plans)
        i = 0
        while i < n:
            j = plans.last[i]
            if j < 0:  # left out
                i += 1
                continue
            begin(boxes, 0, one.t[stamps.first[i]], one.x[stamps.first[i]], one.y[stamps.first[i]])
            for r in range(stamps.first[i], stamps.first[j + 1]):
                put_in(boxes, 0, one.t[r], one.x[r], one.y[r], 0.0, 0.0)
            box = boxes.spans[0]
            lasts, dx, dy = box[1] - box[0] + rule.dt, box[3] - box[2] + rule.dx, box[5] - box[4] + rule.dx
            for r in range(stamps.first[i], stamps.first[j + 1]):
                person = members[at[g] + one.member[r]]
                left[person] += 1
                larger[person] += max(dx, dy)
                both[person] += dx + dy
                time[person] += lasts
            i = j + 1


def personal_means(groups: Groups, crowd: Crowd, workers: Workers) -> tuple[Floats, Floats, Floats]:
    """Of everybody the means of the larger side, of both sides and of the duration, per sample, in cells.

    Boxes are those that will be published at the crowd's price; nan where nothing is left.
    """
    left, *sums = (np.zeros(crowd.offsets.size - 1) for _ in range(4))
    price = whole_price(crowd)
    spread(workers, groups.at, add_spans, crowd, price, groups.at, groups.members, left, *sums)
    larger, both, time = (each / np.where(left > 0, left, np.nan) for each in sums)
    return larger, both, time
