"""The page of a release for its publisher, and the one that goes with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.contract.page import floor_of
from shoal.pages.document import Document, Table
from shoal.pages.figures import SPREAD, spelled, unit_for, words_for
from shoal.pages.release import Private, release_page
from shoal.pages.risks import rows_of
from shoal.pages.words import CHECKS
from shoal.report.facts import facts_of, publishable
from shoal.report.results import Results

_COMMANDS = (
    "shoal audit RELEASE --original DATA",
    "shoal utility RELEASE --original DATA",
    "shoal report RELEASE",
)


def private_page(results: Results, useful: str | None = None) -> Document:
    """Make the page for the publisher's eyes: exact counts, and what each check found."""
    utility = results.utility or {"figures": {}, "pictures": {}}
    checks = (results.audit or {"checks": []})["checks"]
    private = Private(
        reasons={check["id"]: check["reason"].replace("`", "") for check in checks},
        strongest=_strongest(checks),
        useful=useful,
        hours=utility["pictures"].get("hours"),
        day=utility["pictures"].get("day", {}),
        cells=utility["figures"].get("mean_absolute_difference_per_cell"),
        census=results.census,
        tables=tuple(_tables(utility["figures"])),
        commands=_COMMANDS,
    )
    return release_page(results.manifest, facts_of(results), 0, private)


def _strongest(checks: Sequence[Mapping[str, Any]]) -> str | None:
    """Say who found most of those they looked for, of the attackers that no promise is about."""
    noted = [check for check in checks if check["status"] == "note" and check["id"].startswith("attack_")]
    rows = [row for check in noted for row in rows_of(check) if row["share"]]
    if not rows:
        return None
    most = max(rows, key=lambda row: float(row["share"]))
    knows = CHECKS.get(most["check"], most["check"]).removeprefix("Attack: ")
    control = "" if most["control"] is None else f"; {most['control']:.1%} without attacking"
    return f"The strongest attack, {knows}, was right about {most['share']:.1%} of the people{control}."


def public_page(results: Results) -> Document:
    """Make the page for strangers."""
    claim = results.manifest["promise"]["claim"]
    return release_page(results.manifest, publishable(results), floor_of(claim))


def _tables(figures: Mapping[str, Any]) -> list[Table]:
    tables = [_spreads(name, figures[name]) for name in ("per_sample", "per_box") if name in figures]
    for name in ("poi_per_person", "range_queries"):
        if name in figures:
            rows = tuple((words_for(key), spelled(key, value)) for key, value in figures[name].items())
            tables.append(Table(words_for(name), ("", ""), rows, folded=True))
    return tables


def _spreads(group: str, figures: Mapping[str, Mapping[str, float]]) -> Table:
    rows = []
    for name, values in figures.items():
        divisor, unit = unit_for(name, max(values[key] for key in SPREAD))
        rows.append((words_for(name), unit, *(f"{values[key] / divisor:,.3g}" for key in SPREAD)))
    return Table(
        words_for(group),
        ("", "unit", *SPREAD.values()),
        tuple(rows),
        numbers_from=2,
        folded=True,
    )
