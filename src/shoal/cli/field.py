"""The field's own measures as two short tables: how alike raw data and release are, and who pays for it."""

from collections.abc import Callable, Mapping
from typing import Any

from shoal.cli import talk

_ALIKE = {"visits_per_tile": "visits per tile", "flows": "moves between tiles", "time_of_day": "hours of the day"}
_MOVED = {
    "jump_length": ("length of a jump", "_m", 1000, "km"),
    "radius_of_gyration": ("radius of gyration", "_m", 1000, "km"),
    "place_entropy": ("entropy of places", "_bits", 1, "bits"),
}
_WITHIN = "within"
_THIRDS = "thirds"

FIELD = frozenset({*_ALIKE, *_MOVED, _WITHIN, _THIRDS})
"""Figures that are told here, and not one table each."""

_PAYS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("people", "people", lambda value: f"{value:,}"),
    ("samples_per_person", "samples of a person, median", talk.number),
    ("people_suppressed_share", "people left out", lambda value: f"{value:.1%}"),
    ("samples_deleted_share", "samples left out", lambda value: f"{value:.1%}"),
    ("span_max_m", "larger side of the box, median (km)", lambda value: talk.number(value / 1000)),
    ("span_s", "duration of the box, median (min)", lambda value: talk.number(value / 60)),
    ("personal_span_max_m", "mean of a person's larger sides, median (km)", lambda value: talk.number(value / 1000)),
    ("personal_span_s", "mean of a person's durations, median (min)", lambda value: talk.number(value / 60)),
    ("position_error_m", "off in place, median (km)", lambda value: talk.number(value / 1000)),
    ("time_error_s", "off in time, median (min)", lambda value: talk.number(value / 60)),
    ("within_share", "within 500 m and 30 min", lambda value: f"{value:.1%}"),
)


def near_enough(result: Mapping[str, Any]) -> str | None:
    """Say which share of the raw samples is near what is published.

    >>> near_enough({"within": {"500 m, 30 min": 0.25, "2 km, 2 h": 0.5}})
    'Of all raw samples lie near what is published: within 500 m, 30 min 25.0%; 2 km, 2 h 50.0%.'
    """
    shares = result.get(_WITHIN)
    if not shares:
        return None
    told = "; ".join(f"{need} {share:.1%}" for need, share in shares.items())
    return f"Of all raw samples lie near what is published: within {told}."


def show_field(result: Mapping[str, Any]) -> None:
    """Print what there is of them."""
    alike = {name: words for name, words in _ALIKE.items() if name in result}
    if alike:
        table = talk.table(
            "How alike (equal: 0, 0, 1, 100 %)", "", "Jensen–Shannon", "SMAPE", "Kendall τ", "top 10", "definite"
        )
        for name, words in alike.items():
            table.add_row(words, *_row(result[name]))
        talk.out.print(table, "")
    moved = {name: words for name, words in _MOVED.items() if name in result}
    if moved:
        table = talk.table("How far (medians)", "", "unit", "raw", "release", "earth mover", numbers_from=2)
        for name, (words, ending, divisor, unit) in moved.items():
            figures = result[name]
            medians = [figures[f"{what}{ending}"]["median"] for what in ("raw", "published")]
            values = (*medians, figures[f"earth_mover{ending}"])
            table.add_row(words, unit, *(_or_none(value, divisor) for value in values))
        talk.out.print(table, "")
    if result.get(_THIRDS):
        thirds = result[_THIRDS]
        table = talk.table("Who pays, by number of raw samples", "", *thirds)
        for name, words, spelled in _PAYS:
            if all(name in third for third in thirds.values()):
                table.add_row(words, *(spelled(third[name]) for third in thirds.values()))
        talk.out.print(table, "")


def _row(figures: Mapping[str, Any]) -> list[str]:
    known = ("jensen_shannon", "smape", "kendall_tau")
    numbers = [f"{figures[name]:.3f}" if name in figures else "" for name in known]
    return [*numbers, *(f"{figures[name]:.0%}" if name in figures else "" for name in ("top_10", "definite_share"))]


def _or_none(value: float | None, divisor: float) -> str:
    return "–" if value is None else talk.number(value / divisor)
