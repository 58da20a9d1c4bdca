"""Publication by k-merge: every group's raw samples merged anew (kte §III), optimal and disjoint in time.

Not in the GLOVE paper, which publishes the boxes of its greedy merges after a reshaping. The cost of a box is what its
raw samples are stretched by; the optimal suppression of samples is part of the same programme.
"""

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.data import Grid, Traces
from shoal.data.layout import Ints32, Ints64, joined
from shoal.kernels.kmerge.driver import Price, Rule, kmerge_groups, share_price, stretch_rule
from shoal.kernels.kmerge.together import together
from shoal.mechanisms.glove.grouping import Settled
from shoal.mechanisms.glove.published import Published, publish, too_large
from shoal.workers import Workers

if TYPE_CHECKING:
    from shoal.mechanisms.glove.parameters import Glove

AT_ONCE = 1 << 22
"""Samples merged in one go, since groups have nothing to do with each other but a price: bounds the memory."""


class Laid(NamedTuple):
    """Samples of some groups as they are merged: by group, in order of time, on the grid of the boxes.

    ``samples`` says which they are, ``offsets`` where each group starts; ``number`` is the member, ``sizes`` how many
    there are.
    """

    samples: Ints64
    offsets: Ints64
    t: Ints32
    x: Ints32
    y: Ints32
    number: Ints32
    sizes: Ints64


class Merged(NamedTuple):
    """Boxes of some groups: how many each has, (t, dt, x, dx, y, dy); samples left out."""

    counts: Ints64
    columns: list[Ints32]
    by_share: Ints64
    by_threshold: Ints64


def publish_kmerge(
    traces: Traces, grouping: Settled, parameters: "Glove", grid: Grid, *, workers: Workers
) -> Published:
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
    some, prices, facts, run = _pieces(traces, grouping.members), None, dict[str, object](), dict[str, object]()
    spared = np.zeros(len(grouping.members), np.bool_)
    if parameters.suppress_share:
        most = None if grouping.greedy is None else _emptied(traces, grouping.greedy, parameters, grid, workers)
        found = _price(traces, some, parameters, grid, most, workers)
        prices, facts["suppress_share_reached"] = found.each, round(float(found.share), 3)
        if found.price is not None and prices is not None:
            spared = np.asarray(prices > found.price)
    by_share, by_threshold = (np.zeros(traces.samples, np.bool_) for _ in range(2))
    counts: list[Ints64] = []
    pieces: list[list[Ints32]] = [[] for _ in range(6)]
    ends = np.cumsum([len(members) for members in some])[:-1]
    for members, price in zip(some, [None] * len(some) if prices is None else np.split(prices, ends), strict=True):
        merged = _merge(traces, members, parameters, grid, price, workers)
        by_share[merged.by_share], by_threshold[merged.by_threshold] = True, True
        counts.append(merged.counts)
        for column, piece in zip(pieces, merged.columns, strict=True):
            column.append(piece)
    boxes_of = np.concatenate(counts)
    if spared.any():  # thresholds may have taken the boxes of some
        run["people_spared"] = sum(grouping.members[group].size for group in np.flatnonzero(spared & (boxes_of > 0)))
    offsets = np.concatenate(([0], np.cumsum(boxes_of)))
    columns = tuple(joined(column) for column in pieces)
    boxes, suppressed = publish(
        traces, grouping.members, columns, offsets, [(by_share, "share"), (by_threshold, "threshold")]
    )
    return Published(boxes, suppressed, facts, run)


def _pieces(traces: Traces, groups: list[Ints64]) -> list[list[Ints64]]:
    """Groups in their order, some at a time."""
    lengths = traces.lengths
    samples = np.cumsum([int(lengths[members].sum()) for members in groups])
    piece = samples // AT_ONCE
    cuts = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), len(groups)]
    return [groups[low:high] for low, high in itertools.pairwise(cuts)]


