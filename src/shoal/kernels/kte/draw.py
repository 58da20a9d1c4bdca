"""The boxes of people: what each one has in an epoch, k-merged with what those have whom they hide there (kte §III-D).

A cell (j, e) that is published gives boxes that hold a sample of j and one of everybody whom j hides in a window that
covers e, so at most as many boxes as j has samples in it: box number b of the cell is kept at the place of the
cell's b-th sample. So boxes of a person are in the order of time, and those of one person can be drawn anew.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.kmerge.stamps import Rule
from shoal.kernels.kte.crowd import gather, merge, new_crowd
from shoal.kernels.kte.lives import Lives, Pairs
from shoal.workers import Workers

RULE = Rule(area=True)
"""kte (2): the span in time times the sum of those in space."""

PIECES_PER_THREAD = 32


class Drawing(NamedTuple):
    """A place for a box per sample: whether there is one; t0, t1, x0, x1, y0, y1, the last slot included."""

    is_box: NDArray[np.bool_]
    box: NDArray[np.int32]


def new_drawing(samples: int) -> Drawing:
    return Drawing(np.zeros(samples, np.bool_), np.empty((samples, 6), np.int32))


@helper
def write_boxes(count, crowd, row, drawing):  # type: ignore[no-untyped-def]
    """Write the boxes of a crowd that is merged, of so many stamps, from this row on."""
    box, i = crowd.stamps.box, 0
    while i < count:
        j = crowd.plans.last[i]
        x0, x1, y0, y1 = box[i, 0], box[i, 1], box[i, 2], box[i, 3]
        for s in range(i + 1, j + 1):
            x0, x1, y0, y1 = min(x0, box[s, 0]), max(x1, box[s, 1]), min(y0, box[s, 2]), max(y1, box[s, 3])
        place = drawing.box[row]
        place[0], place[1] = crowd.stamps.time[i], crowd.stamps.time[j]
        place[2], place[3], place[4], place[5] = x0, x1, y0, y1
        drawing.is_box[row] = True
        i, row = j + 1, row + 1


@kernel
def draw_people(who, lives, alive, reach, hides, rule, drawing):  # type: ignore[no-untyped-def]
    """Draw the boxes of some people, instead of those that they had.

    Parameters
    ----------
    who
        The people.
    lives, alive, reach
        Samples; of each person and epoch, whether it is published; epochs in a window, less one.
    hides
        Of each person, whom it hides, by window.
    rule
        What a box costs.
    drawing
        Written: the places of these people's samples.
    """
    crowd = new_crowd(64)
    for p in who:
        row, end = lives.offsets[p], lives.offsets[p + 1]
        drawing.is_box[row:end] = False
        while row < end:
            e = lives.epoch[row]
            if alive[p, e]:
                n, members = gather(p, e, reach, lives, alive, hides, crowd)
                while n > crowd.t.size:
                    crowd = new_crowd(2 * n)
                    n, members = gather(p, e, reach, lives, alive, hides, crowd)
                write_boxes(merge(crowd, n, members, rule), crowd, row, drawing)
            while row < end and lives.epoch[row] == e:
                row += 1


def draw(
    who: NDArray[np.int64],
    lives: Lives,
    alive: NDArray[np.bool_],
    reach: int,
    hides: Pairs,
    drawing: Drawing,
    *,
    workers: Workers,
) -> None:
    """Draw the boxes of some people in parallel; parameters as in `draw_people`."""
    pieces = np.array_split(who, min(workers.threads * PIECES_PER_THREAD, max(1, who.size)))
    jobs = [workers.pool.submit(draw_people, piece, lives, alive, reach, hides, RULE, drawing) for piece in pieces]
    for job in jobs:
        job.result()
