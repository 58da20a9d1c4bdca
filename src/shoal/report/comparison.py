"""The page of a comparison: privacy against usefulness, a point for each mechanism and its parameters."""

import csv
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import DataError
from shoal.pages import charts
from shoal.pages.document import Block, Code, Document, Figure, List, Section, Table, Text, Verdict
from shoal.shown import number

Row = Mapping[str, str]

_KNOWS = {
    "some moments of a life": ("attack_points", "attack_seen_times"),
    "all of a life": ("attack_whole_trace", "attack_nearest"),
    "an older profile": ("attack_profile",),
}
_USE = (("near_share", "samples near, %"), ("similar_share", "profiles similar, %"))
_WIDTH = ("per_sample.span_max_m.mean", "mean box of a sample, km")
_MORE = {
    "samples_deleted_share": "left out",
    "visits_per_tile.jensen_shannon": "visits",
    "flows.jensen_shannon": "flows",
    "time_of_day.jensen_shannon": "hours",
}
_NO = "–"


def comparison_page(rows: list[Row], people: int, sample: int, need: str) -> Document:
    """Make the page.

    Parameters
    ----------
    rows
        Lines of ``compare.csv``.
    people, sample
        How many there are, and how many were tried.
    need
        What counts as near.
    """
    ran = [row for row in rows if not row.get("refused")]
    title = f"{len(ran)} ways to protect the same people, side by side"
    sections = (
        Section("tradeoff", "Privacy against usefulness", (*_tradeoffs(ran, need), *_sure(ran, people, sample))),
        *([Section("sweeps", "What accuracy depends on", sweeps)] if (sweeps := tuple(_sweeps(ran))) else []),
        Section("table", "All figures side by side", tuple(_tables(rows, ran))),
        Section(
            "repeat",
            "How to repeat it",
            (Code((f"shoal compare DATA{_drawn(people, sample)} --out DIR", f'shoal choose DATA --need "{need}"')),),
        ),
    )
    return Document(title, "Shoal · About people: do not hand this page on", _verdict(ran, people, sample), sections)


def _drawn(people: int, sample: int) -> str:
    return f" --people {sample}" if sample < people else ""


def _sure(ran: list[Row], people: int, sample: int) -> Iterator[Block]:
    """Say where a share was not measured on everybody: a foretold one may be far off."""
    if any(_error(row) for row in ran):
        measured = "Measured on all people."
        if sample < people:
            measured = (
                f"What is near was measured on {sample:,} people; where a crowd matters, it is foretold for all "
                f"{people:,} from smaller crowds."
            )
        yield Text(f"{measured} ± is one standard error: where it is as large as the share itself, nothing is known.")


def _error(row: Row) -> float:
    """Return the standard error of what stays near; 0 where it would not be seen."""
    error = float(row.get(f"{_USE[0][0]}_error") or 0)
    return error if error >= _SEEN else 0.0


_SEEN = 0.0005


def _share(row: Row, key: str) -> str:
    """Spell a share of what is kept, with its error.

    >>> _share({"near_share": "0.307", "near_share_error": "0.32"}, "near_share")
    '30.7% ± 32.0%'
    """
    error = _error(row) if key == _USE[0][0] else 0.0
    return f"{float(row[key]):.1%}" + (f" ± {error:.1%}" if error else "")


def _verdict(ran: list[Row], people: int, sample: int) -> Verdict:
    """Say which way hides best, and which keeps most: those between which one has to choose."""
    tried = f"Tried on {sample:,} of {people:,} people. Promises differ: see the table. A failed attack proves nothing."
    key, _ = _use(ran)
    sound = [row for row in ran if row.get(key) and not row.get("audit_failed")]
    known = [(row, float(row[key]), found) for row in sound if (found := _most_found(row)) is not None]
    if not known:
        return Verdict("careful", "Hiding people costs accuracy: here is what each way costs.", (tried,))
    kept = "samples stay near the truth" if key == _USE[0][0] else "profiles stay similar to the true ones"
    hides = min(known, key=lambda one: (round(one[2], 3), -one[1]))
    keeps = max(known, key=lambda one: (round(one[1], 3), -one[2]))
    (first, _, found), (other, _, there) = hides, keeps
    best = f"{_name(first)} hides best: attackers found {found:.1%} of the people, {_share(first, key)} of the {kept}."
    most = f"{_name(other)} keeps most: {_share(other, key)} of the {kept}; attackers found {there:.1%} of the people."
    return Verdict("careful", best, (tried,) if hides is keeps else (most, tried))


def _most_found(row: Row) -> float | None:
    """Return the share of people that the strongest attacker found; None where none was tried."""
    return max((float(row[name]) for names in _KNOWS.values() for name in names if row.get(name)), default=None)


