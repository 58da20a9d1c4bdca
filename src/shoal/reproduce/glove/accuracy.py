"""The figures of one publication: GLOVE's Table 2 and what its Figs. 7–11 draw.

Per raw sample first: a few giant boxes that swallow most samples look harmless when boxes are counted. The paper counts
what it publishes, which is boxes; so both are given.
"""

from typing import Any

import numpy as np

from shoal.data import Traces
from shoal.reproduce.glove.boxes import Publication
from shoal.reproduce.glove.histogram import Histogram
from shoal.reproduce.glove.split import Ints, distinct
from shoal.usefulness.figures import errors_of, spread

NEAR_M, SOON_S, LATER_S = 2_000, 30 * 60, 2 * 3600
"""The paper's marks (§7): 2 km, 30 min, 2 h."""

Figures = dict[str, Any]


def figures_of(traces: Traces, published: Publication, *, curves: bool = False) -> Figures:
    """Count and measure; ``curves`` adds the whole distribution of the spans."""
    boxes, grid = published.boxes, traces.grid
    kept = np.flatnonzero(published.box_of >= 0)
    box = published.box_of[kept]
    result: Figures = {
        "people_discarded": len(traces) - published.people,
        "samples_deleted": traces.samples - kept.size,
        "samples_deleted_share": (traces.samples - kept.size) / max(traces.samples, 1),
        "samples_created": _without_a_sample(traces, published, kept, box),
        "boxes": int(published.copies.sum()),
        "errors": {name: spread(values) for name, values in errors_of(traces, kept, boxes, box).items()},
    }
    samples_in = np.bincount(box, minlength=boxes.t.size)
    for part, times in (("per_sample", samples_in), ("per_box", published.copies)):
        side = Histogram.of(np.maximum(boxes.dx, boxes.dy), times, grid.cell_m)
        sides = Histogram.of(boxes.dx + boxes.dy, times, grid.cell_m)
        time = Histogram.of(boxes.dt, times, grid.dt_s)
        result[part] = {
            "span_max_m": side.spread(),
            "span_sum_m": sides.spread(),
            "span_s": time.spread(),
            "shares": {
                "same_place": side.share_at_most(grid.cell_m),
                "near": side.share_at_most(NEAR_M),
                "soon": time.share_at_most(SOON_S),
                "later": time.share_at_most(LATER_S),
            },
        }
        if curves:
            result[part]["curves"] = {"span_max_m": side.curve(), "span_s": time.curve()}
    return result


def _without_a_sample(traces: Traces, published: Publication, kept: Ints, box: Ints) -> int:
    """Count pairs of a box and a person who has it, but no sample in it."""
    pairs = distinct(traces.owner[kept] * published.boxes.t.size + box).size
    return int(published.copies.sum()) - pairs
