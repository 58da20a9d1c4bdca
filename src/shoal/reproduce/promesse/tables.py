"""Every figure of a run, one number to a row; and the curves of spatial errors."""

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from shoal.pages.lines import Chart, Series
from shoal.reproduce.findings import CURVE_POINTS, save_figure
from shoal.reproduce.promesse.findings import Pieces
from shoal.reproduce.promesse.piece import Figures

_CURVE = "spatial_error_curve_m"
_SHORTEST_M = 0.1
"""Left end of a logarithmic axis."""


def save_all(out: Path, table_1: Mapping[str, float], pieces: Pieces) -> None:
    """Write every number."""
    with (out / "figures.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["mechanism", "figure", "value"])
        rows.writerows(["", name, value] for name, value in table_1.items())
        for job, figures in pieces.items():
            rows.writerows([job.name, *row] for row in _flat(figures or {}))


def _flat(figures: Figures, prefix: str = "") -> Iterator[tuple[str, float]]:
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        elif name != _CURVE:
            yield prefix + name, value


def save_curves(out: Path, pieces: Pieces) -> None:
    """Draw how spatial errors are spread."""
    shares = np.linspace(0, 1, CURVE_POINTS).tolist()
    series = [
        Series(" ".join(filter(None, (job.words, job.way))), [max(v, _SHORTEST_M) for v in figures[_CURVE]], shares)
        for job, figures in pieces.items()
        if figures
    ]
    if series:
        chart = Chart("spatial errors", "metres", "share of points", tuple(series), (0.1, 10_000.0), (0, 1), log_x=True)
        save_figure(out, "spatial-error", chart)
