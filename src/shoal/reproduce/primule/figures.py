"""The curves and tables behind Figs. 4 to 9."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from shoal.pages.lines import Chart, Series
from shoal.reproduce.findings import CURVE_POINTS, save_figure
from shoal.reproduce.primule.piece import Figures
from shoal.reproduce.primule.plan import FIGURE_4, FIGURE_8, Job
from shoal.reproduce.primule.raw import Raw
from shoal.usefulness.sociometer.agreement import counts
from shoal.usefulness.sociometer.archetypes import LABELS

FOUR = 4
_PARTS = {"a": ("primule", "PRIMULE"), "b": ("laplace", "Laplace noise")}
_FIGURE_9 = ("k = 10", "k = 100", "ε = 1", "ε = 10")


def save_figures(out: Path, raw: Raw, pieces: Mapping[Job, Figures], shown: int) -> None:
    """Draw Figs. 4, 5 and 9, and write the tables of Figs. 6 to 9."""
    for part, (mechanism, words) in _PARTS.items():
        mine = {job.words: figures for job, figures in pieces.items() if job.mechanism == mechanism}
        save_figure(out, f"fig4{part}", _profile(raw, mine, shown, words))
        save_figure(out, f"fig5{part}", _similarities(mine, words))
    by_words = {job.words: figures for job, figures in pieces.items()}
    _save(out / "fig6-7.csv", ("mechanism", "actual", *LABELS), _matrices(raw, by_words))
    _save(out / "fig8.csv", ("mechanism", "municipality", *LABELS), _scores(raw, by_words))
    _save(out / "fig9.csv", ("municipality", "profiles", *LABELS), _quantities(raw, by_words))
    for number, place in enumerate(_four(raw)):
        save_figure(out, f"fig9-{number + 1}", _quantity_chart(raw, by_words, place))


def _profile(raw: Raw, mine: Mapping[str, Figures], shown: int, words: str) -> Chart:
    """Fig. 4: one synthetic person's profile, cell by cell."""
    cells = list(range(1, raw.profiles.values.shape[1] + 1))
    series = [Series("original", cells, raw.profiles.values[shown].tolist(), dots=True, colour=6)]
    series += [
        Series(name, cells, figures["shown"][0], dots=True)
        for name, figures in mine.items()
        if name in FIGURE_4 and figures["shown"]
    ]
    title = f"Fig. 4, one profile under {words}"
    return Chart(title, "cell, week by week", "share of days", tuple(series), y_range=(0, 1))


def _similarities(mine: Mapping[str, Figures], words: str) -> Chart:
    shares = np.linspace(0, 1, CURVE_POINTS).tolist()
    series = [Series(name, figures["similarity"], shares) for name, figures in mine.items()]
    title = f"Fig. 5, similarity to the original under {words}"
    return Chart(title, "similarity, 1 / (1 + distance)", "share of profiles", tuple(series), (0, 1), (0, 1))


def _matrices(raw: Raw, by_words: Mapping[str, Figures]) -> Iterable[tuple[object, ...]]:
    for words, figures in by_words.items():
        for label, row in figures["against_original"]["matrix"].items():
            yield words, label, *row.values()
    for start, labels in enumerate(raw.labels[1:], 1):
        matrix = counts(raw.labels[0].astype(np.int64), labels, len(LABELS))
        yield from ((f"reseeded, start {start}", LABELS[i], *row) for i, row in enumerate(matrix.tolist()))


def _scores(raw: Raw, by_words: Mapping[str, Figures]) -> Iterable[tuple[object, ...]]:
    for words in FIGURE_8:
        for name, row in zip(raw.names, by_words[words]["f_score_by_place"], strict=True):
            yield words, name, *("" if value is None else value for value in row)


def _quantities(raw: Raw, by_words: Mapping[str, Figures]) -> Iterable[tuple[object, ...]]:
    original = counts(raw.place, raw.labels[0], len(raw.names)).tolist()
    for place in _four(raw):
        yield raw.names[place], "original", *original[place]
        yield from ((raw.names[place], words, *by_words[words]["counts"][place]) for words in _FIGURE_9)


def _quantity_chart(raw: Raw, by_words: Mapping[str, Figures], place: int) -> Chart:
    classes = list(range(1, len(LABELS) + 1))
    original = counts(raw.place, raw.labels[0], len(raw.names))[place].tolist()
    series = [Series("original", classes, original, marks=True, colour=6)]
    series += [Series(words, classes, by_words[words]["counts"][place], marks=True) for words in _FIGURE_9]
    x_label = "1 resident, 2 dynamic, 3 commuter, 4 visitor, 5 passing by"
    return Chart(f"Fig. 9, {raw.names[place]}", x_label, "profiles", tuple(series), (0.5, 5.5))


def _four(raw: Raw) -> list[int]:
    """Two large and two small municipalities, by their profiles."""
    order = np.argsort(-np.bincount(raw.place, minlength=len(raw.names)), kind="stable").tolist()
    half = FOUR // 2
    return order if len(order) <= FOUR else [*order[:half], *order[-half:]]


def _save(path: Path, header: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
