"""The page of a release for its publisher, and the one that goes with it."""

from collections.abc import Mapping
from typing import Any

from shoal.contract.page import floor_of
from shoal.pages.document import Document, Table
from shoal.pages.release import Private, release_page
from shoal.report.facts import facts_of, publishable
from shoal.report.results import Results

_COMMANDS = (
    "shoal audit RELEASE --original DATA",
    "shoal utility RELEASE --original DATA",
    "shoal report RELEASE",
)
_SPREAD = {"q25": "25 %", "median": "median", "q75": "75 %", "mean": "mean"}
_SPREADS = {"per_sample": "Per raw sample", "per_box": "Per published box"}
_WORDS = {
    "span_max_m": "larger side of the box",
    "span_sum_m": "both sides together",
    "span_s": "duration of the box",
    "position_error_m": "place, from the middle of the box",
    "time_error_s": "time, from the middle of the box",
}
_UNITS = {"_m": (1000, "km"), "_s": (60, "min")}


def private_page(results: Results, useful: str | None = None) -> Document:
    """Make the page for the publisher's eyes: exact counts, and what each check found."""
    utility = results.utility or {"figures": {}, "pictures": {}}
    checks = (results.audit or {"checks": []})["checks"]
    private = Private(
        reasons={check["id"]: check["reason"].replace("`", "") for check in checks},
        useful=useful,
        hours=utility["pictures"].get("hours"),
        day=utility["pictures"].get("day", {}),
        cells=utility["figures"].get("mean_absolute_difference_per_cell"),
        census=results.census,
        tables=tuple(_tables(utility["figures"])),
        commands=_COMMANDS,
    )
    return release_page(results.manifest, facts_of(results), 0, private)


def public_page(results: Results) -> Document:
    """Make the page for strangers."""
    claim = results.manifest["promise"]["claim"]
    return release_page(results.manifest, publishable(results), floor_of(claim))


def _tables(figures: Mapping[str, Any]) -> list[Table]:
    tables = [_spreads(words, figures[name]) for name, words in _SPREADS.items() if name in figures]
    for name, title in (("poi_per_person", "Stops found again, per person"), ("range_queries", "Range queries")):
        if name in figures:
            rows = tuple((key.replace("_", " "), f"{value:,.4g}") for key, value in figures[name].items())
            tables.append(Table(title, ("", ""), rows, folded=True))
    return tables


def _spreads(title: str, figures: Mapping[str, Mapping[str, float]]) -> Table:
    rows = []
    for name, values in figures.items():
        divisor, unit = next((found for ending, found in _UNITS.items() if name.endswith(ending)), (1, ""))
        rows.append((_WORDS.get(name, name), unit, *(f"{values[key] / divisor:,.3g}" for key in _SPREAD)))
    return Table(
        f"How accurate: {title[0].lower()}{title[1:]}",
        ("", "unit", *_SPREAD.values()),
        tuple(rows),
        numbers_from=2,
        folded=True,
    )
