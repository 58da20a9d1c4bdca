"""How accurate a release of boxes is: the metrics of GLOVE's Table 2 and Figs. 7–11.

Per raw sample first: a few giant boxes that swallow most samples look harmless when boxes are counted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.packing import is_in, keys
from shoal.attacks.parts import cuts
from shoal.attacks.released import Found, base_grid
from shoal.contract.files import SUPPRESSED
from shoal.contract.kinds import BOXES
from shoal.data import ReadOptions, Traces, read_as
from shoal.errors import DataError
from shoal.usefulness.box_file import BoxFile
from shoal.usefulness.chunks import column_of
from shoal.usefulness.compared import SecretDirectory, names_of, not_the_original
from shoal.usefulness.covering import covering_box
from shoal.usefulness.figures import ERRORS, SPANS, Cells, Floats, Ints, spread_of
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.ranges import count_in_boxes, count_samples, distortion, draw_cells
from shoal.usefulness.views import InCells, Viewed, view_of_boxes, view_of_traces
from shoal.workers import workers

QUERY_SEED = 0
"""Queries are drawn anew for each original, and are the same each time: they protect nobody."""

Spread = dict[str, float]


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

    def errors(self, *names: str) -> Iterator[tuple[Ints, Ints, dict[str, Floats]]]:
        """Go through everybody's samples that lie in a box, some people at a time: samples, boxes, errors by name."""
        for low, high in cuts(self.traces.lengths):
            first, end = int(self.traces.offsets[low]), int(self.traces.offsets[high])
            rows = np.flatnonzero(self.box_of[first:end] >= 0) + first
            box = self.box_of[rows].astype(np.int64)
            yield rows, box, {name: ERRORS[name](self.traces, rows, self.boxes, box) for name in names}

    @property
    def meridian(self) -> float:
        return self.traces.crs.lon_0

    @property
    def cell_m(self) -> int:
        return self.traces.grid.cell_m

    @cached_property
    def raw_view(self) -> InCells:
        return view_of_traces(self.traces)

    @cached_property
    def published_view(self) -> InCells:
        return view_of_boxes(self.offsets, self.boxes, self.traces.grid.cell_m, self.traces.grid.dt_s)


def compare(found: Found, secret: SecretDirectory, original: Any, options: ReadOptions | None) -> ComparedBoxes:
    """Join the published boxes with the mapping and the original's samples."""
    grid = base_grid(found.manifest)
    # Before the boxes: reading takes the most, so that nothing else should be there.
    traces = original if isinstance(original, Traces) else read_as(Traces, original, grid, options)[0]
    if found.manifest.get("crs") != traces.crs.proj:
        raise not_the_original(
            "a release on another map than the original",
            "the data that the release was made from, read with the same options",
        )
    if traces.grid != grid:
        raise not_the_original(
            "an original on another grid than the release", f"cells of {grid.cell_m} m, {grid.dt_s} s"
        )
    release = BoxFile(found.path)
    owner = secret.owners(release.uids, names_of(traces.people))
    if np.unique(owner).size < owner.size:
        raise DataError("a person with several uids", expected="one uid for each person", hint="see shoal audit")
    # In the order of people, not of tokens: sums of fractions must not depend on what was drawn.
    order = np.argsort(owner)
    sequence_of = np.full(len(traces), -1, np.int64)
    sequence_of[owner[order]] = np.arange(owner.size)
    offsets, boxes = release.in_cells(order, grid)
    box_of = covering_box(traces, sequence_of, offsets, boxes)
    _without_listed(box_of, secret, traces)
    return ComparedBoxes(len(traces), owner.size, traces, boxes, offsets, box_of)


def _without_listed(box_of: Ints, secret: SecretDirectory, traces: Traces) -> None:
    """Take samples out of their boxes that the list of what was withheld names one by one.

    An older release may have no list.
    """
    if not secret.has(SUPPRESSED):
        return
    cell, step = traces.grid.cell_m, traces.grid.dt_s
    listed = (
        secret.table(SUPPRESSED, ("original_uid", "t", "x", "y"))
        .filter(pl.col("t").is_not_null())
        .join(names_of(traces.people).with_row_index("owner"), on="original_uid")
        .select(
            pl.col("owner").cast(pl.Int64),
            pl.col("t").dt.epoch("s") // step,
            *(pl.col(name).cast(pl.Int64) // cell for name in ("x", "y")),
        )
        .sort("owner")
    )
    owner, t, x, y = (listed[name].to_numpy() for name in ("owner", "t", "x", "y"))
    for low, high in cuts(traces.lengths):
        of = slice(*np.searchsorted(owner, (low, high)))
        if of.start == of.stop:
            continue
        rows = slice(int(traces.offsets[low]), int(traces.offsets[high]))
        mine = np.repeat(np.arange(low, high), traces.lengths[low:high])
        ours, theirs = keys((mine, traces.t[rows], traces.x[rows], traces.y[rows]), (owner[of], t[of], x[of], y[of]))
        box_of[rows][is_in(ours, theirs)] = -1


@measure(BOXES)
def samples(compared: ComparedBoxes) -> Figures:
    """Count raw samples that are not published, and boxes that hold none of their person: no honest release has any."""
    deleted = int((compared.box_of < 0).sum())
    holds = np.zeros(compared.boxes.t.size, np.bool_)
    for _, box, _ in compared.errors():
        holds[box] = True
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
    # One figure at a time: each is a column of millions of fractions.
    found = {name: _span(compared, name) for name in SPANS} | {name: _error(compared, name) for name in ERRORS}
    return {
        "per_sample": {name: per_sample for name, (per_sample, _) in found.items()},
        "per_box": {name: per_box for name, (_, per_box) in found.items()},
    }


def _span(compared: ComparedBoxes, name: str) -> tuple[Spread, Spread]:
    """How a span is spread over samples, and over boxes."""
    values = SPANS[name](compared.boxes, compared.traces.grid)
    own = (values[box] for _, box, _ in compared.errors())
    per_sample = spread_of(column_of(own, compared.traces.samples, np.float64))
    return per_sample, spread_of(values)


def _error(compared: ComparedBoxes, name: str) -> tuple[Spread, Spread]:
    """The same for an error; that of a box is the mean of its samples'."""
    own = (errors[name] for _, _, errors in compared.errors(name))
    values = column_of(own, compared.traces.samples, np.float64)
    per_box = spread_of(column_of(_means_of(compared, values), compared.boxes.t.size, np.float64))
    return spread_of(values), per_box


def _means_of(compared: ComparedBoxes, values: Floats) -> Iterator[Floats]:
    """Go through the means of the values of samples in each box, some people at a time."""
    start = 0
    for _, box, _ in compared.errors():
        yield _means(box, values[start : start + box.size])
        start += box.size


def _means(box: Ints, values: Floats) -> Floats:
    """The mean of the values in each box that has some, in the order of boxes."""
    low = int(box.min()) if box.size else 0
    inside = np.bincount(box - low)
    return np.asarray(np.bincount(box - low, weights=values)[inside > 0] / inside[inside > 0])


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
