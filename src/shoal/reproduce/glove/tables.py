"""All figures of a run as tables: GLOVE's Table 2, and everything else, one number to a row."""

import csv
from collections.abc import Iterator
from pathlib import Path

from shoal.reproduce.glove.accuracy import Figures
from shoal.reproduce.glove.piece import Piece, Pieces
from shoal.reproduce.glove.plan import TABLE_2_KS, Job, table_2_conditions
from shoal.reproduce.glove.printed import TABLE_2

_COLUMNS = (
    "data",
    "k",
    "way",
    "suppressed",
    "people_discarded",
    "samples_created",
    "samples_deleted",
    "samples_deleted_percent",
    "mean_position_error_m",
    "mean_time_error_min",
    "mean_span_per_sample_m",
    "mean_span_per_sample_min",
    "mean_span_per_box_m",
    "mean_span_per_box_min",
)


def save_table_2(out: Path, pieces: Pieces) -> None:
    """Write GLOVE's columns of Table 2; the paper's own numbers first."""
    with (out / "table2.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(_COLUMNS)
        for name, by_job in pieces.items():
            for k in (k for k in TABLE_2_KS if Job(k) in by_job):
                if (name, k) in TABLE_2:
                    printed = TABLE_2[name, k]
                    blank = [
                        "",
                        printed.deleted_percent,
                        printed.position_error_m,
                        printed.time_error_min,
                        "",
                        "",
                        "",
                        "",
                    ]
                    rows.writerow([name, k, "printed", "15 km, 6 h", 0, 0, *blank])
                for way, suppression in table_2_conditions(name, k):
                    figures = by_job[Job(k)].of(way, suppression)
                    rows.writerow([name, k, way, suppression, *_row(figures)])


def _row(figures: Figures) -> list[str | int]:
    means = [figures[part][name]["mean"] for part in ("per_sample", "per_box") for name in ("span_max_m", "span_s")]
    return [
        figures["people_discarded"],
        figures["samples_created"],
        figures["samples_deleted"],
        f"{100 * figures['samples_deleted_share']:.2f}",
        f"{figures['errors']['position_error_m']['mean']:.0f}",
        f"{figures['errors']['time_error_s']['mean'] / 60:.1f}",
        *(f"{value:.0f}" if i % 2 == 0 else f"{value / 60:.1f}" for i, value in enumerate(means)),
    ]


def save_all_figures(out: Path, pieces: Pieces) -> None:
    """Write every number of every grouping and publication."""
    with (out / "figures.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["data", "part", "people", "way", "suppressed", "counted", "figure", "value"])
        for name, by_job in pieces.items():
            for job, piece in by_job.items():
                rows.writerows([name, job.name, piece.people, *row] for row in _flat(piece))


def _flat(piece: Piece) -> Iterator[tuple[str, str, str, str, float]]:
    for way, by_suppression in piece.figures.items():
        for suppression, figures in by_suppression.items():
            for name, value in figures.items():
                if not isinstance(value, dict):
                    yield way, suppression, "", name, value
            for part in ("per_sample", "per_box", "errors"):
                for figure, numbers in figures[part].items():
                    if figure != "curves":
                        counted = "per_sample" if part == "errors" else part
                        yield from ((way, suppression, counted, f"{figure}.{n}", v) for n, v in numbers.items())
