"""The page of a release: a function of its manifest and a few facts, and for the publisher of what else is known.

Strangers get it with facts as :mod:`shoal.contract.page` allows them; the auditor makes it again from those.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import Any

from shoal.contract.files import DATA, STAMP
from shoal.contract.page import EDGES, OUTCOMES, SPACE_M, THIRDS
from shoal.pages import charts
from shoal.pages.census import beside_the_original
from shoal.pages.document import Block, Code, Document, Figure, List, Section, Table, Text, Verdict
from shoal.pages.words import (
    CHECKS,
    DAY,
    KIND,
    LEFT_OUT,
    PEOPLE_BY,
    QUARTILES,
    THIRD,
    bin_names,
    in_short,
    likeness_words,
    range_names,
    unit_of,
)

Facts = Mapping[str, Any]
Manifest = Mapping[str, Any]

_PROVES = (
    "A check that passed found no fault. A note tells a rate that no promise is about. What was not run is unknown. "
    "An attack that failed proves nothing: another attacker may know more."
)
_NOT_TOLD = "Bins of fewer than {floor} people are not told."


@dataclass(frozen=True, slots=True)
class Private:
    """What the publisher alone is shown.

    Attributes
    ----------
    reasons
        What each check found, by id.
    strongest
        Who found most people beyond the promise, and how many, in a sentence; None where nobody did.
    useful
        What the data are good for, in a sentence.
    hours
        Shares of records in each hour of the day, ``raw`` and ``published``.
    day
        Quartiles of spans or errors in each hour of the day, by name; None where nothing was recorded.
    cells
        How far the values of profiles are off on the mean, by the name of the cell.
    census
        What a census made from the profiles came to, beside the one made from the true ones.
    tables
        Further figures.
    commands
        How to make it again.
    """

    reasons: Mapping[str, str] = field(default_factory=dict)
    strongest: str | None = None
    useful: str | None = None
    hours: Mapping[str, Sequence[float]] | None = None
    day: Mapping[str, Mapping[str, Sequence[float | None]]] = field(default_factory=dict)
    cells: Mapping[str, float] | None = None
    census: Mapping[str, Any] | None = None
    tables: tuple[Table, ...] = ()
    commands: tuple[str, ...] = ()


def release_page(manifest: Manifest, facts: Facts, floor: int, private: Private | None = None) -> Document:
    """Make the page of a release.

    Parameters
    ----------
    manifest
        What the release says of itself.
    facts
        All that is told beyond it: the keys of :data:`shoal.contract.page.FACTS`.
    floor
        Counts of fewer people are not in the facts; 0 where all are.
    private
        What strangers are not told; None for a page to be published.
    """
    counts = manifest["counts"]
    title = f"A release of about {counts['people_published']:,} people, as {KIND[manifest['kind']]}"
    standing = "For whoever gets the data" if private is None else "For the publisher alone: do not hand this page on"
    sections = (
        Section("promise", "What is promised, and against whom", tuple(_promise(manifest))),
        Section("audit", "What the audit checked", tuple(_audit(facts["audit"], private))),
        Section("good-for", "What the data are still good for", tuple(_good_for(manifest, facts, floor, private))),
        Section("left-out", "What was left out, and whom that hurts", tuple(_left_out(manifest, facts))),
        Section("repeat", "How to check and repeat it", tuple(_repeat(manifest, private))),
    )
    verdict = _verdict(manifest, facts, private)
    return Document(title, f"Shoal · {standing}", verdict, sections, None if private else facts)


def _verdict(manifest: Manifest, facts: Facts, private: Private | None) -> Verdict:
    claim, audit = manifest["promise"]["claim"], facts["audit"]
    if manifest.get(STAMP):
        found = _verdict({**manifest, STAMP: None}, facts, private)
        # There is nothing to decide: what was found is told for those who try things out.
        return Verdict("bad", _STAMPED, (found.sentence, *(words for words in found.more if words != _DECIDE)))
    promised = f"This release promises that {in_short(claim)}."
    if claim["name"] == "nothing":
        promised = "This release promises nothing: anyone who knows a little of somebody may find them in it."
    more = tuple(words for words in (promised, private.useful if private else None, _DECIDE) if words)
    if audit is None:
        return Verdict("careful", "Not audited: nobody has checked what this release promises.", more)
    if audit["fail"]:
        return Verdict("bad", f"Do not publish: {_count(len(audit['fail']), 'check')} of the audit failed.", more)
    if claim["name"] == "nothing":
        shown = (private.strongest,) if private and private.strongest else ()
        words = "Nothing is promised. The audit found nothing that contradicts the manifest."
        return Verdict("careful", words, (more[0], *shown, *more[1:]))
    tried, beyond = (
        sum(name.startswith("attack_") for outcome in outcomes for name in audit[outcome])
        for outcomes in (OUTCOMES[:3], ("note",))
    )
    passed, unknown = len(audit["pass"]), len(audit["not_run"])
    ran = f"{_count(passed, 'check')} passed, {unknown} not run; {_count(tried, 'kind')} of attack tried"
    sentence = f"The audit found no broken promise ({ran})."
    return Verdict(
        "careful" if beyond else "fine", sentence, (more[0], *_noted(audit["note"], beyond, private), *more[1:])
    )


_STAMPED = "Not for release: made to try things out."
_DECIDE = "Whether that is enough is for people to decide: no program knows who gets the data, and what they know."


def _noted(notes: Sequence[str], beyond: int, private: Private | None) -> Iterator[str]:
    """Say what no promise is about: a manager who reads no further has to know that there is something."""
    where = "noted below" if private else "known to the publisher"
    if beyond:
        kinds = _count(beyond, "kind")
        yield f"{kinds} of attack went beyond what is promised, and may find people: how many is {where}."
    if private and private.strongest:
        yield private.strongest
    others = [_looked_at(name) for name in notes if not name.startswith("attack_")]
    if others:
        things = "; ".join(f"{words[0].lower()}{words[1:]}" for words in others)
        yield f"Nothing is promised about {things}: how much that is, is {where}."


def _looked_at(name: str) -> str:
    return CHECKS.get(name, name.replace("_", " "))


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _promise(manifest: Manifest) -> Iterator[Block]:
    promise = manifest["promise"]
    yield Text(promise["holds"])
    yield Text(f"The attacker: {promise['attacker']}")
    yield Text(f"What is protected: one {promise['unit'].removeprefix('one ')}. Not covered:")
    yield List(tuple(promise["not_covered"]))


def _audit(audit: Mapping[str, Sequence[str]] | None, private: Private | None) -> Iterator[Block]:
    if audit is None:
        yield Text("No audit was found. Run: shoal audit RELEASE --original DATA")
        return
    yield Text(_PROVES)
    reasons = private.reasons if private else {}
    for outcome in OUTCOMES:
        if not audit[outcome]:
            continue
        columns = ("What was looked at", "Check", *(("What was found",) if reasons else ()))
        rows = tuple(
            (_looked_at(name), name, *((reasons.get(name, ""),) if reasons else ())) for name in audit[outcome]
        )
        folded = outcome in ("pass", "not_run")
        yield Table(f"{_CAPTIONS[outcome]} ({len(rows)})", columns, rows, numbers_from=len(columns), folded=folded)


_CAPTIONS = {
    "fail": "Failed",
    "pass": "Passed",
    "note": "Noted: rates that no promise is about",
    "not_run": "Not run: unknown",
}


def _good_for(manifest: Manifest, facts: Facts, floor: int, private: Private | None) -> Iterator[Block]:
    if private and private.useful:
        yield Text(private.useful)
    if not facts["people_by"] and not facts["likeness"]:
        yield Text("Not measured yet. Run: shoal utility RELEASE --original DATA")
    if facts["likeness"]:
        yield _in_short(facts["likeness"], likeness_words(manifest["kind"]))
    for name in PEOPLE_BY:
        if name in facts["people_by"]:
            yield _histogram(name, facts["people_by"][name], floor, manifest["kind"])
    if facts["map"] and facts["map"]["tiles"]:
        yield _map(facts["map"], floor, manifest["kind"])
    if private and private.hours:
        yield _hours(private.hours, manifest["kind"])
    if private:
        # What is off nowhere makes no picture.
        yield from (_day(name, spread) for name, spread in private.day.items() if any(map(any, spread.values())))
    if private and private.cells:
        yield _cells(private.cells)
    if private and private.census:
        yield from beside_the_original(private.census)
    elif private and private.cells:
        yield Text("No census was made from them yet. Run: shoal sociometer RELEASE --original DATA")
    if private:
        yield from private.tables


def _in_short(likeness: Mapping[str, float], named: Mapping[str, tuple[str, str, str]]) -> Figure:
    found = [(*words, likeness[name]) for name, words in named.items() if name in likeness]
    rows = [{"what": short, "how to read it": reading, "%": value} for short, _, reading, value in found]
    title = "In short, all people together."
    words = "How much of the raw data lies near what is published, and how far the picture of the crowd is off."
    table = tuple((what, reading, _percent(value)) for _, what, reading, value in found)
    spec = charts.bars(rows, "what", "how to read it", "%")
    return Figure(title, words, spec, Table(title, ("what", "how to read it", "%"), table, numbers_from=2))


def _percent(value: float) -> str:
    return f"{value:g}" if value == int(value) else f"{value:.1f}"


def _histogram(name: str, people: Sequence[int | None], floor: int, kind: str) -> Figure:
    title, axis = PEOPLE_BY[name]
    labels, ends = (spell(EDGES[name], unit_of(name)) for spell in (range_names, bin_names))
    known = [count or 0 for count in people]
    half = next((end for end, sofar in zip(ends, accumulate(known), strict=True) if 2 * sofar >= sum(known)), ends[-1])
    words = f"For half of the people it is {half}.{_FAR_FROM.get((kind, name), '')}"
    words += f" {_NOT_TOLD.format(floor=floor)}" if floor else ""
    rows = tuple((label, "–" if count is None else f"{count:,}") for label, count in zip(labels, people, strict=True))
    return Figure(title, words, charts.histogram(labels, people, axis), Table(title, (axis, "people"), rows))


def _map(found: Mapping[str, Any], floor: int, kind: str) -> Figure:
    side, labels = found["side_m"] / 1000, bin_names(_SHADES_M, "m")
    rows = [
        {
            "west": column * side,
            "east": (column + 1) * side,
            "south": row * side,
            "north": (row + 1) * side,
            "known to within": labels[bisect_left(_SHADES_M, (*SPACE_M, inf)[width])],
            "people": people,
        }
        for column, row, people, width in found["tiles"]
    ]
    title = "How coarse space became, and where."
    words = f"Tiles of {side:g} km; the colour tells {_COLOUR_TELLS[kind]}. No point of anybody is drawn." + (
        f" Tiles of fewer than {floor} people are left out." if floor else ""
    )
    crowded = sorted(rows, key=lambda row: -row["people"])[:_SHOWN]
    shown = tuple((f"{r['west']:g}", f"{r['south']:g}", r["known to within"], f"{r['people']:,}") for r in crowded)
    table = Table(
        f"The {len(shown)} tiles of most people",
        ("km to the east", "km to the north", "known to within", "people"),
        shown,
        numbers_from=0,
    )
    return Figure(title, words, charts.map_of(rows, "known to within", labels), table)


_FAR_FROM = {("points", "position_error_m"): " From the way that was taken, at whatever time."}
"""Points may lie on the way and be of another time: whoever reads “off” must know from what."""

_COLOUR_TELLS = {
    "boxes": "to within how far places are known",
    "points": "to within how far of the way that was taken points lie",
}
_SHOWN = 30
_SHADES_M = (500, 2_000, 5_000, 20_000, 100_000)
"""As many shades as can be told apart; all of them edges of bins."""


def _hours(hours: Mapping[str, Sequence[float]], kind: str) -> Figure:
    rows = [
        {"hour of the day": hour, "data": name, "% of records": round(100 * share, 2)}
        for name, shares in hours.items()
        for hour, share in enumerate(shares)
    ]
    title = "When people are seen."
    words = "Share of records in each hour, by the sun's clock in the middle of the map"
    words += "; boxes count by duration." if kind == "boxes" else "."
    spec = charts.curves(rows, "hour of the day", "data", "% of records", x_range=_CLOCK, x_step=3)
    table = tuple((str(h), *(f"{100 * shares[h]:.1f}" for shares in hours.values())) for h in range(24))
    return Figure(title, words, spec, Table(title, ("hour", *(f"{name}, %" for name in hours)), table))


def _day(name: str, spread: Mapping[str, Sequence[float | None]]) -> Figure:
    divisor, unit = _unit(name, max(value or 0 for values in spread.values() for value in values))
    rows = [
        {"hour of the day": hour, "which": QUARTILES[quartile], unit: round(value / divisor, 3)}
        for quartile, values in spread.items()
        for hour, value in enumerate(values)
        if value is not None
    ]
    what, words = DAY[name]
    title = f"Through the day: {what}."
    table = tuple(
        (str(hour), *(_or_none(values[hour], divisor) for values in spread.values())) for hour in range(_HOURS)
    )
    spec = charts.curves(rows, "hour of the day", "which", unit, x_range=_CLOCK, x_step=3, log=True)
    names = (f"{QUARTILES[quartile]}, {unit}" for quartile in spread)
    return Figure(title, words, spec, Table(title, ("hour", *names), table))


def _unit(name: str, largest: float) -> tuple[int, str]:
    if unit_of(name) == "s":
        return 60, "min"
    return (1000, "km") if largest >= 1000 else (1, "m")


def _or_none(value: float | None, divisor: int) -> str:
    return "–" if value is None else f"{value / divisor:.3g}"


_HOURS = 24
_CLOCK = (0, _HOURS - 1)


def _cells(differences: Mapping[str, float]) -> Figure:
    rows = []
    for name, value in differences.items():
        week, day, slot = name.split("_")
        rows.append({"week": int(week[1:]), "when": f"{day} {slot}", _POINTS: round(100 * value, 2)})
    title = "How far values of profiles are off."
    words = "The mean difference of a share of days, by week, kind of day and time of day."
    table = tuple((str(r["week"]), str(r["when"]), f"{r[_POINTS]:g}") for r in rows)
    spec = charts.grouped(rows, "week", "when", _POINTS, percent=False, x_title="week")
    return Figure(title, words, spec, Table(title, ("week", "when", _POINTS), table, numbers_from=2))


_POINTS = "percentage points"


def _left_out(manifest: Manifest, facts: Facts) -> Iterator[Block]:
    counts = manifest["counts"]
    nobody, thirds = f"Nothing is published of {_about(counts['people_suppressed'])} people", facts["thirds"]
    if manifest["kind"] in _OF_THE_OTHERS:
        yield Text(f"{nobody}; this count is rounded to tens. {_OF_THE_OTHERS[manifest['kind']]}")
    else:
        lost = f"of the others {_about(counts['samples_suppressed'])} samples are left out"
        yield Text(f"{nobody}; {lost}. These counts are rounded to tens.")
    if not thirds:
        return
    names = {"left_out": f"{LEFT_OUT[manifest['kind']]}, %", "near": "within 500 m, 30 min, %"}
    rows = [
        {"people": THIRD[third], "what": words, "%": thirds[third][name]}
        for third in THIRDS
        if third in thirds
        for name, words in names.items()
    ]
    title = "Who pays for it."
    words = (
        "Thirds of the people, by how often they are seen. Those who lose more are missing in what is counted later."
    )
    table = tuple((THIRD[t], *(_percent(thirds[t][name]) for name in names)) for t in THIRDS if t in thirds)
    yield Figure(
        title, words, charts.grouped(rows, "people", "what", "%"), Table(title, ("people", *names.values()), table)
    )


_OF_THE_OTHERS = {
    "points": "Points of the others are moved, or set anew along the way: there may be fewer, but none is picked out.",
    "profiles": "Of the others, profiles may be missing where a municipality has too few to hide them.",
}
"""What the manifest's count of samples says nothing about: it is of samples that are listed one by one."""


def _about(rounded: int) -> str:
    return f"about {rounded:,}" if rounded else "fewer than 5"


def _repeat(manifest: Manifest, private: Private | None) -> Iterator[Block]:
    said = [("mechanism", str(manifest["mechanism"])), ("date", str(manifest["date"]))]
    said += [(name, "off" if value is None else str(value)) for name, value in sorted(manifest["parameters"].items())]
    said += [(f"SHA-256 of {DATA}", str(manifest["sha256"].get(DATA)))]
    yield Table("How it was made", ("parameter", "value"), tuple(said), numbers_from=9)
    commands = private.commands if private else ("shoal audit RELEASE",)
    yield Text("Anybody who has the release can check what needs nothing else; the publisher can check all of it.")
    yield Code(tuple(commands))
