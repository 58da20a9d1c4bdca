"""Groups chosen for what is published (``--grouping published``). Not in the GLOVE paper.

The greedy merges by a capped stretch between fingerprints; what is published are the boxes of k-merge. Here people
change places until the published boxes are as small as can be found (`shoal.kernels.regroup`). The promise is the same:
any groups of k or more keep it.
"""

from collections.abc import Callable
from dataclasses import replace
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
from shoal.kernels.regroup.personal import personal_means
from shoal.mechanisms.glove.grouping import Settled
from shoal.mechanisms.kd_parts import kd_parts
from shoal.mechanisms.neighbourhoods import content
from shoal.progress import Progress
from shoal.workers import Workers

SEARCHES, IN_VAIN = 5, 2
"""At most: another one as long as a third of the people loses; so many in a row that lose no less than before end it.
One search in vain says little: what is lost goes up and down on its way."""

MOST_LOST = 1.04
"""How much larger the boxes of a third may be than the greedy's. Who looks at a release allows for 5 %."""

MORE = 1.5
"""How many times as much what people of a third lose counts in the next search: so many, or as many as they lost."""


def regrouped(
    traces: Traces,
    settled: Settled,
    k: int,
    share: float,
    effort: int,
    grid: Grid,
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
            time_cap=base.time_cap,
            dt=grid.dt_s // base.dt_s,
            dx=grid.cell_m // base.cell_m,
        )
        given = _in_order(settled.members, place)
        found = _fair(crowd, given, thirds_of(traces.lengths)[people], k, share, effort, progress, workers)
    except ValueError as problem:
        raise DataError(
            str(problem), expected="fingerprints that exact integers can hold", hint="use a coarser grid"
        ) from problem
    return replace(settled, members=_in_order(found.groups, people), greedy=found.given, value=found.value)


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
    """Groups in which no third loses much, or as little as is found: what it loses counts more in another search."""
    search: Callable[..., Found] = regroup_pairs if k == 2 else partial(regroup, order=_near(crowd, k), k=k)
    common: dict[str, Any] = {"share": share, "effort": effort, "workers": workers}
    tried, least, in_vain = list[tuple[float, Found]](), np.inf, 0
    for number in range(1, SEARCHES + 1):
        found = search(crowd, given, progress=_numbered(progress, number), **common)
        lost = _lost(found, given, third, workers)
        tried.append((float(lost.max()), found))
        too_much = float(np.maximum(lost - MOST_LOST, 0).sum())
        least, in_vain = min(least, too_much), in_vain + 1 if too_much >= least else 0
        if too_much == 0 or in_vain == IN_VAIN:
            break
        space, time = np.where(lost > MOST_LOST, np.maximum(MORE, lost), 1.0)
        crowd = heavier(crowd, space[third], time[third])
    return min(tried, key=itemgetter(0))[1]


def _numbered(progress: Progress, search: int) -> Progress:
    """Tell of every search but the first by its number: the same phases come again."""

    def told(phase: str, done: int, total: int) -> None:
        progress(f"search {search}: {phase}", done, total)

    return told if search > 1 else progress


def _lost(found: Found, given: list[Ints64], third: Ints64, workers: Workers) -> Floats:
    """How much larger the median of people's mean boxes is than in the groups given: in space, in time; by thirds.

    In space by the larger side or by both sides together, whichever has grown more.
    """
    ratios = np.ones((3, 3))
    now = personal_means(as_groups(found.groups), found.crowd, workers)
    before = personal_means(as_groups(given), found.crowd_given, workers)
    for row, new, old in zip(ratios, now, before, strict=True):
        for one in range(3):
            mine = [values[(third == one) & ~np.isnan(values)] for values in (new, old)]
            if all(values.size for values in mine):
                row[one] = np.median(mine[0]) / np.median(mine[1])
    larger, both, time = ratios
    return np.array([np.maximum(larger, both), time])


def _in_order(groups: list[Ints64], number: Ints64) -> list[Ints64]:
    """Groups of people by other numbers: members ascending, and the groups by their first."""
    return sorted((np.sort(number[group]) for group in groups), key=lambda group: int(group[0]))


def _near(crowd: Crowd, k: int) -> Ints64:
    """An order in which whoever is near in mean place and number of samples is near: k-d parts of k, one by one."""
    starts, lengths = crowd.offsets[:-1], np.diff(crowd.offsets)
    x, y = (np.add.reduceat(v, starts, dtype=np.int64) / lengths / crowd.space_unit for v in (crowd.x, crowd.y))
    return np.concatenate(kd_parts(np.arange(lengths.size), (x, y, np.log(lengths)), k))
