"""GLOVE neighbourhood by neighbourhood (``--partition``), for data beyond memory or patience. Not in the paper."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shoal.data import Traces
from shoal.data.layout import Ints64, rows_of
from shoal.engines import Engine
from shoal.kernels.glove.driver import Grouping
from shoal.mechanisms.glove.grouping import Better, Fingerprints, Settled, group_people, settled
from shoal.mechanisms.neighbourhoods import neighbourhoods
from shoal.progress import Progress
from shoal.workers import Workers


def group_in_parts(
    traces: Traces,
    most: int,
    k: int,
    leftover_limit: float,
    progress: Progress,
    *,
    boxes: bool,
    engine: Engine,
    better: Better | None = None,
) -> Settled:
    """Group the people of each neighbourhood, several neighbourhoods side by side.

    Whoever is left over joins the nearest group of the neighbourhood. Those for whom that is too far are pooled, and
    hide across neighbourhoods as far as the limit allows; who is too far from all is suppressed.

    Parameters
    ----------
    traces
        Everybody.
    most
        People in a neighbourhood: 4 k or more, so that each has k people.
    k, leftover_limit
        As in :class:`shoal.Glove`.
    progress
        Told of all people; of those left over under a name of its own.
    boxes
        Whether the greedy's own boxes are wanted.
    engine
        Where the work is done. The groups do not depend on it.
    better
        Makes better groups of a neighbourhood's. Those who hide across neighbourhoods stay as they are, within the
        limit.
    """
    parts = neighbourhoods(traces, most)
    found = engine.map(
        partial(group_part, k=k, leftover_limit=leftover_limit, boxes=boxes, better=better),
        (traces.select(part) for part in parts),
        progress=progress,
        phase="grouping",
        sizes=[part.size for part in parts],
    )
    members = [part[group] for part, groups in zip(parts, found, strict=True) for group in groups.members]
    greedy = [
        part[group] for part, groups in zip(parts, found, strict=True) for group in groups.greedy or groups.members
    ]
    pieces = [(part, groups.fingerprints()) for part, groups in zip(parts, found, strict=True) if boxes]
    pool = _ungrouped(traces, members)
    if pool.size >= k:
        told = _left_over(progress)
        with engine.workers() as workers:
            grouping = group_people(traces.select(pool), k, leftover_limit, told, boxes=boxes, workers=workers)
        near = longest_stretch(grouping) <= leftover_limit
        across = [pool[grouping.members[group]] for group in np.flatnonzero(near)]
        members, greedy = members + across, greedy + across
        if boxes:
            pieces.append((pool, _some(grouping.fingerprints(), near)))
    return Settled(
        members,
        _ungrouped(traces, members),
        _joined(traces, pieces) if boxes else None,
        sum(groups.value for groups in found),
        sum(groups.value_greedy for groups in found),
        None if better is None else greedy,
    )


def group_part(
    part: Traces,
    workers: Workers,
    progress: Progress,
    *,
    k: int,
    leftover_limit: float,
    boxes: bool,
    better: Better | None = None,
) -> Settled:
    """Group the people of one neighbourhood: the work that an engine does for each.

    Parameters
    ----------
    part
        The people.
    workers, progress
        From the engine.
    k, leftover_limit, boxes, better
        As in `group_in_parts`.
    """
    groups = settled(group_people(part, k, leftover_limit, progress, boxes=boxes, workers=workers), boxes=boxes)
    return groups if better is None else better(part, groups, progress=progress, workers=workers)


def longest_stretch(grouping: Grouping) -> NDArray[np.float64]:
    """The largest Delta of the merges that made each group."""
    unit, longest = grouping.world.scale.unit, dict[int, float]()
    for merge, made in zip(grouping.merges, grouping.made, strict=True):
        before = (longest.get(side, 0.0) for side in (merge.first, merge.second))
        longest[made] = max(merge.total / (unit * merge.divisor), *before)
    return np.array([longest[group] for group in grouping.groups])


def _ungrouped(traces: Traces, members: list[Ints64]) -> Ints64:
    """People in no group."""
    grouped = np.zeros(len(traces), np.bool_)
    for group in members:
        grouped[group] = True
    return np.flatnonzero(~grouped)


def _left_over(progress: Progress) -> Progress:
    """Tell of those who are left over apart: the bars of the others are full by then."""

    def told(phase: str, done: int, total: int) -> None:
        progress(f"{phase} (left over)", done, total)

    return told


def _some(boxes: Fingerprints, chosen: NDArray[np.bool_]) -> Fingerprints:
    """The boxes of some groups."""
    offsets, columns, box_of = boxes
    counts = np.diff(offsets)
    kept = np.repeat(chosen, counts)
    number = np.where(kept, np.cumsum(kept) - 1, -1)
    box_of = np.where(box_of >= 0, number[box_of], -1)
    return np.concatenate(([0], np.cumsum(counts[chosen]))), tuple(c[kept] for c in columns), box_of


def _joined(traces: Traces, pieces: list[tuple[Ints64, Fingerprints]]) -> Fingerprints:
    """The boxes of all parts, one part after the other, for the samples as they stand in ``traces``."""
    box_of = np.full(traces.samples, -1, np.int64)
    ends, before = [np.zeros(1, np.int64)], 0
    for people, (offsets, _, of_part) in pieces:
        of_part = np.where(of_part >= 0, of_part + before, -1)
        _, rows = rows_of(traces.offsets, people)
        box_of[rows] = np.where(of_part >= 0, of_part, box_of[rows])  # the pool comes after the parts that it left
        ends.append(offsets[1:] + before)
        before += int(offsets[-1])
    columns = zip(*(columns for _, (_, columns, _) in pieces), strict=True)
    return np.concatenate(ends), tuple(np.concatenate(column) for column in columns), box_of
