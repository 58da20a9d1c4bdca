"""How accurate a release of boxes is: the metrics of GLOVE's Table 2 and Figs. 7–11.

Per raw sample first: a few giant boxes that swallow most samples look harmless when boxes are counted.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.released import Released
from shoal.contract.files import SUPPRESSED
from shoal.contract.kinds import BOXES
from shoal.data import ReadOptions, Traces, read_as
from shoal.errors import DataError
from shoal.usefulness.compared import SecretDirectory, names_of, not_the_original
from shoal.usefulness.covering import covering_box
from shoal.usefulness.figures import Cells, Ints, errors_of, in_cells, spans_of, spread
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.ranges import count_in_boxes, count_samples, distortion, draw_cells
from shoal.usefulness.views import View, Viewed, view_of_boxes, view_of_traces
from shoal.workers import workers

QUERY_SEED = 0
"""Queries are drawn anew for each original, and are the same each time: they protect nobody."""


@dataclass(frozen=True, eq=False)
class ComparedBoxes(Viewed):
    """A release of boxes beside its original.

    Attributes
    ----------
    traces
        The original, on the grid that the release was made on.
    boxes
        What is published, a row per person and box.
    offsets
        Where the boxes of each published person start; in the order of people.
    box_of
        The box of each raw sample; -1 where it is in no box of its person, or listed as suppressed (a box made of
        others may cover such a sample).
    """

    traces: Traces
    boxes: Cells
    offsets: Ints
    box_of: Ints

    @property
    def meridian(self) -> float:
        return self.traces.crs.lon_0

    @property
    def cell_m(self) -> int:
        return self.traces.grid.cell_m

    @cached_property
    def raw_view(self) -> View:
        return view_of_traces(self.traces)

    @cached_property
    def published_view(self) -> View:
        return view_of_boxes(self.offsets, self.boxes, self.traces.grid.cell_m, self.traces.grid.dt_s)


def compare(released: Released, secret: SecretDirectory, original: Any, options: ReadOptions | None) -> ComparedBoxes:
    """Join the published boxes with the mapping and the original's samples."""
    grid = released.base_grid
    traces = original if isinstance(original, Traces) else read_as(Traces, original, grid, options)[0]
    if released.manifest.get("crs") != traces.crs.proj:
        raise not_the_original(
            "a release on another map than the original",
            "the data that the release was made from, read with the same options",
        )
    if traces.grid != grid:
        raise not_the_original(
            "an original on another grid than the release", f"cells of {grid.cell_m} m, {grid.dt_s} s"
        )
    uids, crowd = released.boxes()
    owner = secret.owners(uids, names_of(traces.people))
    if np.unique(owner).size < owner.size:
        raise DataError("a person with several uids", expected="one uid for each person", hint="see shoal audit")
    # In the order of people, not of tokens: sums of fractions must not depend on what was drawn.
    order = np.argsort(owner)
    crowd = crowd.take(order)
    sequence_of = np.full(len(traces), -1, np.int64)
    sequence_of[owner[order]] = np.arange(owner.size)
    boxes = in_cells(crowd, grid)
    box_of = covering_box(traces, sequence_of, crowd.offsets, boxes)
    box_of[_listed(secret, traces)] = -1
    return ComparedBoxes(len(traces), owner.size, traces, boxes, crowd.offsets, box_of)


def _listed(secret: SecretDirectory, traces: Traces) -> NDArray[np.bool_]:
    """Tell which samples the list of what was withheld names one by one; an older release may have no list."""
    if not secret.has(SUPPRESSED):
        return np.zeros(traces.samples, np.bool_)
    cell, step = traces.grid.cell_m, traces.grid.dt_s
    listed = (
        secret.table(SUPPRESSED, ("original_uid", "t", "x", "y"))
        .filter(pl.col("t").is_not_null())
        .join(names_of(traces.people).with_row_index("owner"), on="original_uid")
        .select(
            pl.col("owner").cast(pl.Int64),
            (pl.col("t").dt.epoch("s") // step).cast(pl.Int32),
            (pl.col("x") // cell).cast(pl.Int32),
            (pl.col("y") // cell).cast(pl.Int32),
            pl.lit(value=True).alias("listed"),
        )
    )
    rows = pl.DataFrame({"owner": traces.owner, "t": traces.t, "x": traces.x, "y": traces.y})
    joined = rows.join(listed, on=["owner", "t", "x", "y"], how="left", maintain_order="left")
    return joined["listed"].fill_null(value=False).to_numpy()


@measure(BOXES)
def samples(compared: ComparedBoxes) -> Figures:
    """Count raw samples that are not published, and boxes that hold none of their person: no honest release has any."""
    deleted = int((compared.box_of < 0).sum())
    holds = np.zeros(compared.boxes.t.size, np.bool_)
    holds[compared.box_of[compared.box_of >= 0]] = True
    return {
        "samples_deleted_share": deleted / max(compared.traces.samples, 1),
        "samples_created": int((~holds).sum()),
    }


@measure(BOXES)
def accuracy(compared: ComparedBoxes) -> Figures:
    """Measure boxes as each raw sample sees its own, and each box once.

    The larger side and the sum of both sides of the box, its duration, and how far the sample lies from the middle of
    the box in place and in time (per box: the mean over its samples).
    """
    boxes, kept = compared.boxes, np.flatnonzero(compared.box_of >= 0)
    box = compared.box_of[kept]
    spans, errors = spans_of(boxes, compared.traces.grid), errors_of(compared.traces, kept, boxes, box)
    inside = np.bincount(box, minlength=boxes.t.size)
    per_sample = {name: values[box] for name, values in spans.items()} | errors
    per_box = spans | {
        name: np.bincount(box, weights=values, minlength=boxes.t.size)[inside > 0] / inside[inside > 0]
        for name, values in errors.items()
    }
    return {
        "per_sample": {name: spread(values) for name, values in per_sample.items()},
        "per_box": {name: spread(values) for name, values in per_box.items()},
    }


@measure(BOXES)
def range_queries(compared: ComparedBoxes) -> Figures:
    """Ask how many people cross a square in a window of time: definitely, possibly, and as many as can be expected."""
    if not compared.traces.samples:
        return {}
    with workers() as crew:
        queries = draw_cells(compared.traces, np.random.default_rng(QUERY_SEED))
        raw = count_samples(compared.traces, queries, crew)
        counts = count_in_boxes(compared.offsets, compared.boxes, queries, crew)._asdict()
    figures: dict[str, float] = {"queries": raw.size, "raw_people": float(raw.mean())}
    figures |= {f"{name}_people": float(found.mean()) for name, found in counts.items()}
    for name, found in counts.items():
        off = distortion(raw, found)
        figures |= {f"distortion_{name}": off.mean, f"distortion_{name}_standard_error": off.standard_error}
    return {"range_queries": figures}
