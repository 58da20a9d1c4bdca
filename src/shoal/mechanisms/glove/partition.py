"""GLOVE neighbourhood by neighbourhood (``--partition``), for data beyond memory or patience. Not in the paper."""

import numpy as np
from numpy.typing import NDArray

from shoal.data import Traces
from shoal.data.traces import Ints64
from shoal.kernels.glove import Grouping
from shoal.mechanisms.glove.grouping import Fingerprints, Settled, group_people
from shoal.mechanisms.glove.neighbourhoods import neighbourhoods
from shoal.progress import Progress


def group_in_parts(
    traces: Traces,
    most: int,
    k: int,
    leftover_limit: float,
    progress: Progress,
    *,
    boxes: bool,
    threads: int | None = None,
) -> Settled:
    """Group the people of each neighbourhood; ``most`` is 4 k or more, so that each has k people.

    Whoever is left over joins the nearest group of the neighbourhood. Those for whom that is too far are pooled, and
    hide across neighbourhoods as far as the limit allows; who is too far from all is suppressed.
    """
    members, pieces = list[Ints64](), list[tuple[Ints64, Fingerprints]]()
    grouped, done = np.zeros(len(traces), np.bool_), 0

    def keep(people: Ints64, grouping: Grouping, near: NDArray[np.bool_]) -> None:
        for group in np.flatnonzero(near):
            members.append(people[grouping.members[group]])
            grouped[members[-1]] = True
        if boxes:
            pieces.append((people, _some(grouping.fingerprints(), near)))

    for part in neighbourhoods(traces, most):
        told = _counting_on(progress, done, part.size, len(traces))
        grouping = group_people(traces.select(part), k, leftover_limit, told, threads=threads)
        keep(part, grouping, np.ones(len(grouping.members), np.bool_))
        done += part.size
    pool = np.flatnonzero(~grouped)
    if pool.size >= k:
        told = _counting_on(progress, done - pool.size, pool.size, len(traces))
        grouping = group_people(traces.select(pool), k, leftover_limit, told, threads=threads)
        keep(pool, grouping, longest_stretch(grouping) <= leftover_limit)
    return Settled(members, np.flatnonzero(~grouped), _joined(traces, pieces) if boxes else None)


def longest_stretch(grouping: Grouping) -> NDArray[np.float64]:
    """The largest Delta of the merges that made each group."""
    unit, longest = grouping.store.world.scale.unit, dict[int, float]()
    for merge, made in zip(grouping.merges, grouping.made, strict=True):
        before = (longest.get(side, 0.0) for side in (merge.first, merge.second))
        longest[made] = max(merge.total / (unit * merge.whole), *before)
    return np.array([longest[group] for group in grouping.groups])


def _counting_on(progress: Progress, before: int, people: int, everybody: int) -> Progress:
    """Tell of a part as of a piece of the whole."""

    def told(phase: str, done: int, total: int) -> None:
        progress(phase, before + people * done // max(total, 1), everybody)

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
        lengths = traces.lengths[people]
        starts = np.cumsum(lengths) - lengths
        rows = np.repeat(traces.offsets[people] - starts, lengths) + np.arange(of_part.size)
        box_of[rows] = np.where(of_part >= 0, of_part, box_of[rows])  # the pool comes after the parts that it left
        ends.append(offsets[1:] + before)
        before += int(offsets[-1])
    columns = zip(*(columns for _, (_, columns, _) in pieces), strict=True)
    return np.concatenate(ends), tuple(np.concatenate(column) for column in columns), box_of
