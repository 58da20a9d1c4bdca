"""The figures of one run: what kte's Figs. 5–7 draw.

Granularity in space is the sum of a box's sides (kte, footnote 5), in time its duration. Per raw sample first: a few
giant boxes that swallow most samples look harmless when boxes are counted. The paper counts what it publishes, which is
boxes; so both are given. Beside the spans stands the share in boxes of a single cell: such a box is as fine as the
original, so a release with many of them looks better in its median than it hides.
"""

from typing import Any

import numpy as np
import pyarrow.compute as pc

from shoal.data import Boxes, Traces
from shoal.reproduce.glove.histogram import Histogram
from shoal.usefulness.covering import covering_box
from shoal.usefulness.figures import Cells, Ints

HOUR_S, DAY_S = 3600, 86_400
WEEK_HOURS = 7 * 24

Figures = dict[str, Any]


def figures_of(traces: Traces, published: Boxes, utc_offset_h: int) -> Figures:
    """Count what is suppressed, and measure what is left.

    Parameters
    ----------
    traces
        The original.
    published
        One sequence of boxes per person who has any.
    utc_offset_h
        Of the clock that tells day from night.
    """
    grid = traces.grid
    columns = (published.t, published.dt, published.x, published.dx, published.y, published.dy)
    boxes = Cells(*(column.astype(np.int64) for column in columns))
    sequence = np.full(len(traces), -1, np.int64)
    sequence[pc.index_in(published.people, traces.people).to_numpy()] = published.sequence_of
    box_of = covering_box(traces, sequence, published.offsets, boxes)
    kept = np.flatnonzero(box_of >= 0)
    samples_in = np.bincount(box_of[kept], minlength=boxes.t.size)
    space, time = boxes.dx + boxes.dy, boxes.dt
    one_cell = (space == 2) & (time == 1)
    result: Figures = {
        "people_discarded": len(traces) - len(published),
        "samples_deleted_share": (traces.samples - kept.size) / max(traces.samples, 1),
        "boxes": boxes.t.size,
    }
    midnight = (traces.span_s[0] + utc_offset_h * HOUR_S) // DAY_S * DAY_S - utc_offset_h * HOUR_S
    for part, box, moment, times in (
        ("per_sample", box_of[kept], traces.t[kept], samples_in),
        ("per_box", np.arange(boxes.t.size), boxes.t, np.ones_like(space)),
    ):
        hour = (moment.astype(np.int64) * grid.dt_s - midnight) // HOUR_S
        result[part] = {
            "span_sum_m": Histogram.of(space, times, grid.cell_m).spread(),
            "span_s": Histogram.of(time, times, grid.dt_s).spread(),
            "one_cell_share": float(times[one_cell].sum() / max(times.sum(), 1)),
            "by_hour": {
                "count": _by_hour(hour, np.ones_like(box)),
                "span_sum_m": _by_hour(hour, space[box] * grid.cell_m),
                "span_s": _by_hour(hour, time[box] * grid.dt_s),
            },
        }
    return result


def _by_hour(hour: Ints, values: Ints) -> list[int]:
    """Sums over the hours of the first week, counted from its first midnight."""
    first = hour < WEEK_HOURS
    return [int(v) for v in np.bincount(hour[first], weights=values[first], minlength=WEEK_HOURS)]
