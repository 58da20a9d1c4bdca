"""From boxes that are drawn to what is published, what is withheld, and the publisher's table of who hides whom."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data import Boxes, Traces
from shoal.kernels.kte.draw import Drawing
from shoal.kernels.kte.lives import Lives
from shoal.mechanisms.kte.hiding import Epochs, Hiding
from shoal.release import suppressed as withheld
from shoal.release.columns import gather, utc


def lives_of(traces: Traces, epochs: Epochs) -> Lives:
    """Everybody's samples as the kernels take them; copies, as code is compiled anew for arrays that are read-only."""
    offsets, t = np.array(traces.offsets), np.array(traces.t)
    return Lives(offsets, t, np.array(traces.x), np.array(traces.y), epochs.of(t))


def cells_with_samples(lives: Lives, epochs: Epochs) -> NDArray[np.bool_]:
    """Of each person (row) and epoch, whether there are samples."""
    people = lives.offsets.size - 1
    found = np.zeros((people, epochs.count), np.bool_)
    found[np.repeat(np.arange(people), np.diff(lives.offsets)), lives.epoch] = True
    return found


def published_boxes(traces: Traces, drawing: Drawing) -> Boxes:
    """The boxes of everybody of whom something is left."""
    places = np.flatnonzero(drawing.is_box)
    counts = np.diff(np.searchsorted(places, traces.offsets))
    left = np.flatnonzero(counts)
    t0, t1, x0, x1, y0, y1 = (np.ascontiguousarray(column) for column in drawing.box[places].T)
    return Boxes(
        people=traces.people.take(pa.array(left)),
        sequence_of=np.arange(left.size, dtype=np.int32),
        offsets=np.concatenate((np.zeros(1, np.int64), np.cumsum(counts[left]))),
        t=t0,
        dt=t1 - t0 + np.int32(1),
        x=x0,
        dx=x1 - x0 + np.int32(1),
        y=y0,
        dy=y1 - y0 + np.int32(1),
        crs=traces.crs,
        grid=traces.grid,
    )


def withheld_list(traces: Traces, hiding: Hiding) -> pa.Table:
    """List people of whom nothing is left, and of the others the samples in cells that are not published."""
    alive = hiding.alive[traces.owner, hiding.epochs.of(traces.t)]
    left = np.zeros(len(traces), np.bool_)
    left[traces.owner[alive]] = True
    gone = withheld.whole_people(traces.people.filter(pa.array(~left)), "leftover")
    return withheld.concat(gone, withheld.samples(traces, ~alive & left[traces.owner], "unhidden"))


def hiding_table(traces: Traces, hiding: Hiding) -> pa.Table:
    """Who hides whom: the person hidden, the start of the window, the hider; sorted by number of person and time."""
    order = np.lexsort((hiding.hider, hiding.window, hiding.hidden))
    start = hiding.epochs.start + hiding.window[order].astype(np.int64) * hiding.epochs.length
    return pa.table(
        {
            "original_uid": gather(traces.people, hiding.hidden[order]),
            "window_start": utc(start * (traces.grid.dt_s * 1_000_000)),
            "member": gather(traces.people, hiding.hider[order]),
        }
    )
