"""How accurate a release of boxes is: the metrics of GLOVE's Table 2 and Figs. 7–11.

Per raw sample first: a few giant boxes that swallow most samples look harmless when boxes are counted.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data import Traces, read
from shoal.data.options import ReadOptions
from shoal.usefulness.figures import Cells, Floats, errors_of, spans_of, spread
from shoal.usefulness.opened import base_grid, covering_box, listed_samples, open_boxes, read_manifest


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Accuracy:
    """The result of ``shoal utility``.

    Attributes
    ----------
    people_suppressed
        People of the original of whom nothing is published: discarded fingerprints, in the paper's words.
    samples_deleted
        Raw samples in no box of their person, or listed as suppressed (a box made of others may cover such a sample).
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
            "per_sample": {name: spread(values) for name, values in self.per_sample.items()},
            "per_box": {name: spread(values) for name, values in self.per_box.items()},
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
    box_of[listed_samples(Path(secret), traces)] = -1
    kept = np.flatnonzero(box_of >= 0)
    b = box_of[kept]
    cells = Cells(boxes.t, boxes.dt, boxes.x, boxes.dx, boxes.y, boxes.dy)
    spans, errors = spans_of(cells, traces.grid), errors_of(traces, kept, cells, b)
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
