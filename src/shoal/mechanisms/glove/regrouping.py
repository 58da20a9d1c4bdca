"""Groups chosen for what is published (``--grouping published``). Not in the GLOVE paper.

The greedy merges by a capped stretch between fingerprints; what is published are the boxes of k-merge. Here people
change places until the published boxes are as small as can be found (`shoal.kernels.regroup`). The promise is the same:
any groups of k or more keep it.
"""

from dataclasses import replace

import numpy as np

from shoal.data import Grid, Traces
from shoal.data.layout import Ints64, rows_of
from shoal.errors import DataError
from shoal.kernels.regroup.crowd import Crowd, crowd_of
from shoal.kernels.regroup.driver import regroup, regroup_pairs
from shoal.mechanisms.glove.grouping import Settled
from shoal.mechanisms.kd_parts import kd_parts
from shoal.mechanisms.neighbourhoods import content
from shoal.progress import Progress
from shoal.workers import Workers


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
        if k == 2:
            found = regroup_pairs(crowd, given, share, effort, progress=progress, workers=workers)
        else:
            found = regroup(crowd, given, _near(crowd, k), k, share, effort, progress=progress, workers=workers)
    except ValueError as problem:
        raise DataError(
            str(problem), expected="fingerprints that exact integers can hold", hint="use a coarser grid"
        ) from problem
    return replace(settled, members=_in_order(found.groups, people), greedy=found.given, value=found.value)


def _in_order(groups: list[Ints64], number: Ints64) -> list[Ints64]:
    """Groups of people by other numbers: members ascending, and the groups by their first."""
    return sorted((np.sort(number[group]) for group in groups), key=lambda group: int(group[0]))


def _near(crowd: Crowd, k: int) -> Ints64:
    """An order in which whoever is near in mean place and number of samples is near: k-d parts of k, one by one."""
    starts, lengths = crowd.offsets[:-1], np.diff(crowd.offsets)
    x, y = (np.add.reduceat(v, starts, dtype=np.int64) / lengths / crowd.space_unit for v in (crowd.x, crowd.y))
    return np.concatenate(kd_parts(np.arange(lengths.size), (x, y, np.log(lengths)), k))
