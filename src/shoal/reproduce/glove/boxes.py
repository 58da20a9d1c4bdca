"""One grouping, published in several ways: the paper's boxes as they are, their hulls, split; k-merge.

All of them in memory and for figures only: nothing here makes a release.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from shoal.data import Boxes, Traces
from shoal.kernels.glove.driver import Grouping
from shoal.kernels.glove.reshape import hulls
from shoal.mechanisms.glove import Glove
from shoal.mechanisms.glove.grouping import Settled, settled
from shoal.mechanisms.glove.kmerge import publish_kmerge
from shoal.mechanisms.glove.published import too_large
from shoal.reproduce.glove.split import Ints, split_at_overlaps
from shoal.reproduce.glove.ways import NOTHING, Suppression, Way
from shoal.usefulness.covering import covering_box
from shoal.usefulness.figures import Cells
from shoal.workers import workers


@dataclass(frozen=True, slots=True, eq=False)
class Publication:
    """Boxes of groups, and where everybody's samples are.

    Attributes
    ----------
    boxes, copies
        Each box once, and how many people have it.
    box_of
        Of each raw sample, or -1 where it is left out.
    people
        People who have boxes.
    """

    boxes: Cells
    copies: Ints
    box_of: Ints
    people: int


class Groups:
    """A grouping of these people, to be published in any way."""

    def __init__(self, traces: Traces, grouping: Grouping) -> None:
        self.traces, self.grouping = traces, grouping
        self.sizes = np.array([members.size for members in grouping.members], np.int64)
        self.group_of = np.full(len(traces), -1, np.int64)
        self.group_of[np.concatenate(grouping.members)] = np.repeat(np.arange(self.sizes.size), self.sizes)
        self.offsets, columns, self.box_of = grouping.fingerprints()
        self.boxes = Cells(*columns)

    def published(self, way: Way, suppression: Suppression = NOTHING) -> Publication:
        """Make the boxes."""
        if way == "kmerge":
            return kmerged(self.traces, settled(self.grouping, boxes=False), suppression)
        offsets, boxes, box_of = self._within(suppression)
        kept = box_of >= 0
        if way == "hull":
            offsets, columns = hulls(offsets, *boxes)
            boxes = Cells(*columns)
        elif way == "split":
            offsets, boxes = split_at_overlaps(offsets, boxes)
        if way != "paper":
            box_of = np.where(kept, covering_box(self.traces, self.group_of, offsets, boxes), -1)
        counts = np.diff(offsets)
        return Publication(boxes, np.repeat(self.sizes, counts), box_of, int(self.sizes[counts > 0].sum()))

    def _within(self, suppression: Suppression) -> tuple[Ints, Cells, Ints]:
        """The paper's boxes that do not exceed the thresholds."""
        assert not suppression.share, "a share is chosen by k-merge"
        boxes = self.boxes
        kept = ~too_large(boxes.dx, boxes.dy, boxes.dt, self.traces.grid, suppression.km, suppression.hours)
        before = np.concatenate(([0], np.cumsum(kept)))
        stays = (self.box_of >= 0) & kept[self.box_of]
        box_of = np.where(stays, before[self.box_of], -1)
        return before[self.offsets], Cells(*(column[kept] for column in boxes)), box_of


def kmerged(traces: Traces, grouping: Settled, suppression: Suppression = NOTHING) -> Publication:
    """The boxes of k-merge, whichever way the groups were found."""
    parameters = Glove(
        k=2,  # the groups are there; publication does not ask for k again
        suppress_share=suppression.share,
        suppress_km=suppression.km,
        suppress_hours=suppression.hours,
    )
    with workers() as crew:
        made: Boxes = publish_kmerge(traces, grouping, parameters, traces.grid, workers=crew).boxes
    sequence = np.full(len(traces), -1, np.int64)
    sequence[pc.index_in(made.people, traces.people).to_numpy()] = made.sequence_of
    boxes = Cells(*(column.astype(np.int64) for column in (made.t, made.dt, made.x, made.dx, made.y, made.dy)))
    copies = np.repeat(np.bincount(made.sequence_of, minlength=made.offsets.size - 1), np.diff(made.offsets))
    return Publication(boxes, copies, covering_box(traces, sequence, made.offsets, boxes), len(made))
