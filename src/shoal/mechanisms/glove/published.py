"""What both ways of publication share: the layout of groups, thresholds, and the result."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.contract.reasons import ReasonName
from shoal.data import Boxes, Grid, Traces
from shoal.data.layout import Ints64
from shoal.release import suppressed as withheld


@dataclass(frozen=True)
class Published:
    """Boxes of the groups that are left, the list of what is not published, facts for manifest and publisher."""

    boxes: Boxes
    suppressed: pa.Table
    facts: dict[str, object] = field(default_factory=dict)
    run: dict[str, object] = field(default_factory=dict)


def too_large(
    dx: Ints64, dy: Ints64, dt: Ints64, grid: Grid, km: float | None, hours: float | None
) -> NDArray[np.bool_]:
    """Whether max(dx, dy) exceeds the spatial threshold or dt the temporal one (GLOVE §7.1), in whole cells."""
    large = np.zeros(dx.size, np.bool_)
    if km is not None:
        large |= np.maximum(dx, dy) > _whole_cells(km, 1000, grid.cell_m)
    if hours is not None:
        large |= dt > _whole_cells(hours, 3600, grid.dt_s)
    return large


def _whole_cells(threshold: float, unit: int, cell: int) -> int:
    """So many cells do not exceed the threshold. A float means the decimal number that it prints as."""
    return int(Fraction(str(threshold)) * unit // cell)


def publish(
    traces: Traces,
    members: list[Ints64],
    columns: tuple[NDArray[np.integer], ...],
    offsets: Ints64,
    listed: list[tuple[NDArray[np.bool_], ReasonName]],
) -> tuple[Boxes, pa.Table]:
    """Wrap the groups' boxes (t, dt, x, dx, y, dy), and list what was left out.

    Parameters
    ----------
    members
        People of each group.
    columns, offsets
        Boxes of each group, sorted by time. A group without boxes is removed with all its people.
    listed
        Masks of samples that are left out, and why.
    """
    counts = np.diff(offsets)
    sizes = np.array([m.size for m in members], np.int64)
    people = np.concatenate(members) if members else np.empty(0, np.int64)
    group = np.repeat(np.arange(sizes.size), sizes)
    emptied = np.zeros(len(traces), np.bool_)
    emptied[people[counts[group] == 0]] = True
    lists = [withheld.whole_people(traces.people.filter(pa.array(emptied)), "emptied")]
    of_emptied = np.repeat(emptied, traces.lengths)
    lists += [withheld.samples(traces, mask & ~of_emptied, reason) for mask, reason in listed]
    order = np.argsort(people)
    kept = order[~emptied[people[order]]]
    sequence = np.cumsum(counts > 0) - 1
    t, dt, x, dx, y, dy = (np.ascontiguousarray(column, np.int32) for column in columns)
    boxes = Boxes(
        people=traces.people.take(pa.array(people[kept])),
        sequence_of=sequence[group[kept]].astype(np.int32),
        offsets=np.concatenate(([0], np.cumsum(counts[counts > 0]))),
        t=t,
        dt=dt,
        x=x,
        dx=dx,
        y=y,
        dy=dy,
        crs=traces.crs,
        grid=traces.grid,
    )
    return boxes, withheld.concat(*lists)