def _emptied(traces: Traces, groups: list[Ints64], parameters: "Glove", grid: Grid, workers: Workers) -> int:
    """How many people would lose everything in these groups."""
    left_out = _price(traces, _pieces(traces, groups), parameters, grid, None, workers).left_out
    return sum(m.size for m, left in zip(groups, left_out, strict=True) if left == traces.lengths[m].sum())


def _price(
    traces: Traces,
    pieces: list[list[Ints64]],
    parameters: "Glove",
    grid: Grid,
    most_emptied: int | None,
    workers: Workers,
) -> Price:
    """What leaving out a sample costs, which ties all groups together; of so many people all may be left out."""
    # Nearly everybody is in a group; memory that is never written to is never taken.
    columns = [np.empty(traces.samples, np.int32) for _ in range(4)]
    offsets, sizes, start = [np.zeros(1, np.int64)], [], 0
    for groups in pieces:
        laid = _laid(traces, groups, grid)
        end = start + laid.samples.size
        for column, values in zip(columns, (laid.t, laid.x, laid.y, laid.number), strict=True):
            column[start:end] = values
        offsets.append(laid.offsets[1:] + start)
        sizes.append(laid.sizes)
        start = end
    t, x, y, number = (column[:start] for column in columns)
    starts, members = np.concatenate(offsets), np.concatenate(sizes)
    rule, share = _rule(traces, parameters, grid), parameters.suppress_share
    return share_price(starts, t, x, y, number, members, rule, share, most_emptied=most_emptied, workers=workers)


def _rule(traces: Traces, parameters: "Glove", grid: Grid) -> Rule:
    """What a box costs."""
    return stretch_rule(traces.grid.space_cap, parameters.time_cap(traces.grid), *_factors(traces, grid))


def _factors(traces: Traces, grid: Grid) -> tuple[int, int]:
    """How many steps and how many cells of the data's grid one of the boxes' has."""
    return grid.dt_s // traces.grid.dt_s, grid.cell_m // traces.grid.cell_m


def _laid(traces: Traces, groups: list[Ints64], grid: Grid) -> Laid:
    """Put the samples of some groups in order."""
    in_time, in_space = map(np.int32, _factors(traces, grid))
    sizes = np.array([members.size for members in groups])
    offsets, samples, number = together(np.asarray(traces.offsets), traces.t, np.concatenate(groups), sizes)
    t, x, y = (
        values[samples] // factor * factor
        for values, factor in ((traces.t, in_time), (traces.x, in_space), (traces.y, in_space))
    )
    return Laid(samples, offsets, t, x, y, number, sizes)


def _merge(
    traces: Traces, groups: list[Ints64], parameters: "Glove", grid: Grid, price: Ints64 | None, workers: Workers
) -> Merged:
    """Merge some groups anew, leaving out samples at a price; the rest as in `publish_kmerge`."""
    samples, offsets, t, x, y, number, sizes = _laid(traces, groups, grid)
    plan = kmerge_groups(offsets, t, x, y, number, sizes, _rule(traces, parameters, grid), price, workers=workers)
    in_time, in_space = _factors(traces, grid)
    t0, t1, x0, x1, y0, y1, first, last = plan.parts.T
    dt, dx, dy = t1 - t0 + in_time, x1 - x0 + in_space, y1 - y0 + in_space
    large = too_large(dx, dy, dt, traces.grid, parameters.suppress_km, parameters.suppress_hours)
    inside = np.zeros(samples.size + 1, np.int64)
    np.add.at(inside, first[large], 1)
    np.add.at(inside, last[large] + 1, -1)
    kept = np.concatenate(([0], np.cumsum(~large)))[plan.offsets]
    return Merged(
        np.diff(kept),
        [column[~large].astype(np.int32) for column in (t0, dt, x0, dx, y0, dy)],
        samples[plan.left_out],
        samples[np.cumsum(inside)[:-1] > 0],
    )
