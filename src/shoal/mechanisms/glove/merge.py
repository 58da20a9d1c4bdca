"""Publication of the paper's own boxes (GLOVE §6.2): thresholds, then alignment, then the hull of what overlaps.

Deviates from the paper in the reshaping: boxes that overlap in time, transitively, become the hull of their times and
areas. Splitting at the overlap would publish boxes in which some member never was.
"""

from typing import TYPE_CHECKING

import numpy as np

from shoal.data import Grid, Traces
from shoal.kernels.glove.reshape import hulls
from shoal.mechanisms.glove.grouping import Settled
from shoal.mechanisms.glove.published import Published, publish, too_large
from shoal.workers import Workers

if TYPE_CHECKING:
    from shoal.mechanisms.glove.parameters import Glove


def publish_merge(traces: Traces, grouping: Settled, parameters: "Glove", grid: Grid, *, workers: Workers) -> Published:
    """Publish what the greedy's merges left, without large boxes, aligned, disjoint in time.

    Parameters
    ----------
    traces, grouping, parameters, grid, workers
        As in `shoal.mechanisms.glove.kmerge.publish_kmerge`.
    """
    del workers  # hulls take no time
    base = traces.grid
    in_space, in_time = grid.cell_m // base.cell_m, grid.dt_s // base.dt_s
    offsets, fingerprints, box_of = grouping.fingerprints()
    t, dt, x, dx, y, dy = fingerprints
    large = too_large(dx, dy, dt, base, parameters.suppress_km, parameters.suppress_hours)
    by_threshold = np.zeros(traces.samples, np.bool_)
    grouped = box_of >= 0
    by_threshold[grouped] = large[box_of[grouped]]

    kept = np.concatenate(([0], np.cumsum(~large)))[offsets]
    outward = []
    for start, extent, unit in ((t, dt, in_time), (x, dx, in_space), (y, dy, in_space)):
        low = start[~large] // unit * unit
        outward += [low, -(-(start + extent)[~large] // unit) * unit - low]
    ends, columns = hulls(kept, *outward)
    boxes, listed = publish(traces, grouping.members, columns, ends, [(by_threshold, "threshold")])
    again = too_large(columns[3], columns[5], columns[1], base, parameters.suppress_km, parameters.suppress_hours)
    return Published(boxes, listed, run={"hulls": int(ends[-1]), "hulls_beyond_thresholds": int(again.sum())})
