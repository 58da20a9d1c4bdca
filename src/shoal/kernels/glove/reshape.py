"""From merged fingerprints to boxes that are disjoint in time (GLOVE §6.2, Fig. 6b), and from samples to boxes.

Deviates from the paper: boxes that overlap in time, transitively, become the hull of their times and areas.
"""

import numpy as np

from shoal.kernels.common.jit import kernel
from shoal.kernels.glove.boxes import Ints


@kernel
def follow(offsets, start, child, into, box):  # type: ignore[no-untyped-def]
    """Find for each raw sample the box of the last group that it went into.

    Parameters
    ----------
    offsets
        Of people.
    start
        Where each group's boxes start.
    child
        The group that each group was merged into, -1 for the last.
    into
        Of each box: which box of that group it went into.
    box
        Written, per sample.
    """
    for p in range(offsets.size - 1):
        for i in range(offsets[p], offsets[p + 1]):
            g, at = child[p], np.int64(i)
            while g >= 0:
                at = start[g] + into[at]
                g = child[g]
            box[i] = at


@kernel
def fill_hulls(offsets, starts, ends, out, rows):  # type: ignore[no-untyped-def]
    """Write the hulls of each group's boxes, which ascend in time; returns how many there are.

    Parameters
    ----------
    offsets
        Of groups.
    starts, ends
        Three rows: where each box starts and ends along t, x and y.
    out
        Written: six rows, start and end along each axis.
    rows
        Written: hulls up to each group's end.
    """
    used = 0
    for g in range(offsets.size - 1):
        first = used
        for i in range(offsets[g], offsets[g + 1]):
            if used == first or starts[0, i] >= out[1, used - 1]:
                for axis in range(3):
                    out[2 * axis, used], out[2 * axis + 1, used] = starts[axis, i], ends[axis, i]
                used += 1
                continue
            for axis in range(3):
                out[2 * axis, used - 1] = min(out[2 * axis, used - 1], starts[axis, i])
                out[2 * axis + 1, used - 1] = max(out[2 * axis + 1, used - 1], ends[axis, i])
        rows[g + 1] = used
    return used


def hulls(
    offsets: Ints, t: Ints, dt: Ints, x: Ints, dx: Ints, y: Ints, dy: Ints
) -> tuple[Ints, tuple[Ints, Ints, Ints, Ints, Ints, Ints]]:
    """The hulls of each group's boxes.

    Parameters
    ----------
    offsets
        Of groups.
    t, dt, x, dx, y, dy
        Start and extent of each box; those of a group ascend by t.

    Returns
    -------
    offsets, (t, dt, x, dx, y, dy)
        The same of the hulls.

    Examples
    --------
    >>> boxes = [np.array(v) for v in ([0, 5, 9], [6, 4, 1], [0, 3, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1])]
    >>> offsets, (t, dt, x, dx, y, dy) = hulls(np.array([0, 3]), *boxes)
    >>> t.tolist(), dt.tolist(), dx.tolist()
    ([0, 9], [9, 1], [4, 1])
    """
    starts, ends = np.stack((t, x, y)), np.stack((t + dt, x + dx, y + dy))
    out, rows = np.empty((6, t.size), np.int64), np.zeros(offsets.size, np.int64)
    used = fill_hulls(offsets, starts, ends, out, rows)
    t0, t1, x0, x1, y0, y1 = out[:, :used]
    return rows, (t0, t1 - t0, x0, x1 - x0, y0, y1 - y0)
