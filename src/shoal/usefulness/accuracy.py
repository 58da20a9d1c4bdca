"""How accurate a release of boxes is: the metrics of GLOVE's Table 2 and Figs. 7–11.

Per raw sample first: a few giant boxes that swallow most samples look harmless when boxes are counted.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Traces, read
from shoal.data.read import ReadOptions
from shoal.usefulness.opened import base_grid, covering_box, open_boxes, read_manifest

Floats = NDArray[np.float64]

FIGURES = ("span_max_m", "span_sum_m", "span_s", "position_error_m", "time_error_s")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Accuracy:
    """The result of ``shoal utility``.

    Attributes
    ----------
    samples_created
        Published boxes in which their person never was; always 0 in an honest release.
    per_sample, per_box
        Of each raw sample that is published, and of each published box: the larger side and the sum of both sides of
        the box, its duration, and how far the sample lies from the middle of the box in place and in time
        (per box: the mean over its samples).
    """

    people_published: int
    people_suppressed: int
    samples: int
    samples_deleted: int
    samples_created: int
    per_sample: dict[str, Floats]
    per_box: dict[str, Floats]

    def __repr__(self) -> str:
        spans = self.per_sample
        return (
            f"Accuracy({self.people_published:,} people, mean span {spans['span_max_m'].mean() / 1000:.1f} km, "
            f"{spans['span_s'].mean() / 60:.0f} min per sample)"
            if self.samples > self.samples_deleted
            else "Accuracy(nothing published)"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "people_published": self.people_published,
            "people_suppressed": self.people_suppressed,
            "samples_deleted_share": self.samples_deleted / max(self.samples, 1),
            "samples_created": self.samples_created,
            "per_sample": {name: _spread(values) for name, values in self.per_sample.items()},
            "per_box": {name: _spread(values) for name, values in self.per_box.items()},
        }


def utility(release: str | Path, *, original: Any, secret: str | Path, options: ReadOptions | None = None) -> Accuracy:
    """Compare a release of boxes with the data that it was made from.

    Parameters
    ----------
    release, secret
        The two directories.
    original
        Traces on the release's base grid, or anything that :func:`shoal.read` takes.
    options
        How to read the original.
    """
    manifest = read_manifest(Path(release))
    grid = base_grid(manifest)
    traces = original if isinstance(original, Traces) else read(original, grid=grid, options=options)
    boxes = open_boxes(Path(release), Path(secret), traces, manifest)
    box_of = covering_box(boxes, traces)
    kept = np.flatnonzero(box_of >= 0)
    b = box_of[kept]
    cell, step = traces.grid.cell_m, traces.grid.dt_s
    spans: dict[str, Floats] = {
        "span_max_m": (np.maximum(boxes.dx, boxes.dy) * cell).astype(np.float64),
        "span_sum_m": ((boxes.dx + boxes.dy) * cell).astype(np.float64),
        "span_s": (boxes.dt * step).astype(np.float64),
    }
    errors: dict[str, Floats] = {
        "position_error_m": cell
        * np.hypot(
            *(
                _off(axis[kept], low[b], span[b])
                for axis, low, span in ((traces.x, boxes.x, boxes.dx), (traces.y, boxes.y, boxes.dy))
            )
        ),
        "time_error_s": step * np.abs(_off(traces.t[kept], boxes.t[b], boxes.dt[b])),
    }
    inside = np.bincount(b, minlength=boxes.t.size)
    published = int(np.unique(boxes.owner).size)
    return Accuracy(
        people_published=published,
        people_suppressed=len(traces) - published,
        samples=traces.samples,
        samples_deleted=traces.samples - kept.size,
        samples_created=int((inside == 0).sum()),
        per_sample={name: values[b] for name, values in spans.items()} | errors,
        per_box=spans
        | {
            name: np.bincount(b, weights=values, minlength=boxes.t.size)[inside > 0] / inside[inside > 0]
            for name, values in errors.items()
        },
    )


def _off(start: NDArray[np.integer], low: NDArray[np.integer], span: NDArray[np.integer]) -> Floats:
    """Return how far the middle of a cell lies from the middle of its box, in cells."""
    return np.asarray((start + 0.5) - (low + span / 2))


def _spread(values: Floats) -> dict[str, float]:
    if not values.size:
        return dict.fromkeys(("mean", "q25", "median", "q75"), 0.0)
    q25, median, q75 = np.percentile(values, (25, 50, 75))
    return {"mean": float(values.mean()), "q25": float(q25), "median": float(median), "q75": float(q75)}
