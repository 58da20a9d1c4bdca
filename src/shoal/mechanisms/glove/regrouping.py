"""Groups chosen for what is published (``--grouping published``). Not in the GLOVE paper.

The greedy merges by a capped stretch between fingerprints; what is published are the boxes of k-merge. Here people
change places until the published boxes are as small as can be found (`shoal.kernels.regroup`). The promise is the same:
any groups of k or more keep it.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from shoal.data import Grid, Traces
from shoal.data.layout import Floats, Ints64, rows_of
from shoal.data.thirds import thirds_of
from shoal.errors import DataError
from shoal.kernels.regroup.cores import as_groups
from shoal.kernels.regroup.crowd import Crowd, crowd_of, heavier
from shoal.kernels.regroup.driver import Found, regroup, regroup_pairs
from shoal.kernels.regroup.personal import personal_means, published_spans
from shoal.mechanisms.glove.grouping import Settled
from shoal.mechanisms.kd_parts import kd_parts
from shoal.mechanisms.neighbourhoods import content
from shoal.progress import Progress
from shoal.workers import Workers

SEARCHES, IN_VAIN = 5, 2
"""At most: another one as long as somebody loses; so many in a row in which no less is lost than before end it.
One search in vain says little: what is lost goes up and down on its way."""

MOST_LOST = np.array([1.04, 1.04, 1.04, 1.0])
"""How much larger boxes may be than the greedy's: of each third of the people, and of all samples. Who looks at a
release allows a third 5 %, and all of them nothing."""

MORE = np.array([1.5, 1.5, 1.5, 1.2])
"""How many times as much what is lost counts in the next search, for a third and for everybody: so many, or as many as
they lost."""


def regrouped(
    traces: Traces,
    settled: Settled,
    k: int,
    share: float,
    effort: int,
    grid: Grid,
    time_cap: Fraction,
    progress: Progress,
    *,
    workers: Workers,
) -> Settled:
    """Better groups for everybody who is in one; who is in none stays so.

    Parameters
    ----------
    traces, settled
        People, and the greedy's groups of them.
    k, share, effort
        As in :class:`shoal.Glove`; the share is ``suppress_share``.
    grid
        Of the published boxes.
    time_cap
        How long a box may last for the cost of 20 km, in steps of the data.
    progress
        Told of the rounds.
    workers
        Who does it.
    """
    if not settled.members:
        return settled
    # In the order of what people have: the input's order must not decide anything.
    grouped = np.concatenate(settled.members)
    people = grouped[np.argsort(content(traces)[grouped], kind="stable")]
    place = np.empty(len(traces), np.int64)
    place[people] = np.arange(people.size)
    (offsets, rows), base = rows_of(traces.offsets, people), traces.grid
    try:
        crowd = crowd_of(
            offsets,
            traces.t[rows],
            traces.x[rows],
            traces.y[rows],
            k,
            space_cap=base.space_cap,
            time_cap=time_cap,
            dt=grid.dt_s // base.dt_s,
            dx=grid.cell_m // base.cell_m,
        )
        given = _in_order(settled.members, place)
        found = _fair(crowd, given, thirds_of(traces.lengths)[people], k, share, effort, progress, workers)
    except ValueError as problem:
        raise DataError(
            str(problem), expected="fingerprints that exact integers can hold", hint="use a coarser grid"
        ) from problem
    better = _in_order(found.groups, people)
    return replace(settled, members=better, value=found.value, value_greedy=found.value_given, greedy=settled.members)


def _fair(
    crowd: Crowd,
    given: list[Ints64],
    third: Ints64,
    k: int,
    share: float,
    effort: int,
    progress: Progress,
    workers: Workers,
) -> Found:
    """Groups in which nobody loses much, or as little as is found: what is lost counts more in another search."""
    search: Callable[..., Found] = regroup_pairs if k == 2 else partial(regroup, order=_near(crowd, k), k=k)
    common: dict[str, Any] = {"share": share, "effort": effort, "workers": workers}
    tried, least, in_vain, before = list[tuple[float, Found]](), np.inf, 0, None
    for number in range(1, SEARCHES + 1):
        found = search(crowd, given, progress=_numbered(progress, number), **common)
        if before is None:  # the same in all searches, which differ in what counts
            before = _sizes(given, found.crowd_given, third, workers)
        lost = _lost(before, _sizes(found.groups, found.crowd, third, workers), _step(crowd))
        tried.append((float((lost / MOST_LOST).max()), found))
        too_much = float(np.maximum(lost - MOST_LOST, 0).sum())
        least, in_vain = min(least, too_much), in_vain + 1 if too_much >= least else 0
        if too_much == 0 or in_vain == IN_VAIN:
            break
        crowd = heavier(crowd, *_counts(lost, third))
    return min(tried, key=itemgetter(0))[1]


def _counts(lost: Floats, third: Ints64) -> Floats:
    """How many times as much everybody's space and time count in the next search."""
    more = np.where(lost > MOST_LOST, np.maximum(MORE, lost), 1.0)
    more[np.argmin(lost[:, 3]), 3] = 1.0  # what counts more for everybody does so against the other
    return np.asarray(more[:, third] * more[:, 3:])


