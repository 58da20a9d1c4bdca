"""Every number of every run, a row for each way of counting."""

import csv
from pathlib import Path

from shoal.reproduce.kte.figures import AXES, STATISTICS
from shoal.reproduce.kte.piece import Pieces
from shoal.reproduce.kte.plan import K

COLUMNS = (
    "data",
    "people",
    "samples",
    "days",
    "k",
    "tau_min",
    "variant",
    "people_discarded",
    "samples_deleted_percent",
    "counted",
    *(f"{statistic}_{unit}" for unit in ("km", "min") for statistic in STATISTICS),
    "in_one_cell_percent",
)


def save_table(out: Path, pieces: Pieces) -> None:
    """Write the numbers behind Figs. 5 and 6, and what is suppressed."""
    with (out / "granularity.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for name, by_job in pieces.items():
            for job, piece in by_job.items():
                deleted = f"{100 * piece.figures['samples_deleted_share']:.2f}"
                run = [name, piece.people, piece.samples, job.days, K, job.tau, job.variant]
                for part in ("per_sample", "per_box"):
                    spans = [
                        f"{piece.figures[part][axis.figure][statistic] / axis.unit:.2f}"
                        for axis in AXES
                        for statistic in STATISTICS
                    ]
                    alone = f"{100 * piece.figures[part]['one_cell_share']:.2f}"
                    rows.writerow([*run, piece.figures["people_discarded"], deleted, part, *spans, alone])