def read_comparison(folder: Path) -> list[Row]:
    """Read the table that ``shoal compare`` wrote."""
    try:
        with (folder / "compare.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except (OSError, ValueError):
        raise DataError(
            "no readable compare.csv", expected="the directory that shoal compare wrote", hint="compare again"
        ) from None


def _name(row: Row) -> str:
    return f"{row['mechanism']} {row['parameters']}".strip()


def _use(rows: list[Row]) -> tuple[str, str]:
    """Find the measure of accuracy that these data have, and what its axis is called."""
    return next((found for found in _USE if any(row.get(found[0]) for row in rows)), _USE[0])


def _tradeoffs(rows: list[Row], need: str) -> Iterator[Block]:
    key, axis = _use(rows)
    yield Text(
        "Points to the lower right are better: fewer people found, more data kept. "
        f"Near means: within {need} of what is published of the same person."
    )
    for knows, attackers in _KNOWS.items():
        y = "people found, %"
        points: list[dict[str, Any]] = []
        for row in rows:
            rates = [float(row[name]) for name in attackers if row.get(name)]
            if rates and row.get(key):
                point = {
                    axis: round(100 * float(row[key]), 1),
                    y: round(100 * max(rates), 1),
                    "mechanism": row["mechanism"],
                }
                points.append({**point, "parameters": row["parameters"], "promise": row["claim"]})
        if not points:
            continue
        title = f"An attacker who knows {knows}."
        words = "A point for each mechanism and its parameters. Found: left as the only candidate, or guessed right."
        table = tuple(
            (f"{p['mechanism']} {p['parameters']}", p["promise"], f"{p[axis]:g}", f"{p[y]:g}") for p in points
        )
        spec = charts.tradeoff(points, axis, y, "mechanism")
        yield Figure(title, words, spec, Table(title, ("", "promise", axis, y), table, numbers_from=2))


class _Sweep(NamedTuple):
    """An option that was tried with several values while all others stayed.

    Attributes
    ----------
    ending
        Of the option that varies.
    x, y
        What is drawn of a row, the first by what was typed; None where it has none.
    """

    title: str
    words: str
    x_axis: str
    y_axis: str
    ending: str
    x: Callable[[Row, str], float | None]
    y: Callable[[Row], float | None]


def _number(row: Row, name: str, times: float) -> float | None:
    return round(times * float(row[name]), 2) if row.get(name) else None


def _sweeps(rows: list[Row]) -> Iterator[Block]:
    near, near_axis = _use(rows)
    by_k = _Sweep(
        "Accuracy against k.",
        "The more people have to look alike, the less is left of each of them.",
        "k: people who look alike",
        near_axis,
        "--k",
        lambda _row, typed: float(typed) if typed else None,
        lambda row: _number(row, near, 100),
    )
    by_share = _Sweep(
        "Accuracy against the share left out.",
        "How large the boxes of the others are once the samples that are hardest to hide are left out.",
        "samples left out, %",
        _WIDTH[1],
        "-share",
        lambda row, _typed: _number(row, "samples_deleted_share", 100),
        lambda row: _number(row, _WIDTH[0], 1e-3),
    )
    for sweep in (by_k, by_share):
        points = list(_points_of(sweep, rows))
        tried: dict[str, set[float]] = {}
        for point in points:
            tried.setdefault(point["with"], set()).add(point[sweep.x_axis])
        drawn = sorted(
            (point for point in points if len(tried[point["with"]]) > 1),
            key=lambda point: (point["with"], point[sweep.x_axis]),
        )
        if drawn:
            table = tuple((p["with"], f"{p[sweep.x_axis]:g}", f"{p[sweep.y_axis]:g}") for p in drawn)
            spec = charts.against(drawn, sweep.x_axis, sweep.y_axis, "with")
            heads = ("", sweep.x_axis, sweep.y_axis)
            yield Figure(sweep.title, sweep.words, spec, Table(sweep.title, heads, table))


def _points_of(sweep: _Sweep, rows: list[Row]) -> Iterator[dict[str, Any]]:
    for row in rows:
        typed, others = _without(sweep.ending, row["parameters"])
        x, y = sweep.x(row, typed), sweep.y(row)
        if x is not None and y is not None:
            yield {sweep.x_axis: x, sweep.y_axis: y, "with": f"{row['mechanism']} {others}".strip()}


def _without(ending: str, parameters: str) -> tuple[str, str]:
    """Take the option whose name ends like this out of what was typed.

    >>> _without("--k", "--k 5 --tau 60m"), _without("--k", "--cell-m 500")
    (('5', '--tau 60m'), ('', '--cell-m 500'))
    """
    words = shlex.split(parameters)
    options = list(zip(words[::2], words[1::2], strict=False))
    value = next((value for name, value in options if name.endswith(ending)), "")
    return value, " ".join(f"{name} {value}" for name, value in options if not name.endswith(ending))


def _tables(rows: list[Row], ran: list[Row]) -> Iterator[Block]:
    columns = (
        "",
        "promises",
        *(knows for knows in _KNOWS if _any(ran, _KNOWS[knows])),
        "near",
        *_MORE.values(),
        "seconds",
    )
    yield Table(
        "Each way: people found by who knows so much, and what is kept",
        columns,
        tuple(tuple(_cells(row, ran)) for row in ran),
        numbers_from=2,
    )
    yield Text(
        "Visits, flows, hours: how far the picture of the crowd is off, 0 equal, 1 nothing in common. "
        "A failed attack proves nothing."
    )
    refused = tuple(f"{_name(row)}: {row['refused'].replace('`', '')}" for row in rows if row.get("refused"))
    if refused:
        yield Text("Could not be run on these data:")
        yield List(refused)
    broken = tuple(f"{_name(row)}: {row['audit_failed']}" for row in ran if row.get("audit_failed"))
    if broken:
        yield Text("The audit found a broken promise:")
        yield List(broken)


def _any(rows: list[Row], names: tuple[str, ...]) -> bool:
    return any(row.get(name) for row in rows for name in names)


def _cells(row: Row, ran: list[Row]) -> Iterator[str]:
    yield _name(row)
    yield row.get("claim") or _NO
    for attackers in _KNOWS.values():
        if _any(ran, attackers):
            rates = [float(row[name]) for name in attackers if row.get(name)]
            yield f"{max(rates):.1%}" if rates else _NO
    yield _share(row, "near_share") if row.get("near_share") else _NO
    for name in _MORE:
        value = row.get(name)
        yield _NO if not value else f"{float(value):.1%}" if name.endswith("_share") else f"{float(value):.2f}"
    yield number(float(row["seconds"])) if row.get("seconds") else _NO
