"""The curves of kte's Figs. 5–7, as pictures and as numbers."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.pages.lines import Chart, Series
from shoal.reproduce.findings import save_figure
from shoal.reproduce.kte.granularity import WEEK_HOURS
from shoal.reproduce.kte.piece import Piece, Pieces
from shoal.reproduce.kte.plan import VARIANTS, Job, Variant

NAMES: dict[Variant, str] = {"repaired": "repaired", "paper": "as printed"}
STATISTICS = {"mean": "mean", "q25": "first quartile", "median": "median", "q75": "third quartile"}


class _Axis(NamedTuple):
    name: str
    figure: str
    unit: float
    words: str


AXES = (
    _Axis("space", "span_sum_m", 1000, "sum of the sides, km"),
    _Axis("time", "span_s", 60, "duration, minutes"),
)


def save_figures(out: Path, needed: dict[str, dict[str, list[Job]]], pieces: Pieces) -> None:
    """Draw what each data set needs, two for each figure: space and time."""
    for name, by_figure in needed.items():
        for figure, jobs in by_figure.items():
            draw = _week if figure == "fig7" else _against_tau
            for axis in AXES:
                found = {job: pieces[name][job] for job in jobs}
                save_figure(out / name, f"{figure}-{axis.name}", draw(figure, name, found, axis))


def _against_tau(figure: str, name: str, found: dict[Job, Piece], axis: _Axis) -> Chart:
    """Per box, as the paper counts; per raw sample the median."""

    def line(variant: Variant, part: str, statistic: str, words: str, colour: int) -> Series:
        values = {
            job.tau: piece.figures[part][axis.figure][statistic] / axis.unit
            for job, piece in found.items()
            if job.variant == variant
        }
        name = f"{NAMES[variant]}, {words}" if variant == "paper" else words
        return Series(name, list(values), list(values.values()), dots=True, colour=colour, dashed=variant == "paper")

    variants = list(dict.fromkeys(job.variant for job in found))
    series = [
        line(variants[0], "per_box", statistic, words, colour)
        for colour, (statistic, words) in enumerate(STATISTICS.items())
    ]
    series.append(line(variants[0], "per_sample", "median", "median, samples", 4))
    for other in variants[1:]:
        series += [line(other, "per_box", "mean", "mean", 0), line(other, "per_box", "median", "median", 2)]
    title = f"{_title(figure)}, {name}, k = 2: granularity in {axis.name}, by tau"
    return Chart(title, "tau = epsilon, minutes", axis.words, tuple(series), (9.0, 270.0), log_x=True)


def _week(figure: str, name: str, found: dict[Job, Piece], axis: _Axis) -> Chart:
    series = [
        _hours(f"{NAMES[job.variant]}{words}", piece, part, axis, VARIANTS.index(job.variant), dashed=bool(words))
        for part, words in (("per_box", ""), ("per_sample", ", samples"))
        for job, piece in found.items()
    ]
    tau = next(iter(found)).tau
    title = f"{_title(figure)}, {name}, k = 2, tau = {tau} min: mean over one week"
    return Chart(title, "hours since the first midnight", axis.words, tuple(series), (0.0, float(WEEK_HOURS)))


def _hours(name: str, piece: Piece, part: str, axis: _Axis, colour: int, *, dashed: bool) -> Series:
    by_hour = piece.figures[part]["by_hour"]
    hours: Sequence[int] = [hour for hour, count in enumerate(by_hour["count"]) if count]
    means = [by_hour[axis.figure][hour] / by_hour["count"][hour] / axis.unit for hour in hours]
    return Series(name, [hour + 0.5 for hour in hours], means, colour=colour, dashed=dashed)


def _title(figure: str) -> str:
    return figure.replace("fig", "Fig. ")
