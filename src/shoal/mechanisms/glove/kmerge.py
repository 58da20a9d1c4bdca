"""Publication by k-merge: every group's raw samples merged anew (kte §III), optimal and disjoint in time.

Not in the GLOVE paper, which publishes the boxes of its greedy merges after a reshaping. The cost of a box is what its
raw samples are stretched by; the optimal suppression of samples is part of the same programme.
"""

from typing import TYPE_CHECKING

import numpy as np

from shoal.data import Grid, Traces
from shoal.kernels.glove import Grouping
from shoal.kernels.kmerge import Rule, suppress_share
from shoal.kernels.scale import scale_of
from shoal.mechanisms.glove.published import Published, publish, too_large

if TYPE_CHECKING:
    from shoal.mechanisms.glove.parameters import Glove


def publish_kmerge(traces: Traces, grouping: Grouping, parameters: "Glove", grid: Grid) -> Published:
    """Merge every group anew: alignment first, then the programme, thresholds last."""
    base = traces.grid
    in_space, in_time = np.int32(grid.cell_m // base.cell_m), np.int32(grid.dt_s // base.dt_s)
    sizes = np.array([members.size for members in grouping.members])
    people = np.concatenate(grouping.members)
    lengths = traces.lengths[people]
    samples = np.repeat(traces.offsets[people] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
    group = np.repeat(np.repeat(np.arange(sizes.size), sizes), lengths)
    number = np.repeat(np.arange(people.size) - np.repeat(np.cumsum(sizes) - sizes, sizes), lengths)
    # Everybody's samples ascend in time already: a merge sort finds and merges these runs.
    order = np.argsort((group << 32) + traces.t[samples], kind="stable")
    samples, group, number = samples[order], group[order], number[order]
    t, x, y = (
        values[samples] // factor * factor
        for values, factor in ((traces.t, in_time), (traces.x, in_space), (traces.y, in_space))
    )
    scale = scale_of(base.space_cap, base.time_cap)
    rule = Rule(False, scale.space_weight, scale.time_weight, int(in_time), int(in_space))
    offsets = np.searchsorted(group, np.arange(sizes.size + 1))
    _, reached, plan = suppress_share(offsets, t, x, y, number, sizes, rule, parameters.suppress_share)

    t0, t1, x0, x1, y0, y1, first, last = plan.parts.T
    dt, dx, dy = t1 - t0 + int(in_time), x1 - x0 + int(in_space), y1 - y0 + int(in_space)
    large = too_large(dx, dy, dt, base, parameters.suppress_km, parameters.suppress_hours)
    by_share, by_threshold = (np.zeros(traces.samples, np.bool_) for _ in range(2))
    by_share[samples[plan.left_out]] = True
    inside = np.zeros(samples.size + 1, np.int64)
    np.add.at(inside, first[large], 1)
    np.add.at(inside, last[large] + 1, -1)
    by_threshold[samples[np.cumsum(inside)[:-1] > 0]] = True

    kept = np.concatenate(([0], np.cumsum(~large)))[plan.offsets]
    columns = tuple(column[~large] for column in (t0, dt, x0, dx, y0, dy))
    boxes, listed = publish(traces, grouping.members, columns, kept, [(by_share, "share"), (by_threshold, "threshold")])
    facts: dict[str, object] = {}
    if parameters.suppress_share:
        facts["suppress_share_reached"] = round(float(reached), 3)
    return Published(boxes, listed, facts)