def _numbered(progress: Progress, search: int) -> Progress:
    """Tell of every search but the first by its number: the same phases come again."""

    def told(phase: str, done: int, total: int) -> None:
        progress(f"search {search}: {phase}", done, total)

    return told if search > 1 else progress


def _sizes(groups: list[Ints64], crowd: Crowd, third: Ints64, workers: Workers) -> Floats:
    """How large the boxes of samples are that will be published, by span, of each third of the people and of all.

    Of a third it is the median of people's means, twice; of all the mean and the median of samples; nan of nobody.
    """
    spans, sizes = published_spans(as_groups(groups), crowd, workers), np.full((3, 4, 2), np.nan)
    for size, samples, means in zip(sizes, spans[1:], personal_means(spans, third.size), strict=True):
        for one in range(3):
            mine = means[(third == one) & ~np.isnan(means)]
            if mine.size:
                size[one] = np.median(mine)
        if samples.size:
            size[3] = samples.mean(), np.median(samples)
    return sizes


def _step(crowd: Crowd) -> Floats:
    """By how much the medians of samples' boxes may grow without being larger: where boxes are aligned, a cell.

    Such medians move from cell to cell, and cells are large.
    """
    step = np.zeros((3, 4, 2))
    step[:, 3, 1] = [cell if cell > 1 else 0 for cell in (crowd.rule.dx, crowd.rule.dx, crowd.rule.dt)]
    return step


def _lost(before: Floats, now: Floats, step: Floats) -> Floats:
    """How much larger boxes have become: in space, in time; of each third of the people, and of all.

    In space by the larger side or by both sides together, of all by mean or median, whichever has grown most.
    """
    grown = np.where((now > before) & (now <= before + step), 1.0, now / before)
    larger, both, time = np.where(np.isnan(now) | np.isnan(before), 1.0, grown).max(axis=2)
    return np.array([np.maximum(larger, both), time])


def _in_order(groups: list[Ints64], number: Ints64) -> list[Ints64]:
    """Groups of people by other numbers: members ascending, and the groups by their first."""
    return sorted((np.sort(number[group]) for group in groups), key=lambda group: int(group[0]))


def _near(crowd: Crowd, k: int) -> Ints64:
    """An order in which whoever is near in mean place and number of samples is near: k-d parts of k, one by one."""
    starts, lengths = crowd.offsets[:-1], np.diff(crowd.offsets)
    x, y = (np.add.reduceat(v, starts, dtype=np.int64) / lengths / crowd.space_unit for v in (crowd.x, crowd.y))
    return np.concatenate(kd_parts(np.arange(lengths.size), (x, y, np.log(lengths)), k))
