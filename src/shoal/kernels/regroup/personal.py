"""What everybody gets: the spans of the boxes that samples are published in, and their means for each person."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import kernel
from shoal.kernels.kmerge.solve import solve
from shoal.kernels.kmerge.stamps import find_ends, find_stamps, new_plans, new_stamps
from shoal.kernels.regroup.cores import Floats, Groups, spread
from shoal.kernels.regroup.cost import begin, new_boxes, put_in
from shoal.kernels.regroup.crowd import Crowd, whole_price
from shoal.kernels.regroup.merged import add_person, most_people, most_samples, new_merged
from shoal.workers import Workers

LEFT_OUT = 0
"""The span of a sample in no box: boxes have a cell at least."""


class Spans(NamedTuple):
    """Of each sample that is published whose it is; its box's larger side, both sides and duration, in cells."""

    person: NDArray[np.int32]
    larger: NDArray[np.int32]
    both: NDArray[np.int32]
    time: NDArray[np.int32]


@kernel
def find_spans(low, high, crowd, price, at, members, first, person, larger, both, time):  # type: ignore[no-untyped-def]
    """Find the boxes that samples are in, of the plans that will be published.

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
    first
        Samples of group g have the rows from ``first[g]`` on.
    person, larger, both, time
        Written: `Spans`, but for samples that are left out, whose rows stay as they are.
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
                row = first[g] + r
                person[row] = members[at[g] + one.member[r]]
                larger[row], both[row], time[row] = max(dx, dy), dx + dy, lasts
            i = j + 1


def published_spans(groups: Groups, crowd: Crowd, workers: Workers) -> Spans:
    """The boxes of all samples that will be published at the crowd's price."""
    lengths = np.diff(crowd.offsets)[groups.members]
    first = np.concatenate(([0], np.cumsum(lengths)))[groups.at]
    spans = Spans(*(np.full(first[-1], LEFT_OUT, np.int32) for _ in Spans._fields))
    price = whole_price(crowd)
    spread(workers, first, find_spans, crowd, price, groups.at, groups.members, first, *spans)
    kept = spans.both != LEFT_OUT
    return spans if kept.all() else Spans(*(each[kept] for each in spans))


def personal_means(spans: Spans, people: int) -> tuple[Floats, Floats, Floats]:
    """Of everybody the means of the larger side, of both sides and of the duration; nan where nothing is left."""
    left = np.bincount(spans.person, minlength=people).astype(np.float64)
    left[left == 0] = np.nan
    larger, both, time = (np.bincount(spans.person, each, people) / left for each in spans[1:])
    return larger, both, time
