"""Publication by k-merge: every group's raw samples merged anew (kte §III), optimal and disjoint in time.

Not in the GLOVE paper, which publishes the boxes of its greedy merges after a reshaping. The cost of a box is what its
raw samples are stretched by; the optimal suppression of samples is part of the same programme.
"""

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.data import Grid, Traces
from shoal.data.layout import Ints32, Ints64, rows_of
from shoal.kernels.common.scale import scale_of
from shoal.kernels.kmerge.driver import Rule, suppress_share
from shoal.mechanisms.glove.grouping import Groups
from shoal.mechanisms.glove.published import Published, publish, too_large
from shoal.workers import Workers

if TYPE_CHECKING:
    from shoal.mechanisms.glove.parameters import Glove

AT_ONCE = 1 << 23
"""Samples merged in one go where groups have nothing to do with each other: bounds the memory."""


class Merged(NamedTuple):
    """Boxes of some groups: how many each has, (t, dt, x, dx, y, dy); samples left out; the share that they are."""

    counts: Ints64
    columns: tuple[Ints32, ...]
    by_share: Ints64
    by_threshold: Ints64
    reached: Fraction


def publish_kmerge(traces: Traces, grouping: Groups, parameters: "Glove", grid: Grid, *, workers: Workers) -> Published:
    """Merge every group anew: alignment first, then the programme, thresholds last.

    Parameters
    ----------
    traces, grouping
        Everybody, and who is with whom.
    parameters
        What to leave out.
    grid
        Of the published boxes.
    workers
        Who does it.
    """
    # One price for what is left out ties all groups together; without one they are merged some at a time.
    some = _pieces(traces, grouping.members) if not parameters.suppress_share else [grouping.members]
    merged = [_merge(traces, members, parameters, grid, workers) for members in some]
    by_share, by_threshold = (np.zeros(traces.samples, np.bool_) for _ in range(2))
    for piece in merged:
        by_share[piece.by_share], by_threshold[piece.by_threshold] = True, True
    offsets = np.concatenate(([0], np.cumsum(np.concatenate([piece.counts for piece in merged]))))
    columns = tuple(np.concatenate(column) for column in zip(*(piece.columns for piece in merged), strict=True))
    boxes, suppressed = publish(
        traces, grouping.members, columns, offsets, [(by_share, "share"), (by_threshold, "threshold")]
    )
    facts: dict[str, object] = {}
    if parameters.suppress_share:
        facts["suppress_share_reached"] = round(float(merged[0].reached), 3)
    return Published(boxes, suppressed, facts)


def _pieces(traces: Traces, groups: list[Ints64]) -> list[list[Ints64]]:
    """Groups in their order, some at a time."""
    samples = np.cumsum([int(traces.lengths[members].sum()) for members in groups])
    piece = samples // AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(groups)]
    return [groups[low:high] for low, high in itertools.pairwise(cuts)]


def _merge(traces: Traces, groups: list[Ints64], parameters: "Glove", grid: Grid, workers: Workers) -> Merged:
    """Merge some groups anew; the rest as in `publish_kmerge`."""
    base = traces.grid
    in_space, in_time = np.int32(grid.cell_m // base.cell_m), np.int32(grid.dt_s // base.dt_s)
    sizes = np.array([members.size for members in groups])
    people = np.concatenate(groups)
    lengths, (_, samples) = traces.lengths[people], rows_of(traces.offsets, people)
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
    _, reached, plan = suppress_share(offsets, t, x, y, number, sizes, rule, parameters.suppress_share, workers=workers)

    t0, t1, x0, x1, y0, y1, first, last = plan.parts.T
    dt, dx, dy = t1 - t0 + int(in_time), x1 - x0 + int(in_space), y1 - y0 + int(in_space)
    large = too_large(dx, dy, dt, base, parameters.suppress_km, parameters.suppress_hours)
    inside = np.zeros(samples.size + 1, np.int64)
    np.add.at(inside, first[large], 1)
    np.add.at(inside, last[large] + 1, -1)
    kept = np.concatenate(([0], np.cumsum(~large)))[plan.offsets]
    return Merged(
        np.diff(kept),
        tuple(column[~large].astype(np.int32) for column in (t0, dt, x0, dx, y0, dy)),
        samples[plan.left_out],
        samples[np.cumsum(inside)[:-1] > 0],
        reached,
    )
