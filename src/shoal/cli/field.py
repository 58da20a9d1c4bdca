"""The field's own measures as two short tables: how alike raw data and release are, and who pays for it."""

from collections.abc import Callable, Mapping
from typing import Any

from shoal.cli import talk
from shoal.pages.figures import unit_for

_ALIKE = {"visits_per_tile": "visits per tile", "flows": "moves between tiles", "time_of_day": "hours of the day"}
_MOVED = {
    "jump_length": ("length of a jump", "_m"),
    "radius_of_gyration": ("radius of gyration", "_m"),
    "place_entropy": ("entropy of places", "_bits"),
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
    'Near what is published, of all raw samples: 25.0% within 500 m, 30 min; 50.0% within 2 km, 2 h.'
    """
    shares = result.get(_WITHIN)
    if not shares:
        return None
    told = "; ".join(f"{share:.1%} within {need}" for need, share in shares.items())
    return f"Near what is published, of all raw samples: {told}."


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
        for name, (words, ending) in moved.items():
            figures = result[name]
            medians = [figures[f"{what}{ending}"]["median"] for what in ("raw", "published")]
            values = (*medians, figures[f"earth_mover{ending}"])
            divisor, unit = unit_for(ending, max((value for value in values if value is not None), default=0.0))
            table.add_row(words, unit or ending.removeprefix("_"), *(_or_none(value, divisor) for value in values))
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
