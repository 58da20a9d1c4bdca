"""What everybody gets: the mean span of the boxes that their samples are in."""

import numpy as np

from shoal.kernels.common.jit import kernel
from shoal.kernels.kmerge.stamps import new_plans, new_stamps
from shoal.kernels.regroup.cores import Floats, Groups, spread
from shoal.kernels.regroup.cost import new_boxes
from shoal.kernels.regroup.crowd import Crowd
from shoal.kernels.regroup.merged import add_person, most_people, most_samples, new_merged
from shoal.kernels.regroup.value import published
from shoal.workers import Workers


@kernel
def add_spans(low, high, crowd, at, members, left, space, time):  # type: ignore[no-untyped-def]
    """Add up the spans of the boxes that people's samples are in, without boxes that are stretched beyond the price.

    Parameters
    ----------
    low, high
        The groups that are looked at.
    crowd
        Everybody.
    at, members
        Group g has the people ``members[at[g]:at[g + 1]]``.
    left, space, time
        Written, zero before: of each person the samples in such boxes; sums of larger sides and durations, in cells.
    """
    largest, most = most_samples(low, high, crowd, at, members), most_people(low, high, at)
    one, two, boxes = new_merged(largest), new_merged(largest), new_boxes(largest)
    stamps, plans, weight, rule = new_stamps(largest, most), new_plans(largest), np.zeros(most), crowd.rule
    for g in range(low, high):
        samples = np.int64(0)
        for m in range(at[g + 1] - at[g]):
            samples = add_person(crowd, members[at[g] + m], m, one, samples, two)
            one, two = two, one
        published(one, samples, at[g + 1] - at[g], weight, rule, stamps, plans, boxes)
        b = 0
        for i in range(samples):
            while one.t[i] > boxes.spans[b, 1]:
                b += 1
            box = boxes.spans[b]
            lasts, dx, dy = box[1] - box[0] + rule.dt, box[3] - box[2] + rule.dx, box[5] - box[4] + rule.dx
            if (dx + dy) / crowd.space_unit + lasts / crowd.time_unit <= crowd.cost.price:
                person = members[at[g] + one.member[i]]
                left[person] += 1
                space[person] += max(dx, dy)
                time[person] += lasts


def personal_means(groups: Groups, crowd: Crowd, workers: Workers) -> tuple[Floats, Floats]:
    """Of everybody the means of the larger side and of the duration, per sample, in cells; nan where nothing is left.

    What is left out is roughly what will be: boxes are those that would be published if nothing were.
    """
    left, space, time = (np.zeros(crowd.offsets.size - 1) for _ in range(3))
    spread(workers, groups.at, add_spans, crowd, groups.at, groups.members, left, space, time)
    some = np.where(left > 0, left, np.nan)
    return space / some, time / some
