"""What a paper prints, beside what was measured; and how figures are kept."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.pages.lines import Chart, Series

CURVE_POINTS = 201


@dataclass(frozen=True, slots=True)
class Finding:
    """One printed statement: what the paper says, and what came out, by data set or by way; a remark if needed."""

    where: str
    what: str
    printed: str
    measured: dict[str, str]
    note: str = ""


def cdf(name: str, values: NDArray[np.float64]) -> Series:
    """Return the distribution function at evenly spaced shares; infinite values stay beyond the right end."""
    shares = np.linspace(0, 1, CURVE_POINTS)
    return Series(name, [float(v) for v in np.quantile(values, shares, method="inverted_cdf")], shares.tolist())


def save_figure(folder: Path, name: str, chart: Chart) -> None:
    """Write a figure as a picture and as the numbers behind it."""
    with (folder / f"{name}.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["series", chart.x_label, chart.y_label])
        for series in chart.series:
            rows.writerows((series.name, x, y) for x, y in zip(series.x, series.y, strict=True))
    (folder / f"{name}.svg").write_text(chart.to_svg(), encoding="utf-8")


def save_findings(folder: Path, title: str, notes: Iterable[str], findings: Sequence[Finding]) -> None:
    """Write the table paper | measured, as CSV and as a page."""
    sets = list(dict.fromkeys(name for finding in findings for name in finding.measured))
    remarks = ["note"] if any(f.note for f in findings) else []
    header = ["where", "what", "printed", *sets, *remarks]
    rows = [
        [f.where, f.what, f.printed, *(f.measured.get(name, "") for name in sets), *([f.note] if remarks else [])]
        for f in findings
    ]
    with (folder / "findings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    lines = [f"# {title}", "", *notes, "", _row(header), _row(["---"] * len(header)), *map(_row, rows), ""]
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
