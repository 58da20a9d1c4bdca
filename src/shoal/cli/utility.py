"""``shoal utility``: what a release is still good for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.field import FIELD, near_enough, show_field
from shoal.cli.flags import Json, Quiet, ReadFlags, expand
from shoal.files.paths import secret_beside
from shoal.usefulness.words import useful_for

_WORDS = {
    "samples_deleted_share": "samples deleted",
    "samples_created_share": "samples created, as a share",
    "compression": "published samples for each raw one",
    "mean_absolute_difference": "mean difference of a value",
    "information_loss": "information loss, per profile",
    "per_sample": "How accurate, per raw sample",
    "per_box": "How accurate, per published box",
    "span_max_m": "larger side of the box",
    "span_sum_m": "both sides together",
    "span_s": "duration of the box",
    "position_error_m": "place, from the middle of the box",
    "time_error_s": "time, from the middle of the box",
    "similarity": "similarity to the true profile",
    "mean_absolute_difference_per_cell": "Difference, per cell",
    "spatial_error_m": "distance from the person's way",
    "spatial_error_standard_error_m": "distance from the person's way, standard error (m)",
    "poi_per_trace": "Stops, per trace",
    "poi_per_person": "Stops joined, per person",
    "counted": "those who stop somewhere",
    "raw_pois": "in the raw data",
    "published_pois": "in the release",
    "matched_pois": "of the raw ones found again",
    "f_score": "F-score",
    "f_score_standard_error": "F-score, standard error",
    "range_queries": "Range queries",
    "raw_uids": "uids, in the raw data",
    "published_uids": "uids, in the release",
    "distortion_standard_error": "distortion, standard error",
    **{
        name.format(what): words.format(what)
        for what in ("definite", "possible", "expected")
        for name, words in (
            ("{}_people", "people, {}"),
            ("distortion_{}", "distortion of the {} count"),
            ("distortion_{}_standard_error", "distortion of the {} count, standard error"),
        )
    },
    "raw_people": "people, in the raw data",
}
"""For figures whose names are no words yet."""

_SHARES = ("precision", "recall", "f_score", "f_score_standard_error")
"""Figures that are told in per cent, as distortions are."""

_UNITS = {"_m": ((1000, "km"),), "_s": ((60, "min"), (86_400, "days"))}
"""Divisors and names, the larger unit for what has thousands of the smaller."""

_THOUSANDS = 2_000
_SPREAD = {"q25": "25 %", "median": "median", "q75": "75 %", "mean": "mean"}


@expand(reading=ReadFlags)
def utility(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Directory of the release.")],
    *,
    original: Annotated[Path, typer.Option(help="The data that the release was made from.")],
    secret: Annotated[Path | None, typer.Option(help="Its secret directory (default: RELEASE.secret).")] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell how much was withheld, and how far the rest lies from the truth; kept beside the secret for shoal report.

    Example: shoal utility release --original events.parquet --secret release.secret
    """
    from shoal.usefulness import utility as compare

    talk.say("reading", quiet=quiet or json)
    found = compare(release, original=original, secret=secret, options=reading.options())
    try:
        found.keep(secret or secret_beside(release))
    finally:  # what was measured is not lost because it cannot be written down
        if json:
            talk.print_json(found.to_dict())
        else:
            show(found.to_dict())


def show(result: Mapping[str, Any]) -> None:
    """Print what is left, and how accurate it is: in words, as numbers, and a table for each group of figures."""
    for words in (useful_for(result), near_enough(result)):
        if words:
            talk.out.print(words, "", markup=False)
    counts = talk.table("What is left", "", "")
    for name, value in result.items():
        if not isinstance(value, Mapping):
            counts.add_row(_words(name), _number(name, value))
    talk.out.print(counts, "")
    spreads = {name: value for name, value in result.items() if _is_spread(value)}
    if spreads:
        _show_spreads("How it is spread", spreads)
    for name, value in result.items():
        if not isinstance(value, Mapping) or _is_spread(value) or name in FIELD:
            continue
        if all(map(_is_spread, value.values())):
            _show_spreads(_words(name), value)
            continue
        table = talk.table(_words(name), "", "")
        for one, figure in value.items():
            table.add_row(_WORDS.get(one, one), _number(one, figure))
        talk.out.print(table, "")
    show_field(result)


def _show_spreads(title: str, figures: Mapping[str, Mapping[str, float]]) -> None:
    table = talk.table(title, "", "unit", *_SPREAD.values(), numbers_from=2)
    for name, values in figures.items():
        divisor, unit = _unit(name, values)
        table.add_row(_words(name), unit, *(talk.number(values[key] / divisor) for key in _SPREAD))
    talk.out.print(table, "")


def _unit(name: str, values: Mapping[str, float]) -> tuple[float, str]:
    units = next((known for ending, known in _UNITS.items() if name.endswith(ending)), ((1, ""),))
    divisor, unit = units[0]
    return units[-1] if max(values.values()) / divisor >= _THOUSANDS else (divisor, unit)


def _is_spread(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == _SPREAD.keys()


def _words(name: str) -> str:
    return _WORDS.get(name) or name.replace("_", " ")


def _number(name: str, value: float) -> str:
    if name.endswith("_share"):
        return f"{value:.1%}"
    if name in _SHARES or name.startswith("distortion"):
        return f"{value:.2%}"
    return f"{value:,}" if isinstance(value, int) else talk.number(value)
