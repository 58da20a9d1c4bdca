"""A finished piece of work: the figures of one grouping, published in several ways, kept on disk as JSON.

A piece holds aggregates only. It says what it was made from; where that is not what is asked for, it is made again.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.data import Traces
from shoal.files.durable import whole_file
from shoal.mechanisms.glove.grouping import group_people
from shoal.progress import Progress
from shoal.reproduce.glove.accuracy import Figures, figures_of
from shoal.reproduce.glove.boxes import Groups
from shoal.reproduce.glove.plan import Job
from shoal.reproduce.glove.ways import NOTHING, Suppression, Way
from shoal.workers import workers

Asked = Sequence[tuple[Way, Suppression]]


@dataclass(frozen=True)
class Piece:
    """The figures of one grouping."""

    made_from: dict[str, Any]
    people: int
    samples: int
    groups: int
    figures: dict[str, dict[str, Figures]]

    def of(self, way: Way, suppression: Suppression = NOTHING) -> Figures:
        return self.figures[way][str(suppression)]

    def has(self, asked: Asked) -> bool:
        return all(str(suppression) in self.figures.get(way, {}) for way, suppression in asked)


Pieces = dict[str, dict[Job, Piece]]
"""By data set and grouping."""


def kept_piece(path: Path, made_from: dict[str, Any], asked: Asked) -> Piece | None:
    """Return the piece that is there, if it was made from the same and holds what is asked."""
    try:
        piece = Piece(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return piece if piece.made_from == made_from and piece.has(asked) else None


def make_piece(
    path: Path, made_from: dict[str, Any], asked: Asked, k: int, load: Callable[[], Traces], progress: Progress
) -> Piece:
    """Group, publish in every way, measure, and keep the figures."""
    traces = load()
    with workers() as crew:
        groups = Groups(traces, group_people(traces, k, 1.0, progress, workers=crew))
    figures: dict[str, dict[str, Figures]] = {}
    for done, (way, suppression) in enumerate(asked):
        progress("publishing", done, len(asked))
        published = groups.published(way, suppression)
        found = figures_of(traces, published, curves=suppression == NOTHING)
        figures.setdefault(way, {})[str(suppression)] = found
    progress("publishing", len(asked), len(asked))
    piece = Piece(made_from, len(traces), traces.samples, groups.sizes.size, figures)
    with whole_file(path, replace=True) as file:
        file.write((json.dumps(vars(piece), indent=1) + "\n").encode())
    return piece
