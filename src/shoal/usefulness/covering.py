"""Which box of its own person, or of its person's group, each raw sample lies in.

Boxes are taken for what honest ones are. The auditor, which may not, finds its own (``auditor/covering.py``).
"""

import numpy as np

from shoal.attacks.narrow import narrow, wide
from shoal.attacks.parts import cuts
from shoal.data import Traces
from shoal.data.layout import rows_of
from shoal.usefulness.chunks import column_of
from shoal.usefulness.figures import Cells, Ints


def covering_box(traces: Traces, sequence_of: Ints, offsets: Ints, boxes: Cells) -> Ints:
    """Return the index of the box that covers each sample, or -1.

    Boxes of a sequence that start at different times do not overlap in time, so the last one that starts before a
    sample is the only candidate; where several start at once (one per place), they are tried in turn.

    Parameters
    ----------
    traces
        The samples.
    sequence_of
        The sequence of boxes that each person has, -1 for none.
    offsets, boxes
        The boxes of each sequence, sorted by their start; on the grid of the traces.
    """
    parts = (_of_some(traces, low, high, sequence_of[low:high], offsets, boxes) for low, high in cuts(traces.lengths))
    # No box has a number beyond the last offset: where that is narrow, all of them are.
    return column_of(parts, traces.samples, narrow(offsets).dtype.type)


def _of_some(traces: Traces, low: int, high: int, sequence_of: Ints, offsets: Ints, boxes: Cells) -> Ints:
    """Do the same for the people from one to before another: with their own boxes alone, and in 64 bits."""
    used = np.unique(sequence_of[sequence_of >= 0])
    own, rows = rows_of(offsets, used)
    some = Cells(*(wide(column[rows]) for column in boxes))
    here = slice(int(traces.offsets[low]), int(traces.offsets[high]))
    t, x, y = (wide(column[here]) for column in (traces.t, traces.x, traces.y))
    number = np.where(sequence_of >= 0, np.searchsorted(used, sequence_of), -1)
    found = _covering(np.repeat(number, traces.lengths[low:high]), t, x, y, own, some)
    covered = found >= 0
    found[covered] = rows[found[covered]]
    return found


def _covering(sequence: Ints, t: Ints, x: Ints, y: Ints, offsets: Ints, boxes: Cells) -> Ints:
    low = int(min(boxes.t.min(initial=0), t.min(initial=0)))
    width = int(max((boxes.t + boxes.dt).max(initial=0), t.max(initial=0))) - low + 1
    starts = np.repeat(np.arange(offsets.size - 1), np.diff(offsets)) * width + (boxes.t - low)
    moment = sequence * width + (t - low)
    found = np.full(t.size, -1, np.int64)
    at = np.searchsorted(starts, moment, side="right") - 1
    first = at.copy()
    open_ = np.flatnonzero((at >= 0) & (sequence >= 0))
    while open_.size:
        b = at[open_]
        # Keys of different sequences lie apart: an end is compared within its own.
        inside = moment[open_] < starts[b] + boxes.dt[b]
        inside &= (boxes.x[b] <= x[open_]) & (x[open_] < boxes.x[b] + boxes.dx[b])
        inside &= (boxes.y[b] <= y[open_]) & (y[open_] < boxes.y[b] + boxes.dy[b])
        found[open_[inside]] = b[inside]
        open_ = open_[~inside]
        at[open_] -= 1
        open_ = open_[(at[open_] >= 0) & (starts[at[open_]] == starts[first[open_]])]
    return found
