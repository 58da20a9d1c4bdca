"""A finished piece of work: the figures of one run of the mechanism, kept on disk as JSON.

A piece holds aggregates only. It says what it was made from; where that is not what is asked for, it is made again.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data import Boxes, Traces
from shoal.engines.local import Local
from shoal.files.durable import whole_file
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte import Kte
from shoal.progress import Progress
from shoal.reproduce.kte.granularity import Figures, figures_of
from shoal.reproduce.kte.plan import Job, K, Variant


@dataclass(frozen=True)
class Piece:
    """The figures of one run."""

    made_from: dict[str, Any]
    people: int
    samples: int
    figures: Figures


Pieces = dict[str, dict[Job, Piece]]
"""By data set and run."""


def kept_piece(path: Path, made_from: dict[str, Any]) -> Piece | None:
    """Return the piece that is there, if it was made from the same."""
    try:
        piece = Piece(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return piece if piece.made_from == made_from else None


def make_piece(
    path: Path, made_from: dict[str, Any], job: Job, load: Callable[[], Traces], utc_offset_h: int, progress: Progress
) -> Piece:
    """Hide, publish, measure, and keep the figures; parameters as in `hidden` and `figures_of`."""
    traces = load()
    boxes = hidden(traces, job.tau, job.variant, progress)
    piece = Piece(made_from, len(traces), traces.samples, figures_of(traces, boxes, utc_offset_h))
    with whole_file(path, replace=True) as file:
        file.write((json.dumps(vars(piece), indent=1) + "\n").encode())
    return piece


def hidden(traces: Traces, minutes: int, variant: Variant, progress: Progress) -> Boxes:
    """The boxes of everybody with k = 2, tau = epsilon = so many minutes; in memory, never a release."""
    mechanism = Kte(k=K, tau=minutes * 60, epsilon=minutes * 60, variant=variant)
    boxes = mechanism._protect(traces, Run(Local(), progress)).payload
    assert isinstance(boxes, Boxes)
    return boxes
