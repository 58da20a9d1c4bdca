"""The curves of GLOVE's Figs. 7–11, as pictures and as numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shoal.pages.lines import Chart, Series
from shoal.reproduce.findings import CURVE_POINTS, save_figure
from shoal.reproduce.glove.accuracy import Figures
from shoal.reproduce.glove.piece import Piece, Pieces
from shoal.reproduce.glove.plan import IN_SPACE, IN_TIME, PERCENTS, SHARES, SIZES, Job, shown
from shoal.reproduce.glove.ways import Suppression, Way

SHARE = "share of raw samples (dashed: of boxes)"
NAMES: dict[Way, str] = {"paper": "paper", "split": "split", "hull": "hull", "kmerge": "k-merge"}
COLOUR: dict[Way, int] = {"paper": 0, "split": 3, "hull": 1, "kmerge": 2}


class _Axis(NamedTuple):
    name: str
    figure: str
    unit: float
    words: str
    ends: tuple[float, float]
    ladder: tuple[Suppression, ...]


_AXES = (
    _Axis("space", "span_max_m", 1000, "span in space, km", (0.1, 1000.0), IN_SPACE),
    _Axis("time", "span_s", 60, "span in time, minutes", (1.0, 20_160.0), IN_TIME),
)


def save_figures(out: Path, figures: Sequence[str], pieces: Pieces) -> None:
    """Draw the figures that are asked for, two for each data set: space and time."""
    draw = {"fig7": _fig7, "fig8": _fig8, "fig9": _fig9, "fig10": _fig10, "fig11": _fig11}
    for figure in figures:
        for name, by_job in pieces.items():
            for axis in _AXES:
                if figure in draw and shown(figure, name):
                    save_figure(out / name, f"{figure}-{axis.name}", draw[figure](name, by_job, axis))


def _curve(name: str, figures: Figures, part: str, axis: _Axis, colour: int, *, dashed: bool) -> Series:
    values = np.array(figures[part]["curves"][axis.figure]) / axis.unit
    shares = np.linspace(0, 1, CURVE_POINTS).tolist()[: values.size]
    return Series(name, values.tolist(), shares, colour=colour, dashed=dashed)


def _cdfs(title: str, axis: _Axis, series: list[Series], y_label: str) -> Chart:
    return Chart(title, axis.words, y_label, tuple(series), axis.ends, (0.0, 1.0), log_x=True)


def _fig7(name: str, by_job: dict[Job, Piece], axis: _Axis) -> Chart:
    piece = by_job[Job(2)]
    series = [
        _curve(NAMES[way] + words, piece.of(way), part, axis, COLOUR[way], dashed=part == "per_box")
        for part, words in (("per_sample", ""), ("per_box", ", per box"))
        for way in NAMES
    ]
    return _cdfs(f"Fig. 7, {name}, k = 2: how far samples are stretched", axis, series, SHARE)


def _fig8(name: str, by_job: dict[Job, Piece], axis: _Axis) -> Chart:
    ways: tuple[Way, ...] = ("kmerge", "paper")
    series = [
        _curve(f"k = {k}, {NAMES[way]}", by_job[Job(k)].of(way), "per_sample", axis, i, dashed=way == "paper")
        for way in ways
        for i, k in enumerate(SIZES)
        if Job(k) in by_job
    ]
    return _cdfs(f"Fig. 8, {name}: more people to a group", axis, series, "share of raw samples")


def _fig9(name: str, by_job: dict[Job, Piece], axis: _Axis) -> Chart:
    piece = by_job[Job(2)]

    def line(words: str, way: Way, part: str, steps: Sequence[Suppression], *, dashed: bool = False) -> Series:
        found = [piece.of(way), *(piece.of(way, step) for step in steps)]
        shares = [100 * figures["samples_deleted_share"] for figures in found]
        spans = [figures[part][axis.figure]["mean"] / axis.unit for figures in found]
        return Series(words, shares, spans, dots=True, colour=COLOUR[way], dashed=dashed)

    series = (
        line("paper", "paper", "per_sample", axis.ladder),
        line("hull", "hull", "per_sample", axis.ladder),
        line("k-merge", "kmerge", "per_sample", SHARES),
        line("paper, per box", "paper", "per_box", axis.ladder, dashed=True),
        line("k-merge, per box", "kmerge", "per_box", SHARES, dashed=True),
    )
    title = f"Fig. 9, {name}, k = 2: what suppression buys"
    return Chart(title, "samples suppressed, %", f"mean {axis.words}", series, (0, 25), log_y=True)


def _fig10(name: str, by_job: dict[Job, Piece], axis: _Axis) -> Chart:
    found = {job.days or 0: piece for job, piece in by_job.items() if job.k == 2 and job.percent >= 100}
    whole = found.pop(0)
    days = {**dict(sorted(found.items())), whole.made_from["days"]: whole}
    return Chart(
        f"Fig. 10, {name}, k = 2: longer data sets", "days", axis.words, _mean_and_median(days, axis), log_y=True
    )


def _fig11(name: str, by_job: dict[Job, Piece], axis: _Axis) -> Chart:
    parts = {percent: by_job[Job(2, percent=percent)] for percent in PERCENTS}
    title = f"Fig. 11, {name}, k = 2: more people"
    return Chart(title, "people, % of all", axis.words, _mean_and_median(parts, axis), (0, 100), log_y=True)


def _mean_and_median(parts: dict[int, Piece] | dict[float, Piece], axis: _Axis) -> tuple[Series, ...]:
    ways: tuple[Way, ...] = ("paper", "kmerge")
    return tuple(
        Series(
            f"{NAMES[way]}, {statistic}",
            list(parts),
            [piece.of(way)["per_sample"][axis.figure][statistic] / axis.unit for piece in parts.values()],
            dots=True,
            colour=COLOUR[way],
            dashed=statistic == "median",
        )
        for way in ways
        for statistic in ("mean", "median")
    )
