"""A comparison as a table: a row per setting, a column per attacker and measure."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shoal.choosing.compare import Comparison, Row, to_dict
from shoal.files.durable import whole_file
from shoal.shown import number, percent

JSON, CSV = "compare.json", "compare.csv"

POINTS, WHOLE = ("attack_points", "attack_seen_times"), ("attack_whole_trace", "attack_nearest")
"""Attackers who know some moments of a life, and those who know all of it: of boxes, and of points."""


def singled_out(row: Row, attackers: tuple[str, ...]) -> float | None:
    """Return how often the best of these attackers is left with one candidate, or is right; None if none was run."""
    attacks = row.figures.get("audit", {}).get("attacks", {})
    rates = [rate for name in attackers if name in attacks for rate in rates_of(attacks[name]["figures"])]
    return max(rates) if rates else None


def rates_of(figures: Mapping[str, Any]) -> Iterator[float]:
    """Find the rates of all attackers of a check, however deep they stand.

    >>> list(rates_of({"points_1": {"unique": {"share": 0.5}, "success": 1.0}, "exact": {"success": 0.25}}))
    [0.5, 0.25]
    """
    if isinstance(figures.get("unique"), Mapping):
        yield float(figures["unique"]["share"])
    elif isinstance(figures.get("success"), float):
        yield figures["success"]
    else:
        for value in figures.values():
            if isinstance(value, Mapping):
                yield from rates_of(value)


def measured(row: Row, *path: str) -> float | None:
    """Return a figure of the measures, None where there is none."""
    value: Any = row.figures.get("utility", {})
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return None if value is None else float(value)


HEAD = ("", "points", "whole", "lost", "near", "visits", "flows", "hours", "s")
"""Singled out by some moments, by a whole life; left out; near enough; divergences; seconds."""


def cells_of(row: Row) -> tuple[str, ...]:
    """Return what a table for people tells of a setting, by :data:`HEAD`."""
    if "refused" in row.figures:
        return (row.setting.words, *["–"] * (len(HEAD) - 1))
    divergences = (measured(row, name, "jensen_shannon") for name in ("visits_per_tile", "flows", "time_of_day"))
    return (
        row.setting.words + ("*" if row.figures["audit"]["failed"] else ""),
        *(percent(singled_out(row, attackers)) for attackers in (POINTS, WHOLE)),
        percent(measured(row, "samples_deleted_share")),
        percent(row.foretold.share if row.foretold else None),
        *("–" if value is None else f"{value:.2f}" for value in divergences),
        number(row.figures["seconds"]),
    )


def flat_row(row: Row) -> dict[str, Any]:
    """Return all figures of a row side by side."""
    found: dict[str, Any] = {
        "mechanism": row.setting.mechanism,
        "parameters": row.setting.options,
        "claim": row.figures.get("claim", {}).get("name"),
        "refused": row.figures.get("refused"),
        "seconds": row.figures.get("seconds"),
        "audit_failed": " ".join(row.figures.get("audit", {}).get("failed", ())),
    }
    for name, check in row.figures.get("audit", {}).get("attacks", {}).items():
        rates = list(rates_of(check["figures"]))
        if rates:
            found[name] = max(rates)
    if row.foretold:
        found |= {"near_share": row.foretold.share, "near_share_error": row.foretold.error}
    return found | dict(_leaves(row.figures.get("utility", {})))


def _leaves(figures: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def write_tables(found: Comparison, folder: Path) -> None:
    """Write the comparison as JSON and as CSV."""
    rows = [flat_row(row) for row in found.rows]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, columns)
    table.writeheader()
    table.writerows(rows)
    for name, content in ((JSON, json.dumps(to_dict(found), indent=1) + "\n"), (CSV, text.getvalue())):
        with whole_file(folder / name, replace=True) as file:
            file.write(content.encode())
