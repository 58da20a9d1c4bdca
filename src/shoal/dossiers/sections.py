"""What stands where in a dossier: the order of ISO/IEC 27559, from who gets the data to who signs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from shoal.pages.figures import spelled, unit_for, words_for
from shoal.pages.risks import INFERENCE, LINKABILITY, SINGLING_OUT
from shoal.pages.words import KIND, in_short, knowing
from shoal.shown import number

_RISKS = (SINGLING_OUT, LINKABILITY, INFERENCE)


class Table(NamedTuple):
    """A table; None is a cell to fill in."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str | None, ...]]


Part = str | Sequence[str] | Table


class Section(NamedTuple):
    """A heading and what stands below it: paragraphs, lists, tables."""

    title: str
    parts: list[Part]


def sections(content: Mapping[str, Any]) -> list[Section]:
    return [Section(title, parts(content)) for title, parts in _SECTIONS.items()]


def _first(content: Mapping[str, Any]) -> list[Part]:
    stamp = ["The release is stamped as not for release."] if content["data_sheet"]["not_for_release"] else []
    return [
        f"{_what(content)} Made on {content['date']}.",
        _found(content["audit"]),
        *stamp,
        "This dossier says what was measured and what was not. It does not decide whether people can be identified, "
        "nor whether the release may go out. The people who sign decide that. Internal: keep it with the secret "
        "directory.",
    ]


def _what(content: Mapping[str, Any]) -> str:
    """Say what would be given to whom: whoever signs may read no further."""
    sheet, claim = content["data_sheet"], content["promise"].get("claim")
    people = f"about {sheet['counts'].get('people_published', 0):,} people"
    promised = in_short(claim) if isinstance(claim, Mapping) else "nothing is said of what is promised"
    return (
        f"A release of {people} as {KIND[sheet['kind']]}, for the recipient “{content['recipient']['name']}”. "
        f"Its promise, in short: {promised}."
    )


def _found(audit: Mapping[str, Any]) -> str:
    if not audit["done"]:
        return "It was not audited."
    words, counts = "No promise was found broken", audit["counts"]
    if audit["promise_found_broken"]:
        words = "A promise was found broken, or a claim was not examined, or a demand was not met: do not publish"
    told = {"pass": "passed", "fail": "failed", "note": "noted a rate", "not_run": "were not run"}
    return f"{words}. Of the checks {', '.join(f'{counts[status]} {name}' for status, name in told.items())}."


def _recipient(content: Mapping[str, Any]) -> list[Part]:
    who = content["recipient"]
    return [
        f"{who['name']}: {who['who']}",
        "What they can set beside the data:",
        who["means"],
        "What holds them back:",
        who["limits"],
        Table(("To fill in", ""), [(name, None) for name in ("purpose", "named recipients", "agreement")]),
    ]


def _sheet(content: Mapping[str, Any]) -> list[Part]:
    sheet = content["data_sheet"]
    rows = [
        ("kind", sheet["kind"]),
        ("a uid stands for", _UID_OF[sheet["uid_of"]]),
        ("days (UTC)", " to ".join(sheet["days"]) if sheet["days"] else "not in the data"),
        ("columns", ", ".join(sheet["columns"][:12]) + (", …" if len(sheet["columns"]) > 12 else "")),
        *((f"{name.replace('_', ' ')}, about", f"{count:,}") for name, count in sheet["counts"].items()),
        ("mechanism", str(sheet["mechanism"])),
        ("parameters", _listed(sheet["parameters"])),
        ("budgets", _listed(sheet["budgets"]) or "none"),
    ]
    return [
        Table(("", ""), [*rows, ("whose data, and on what ground", None), ("source and how it was collected", None)])
    ]


_UID_OF = {
    "person": "a person",
    "part": "a person, or a part of a person's trace",
    "row": "a person in a municipality",
}


def _promise(content: Mapping[str, Any]) -> list[Part]:
    promise = content["promise"]
    words = [("holds", "what holds"), ("attacker", "against whom"), ("unit", "what is protected")]
    rows = [(name, str(promise.get(key, "not said"))) for key, name in words]
    return [Table(("", ""), rows), "Not covered:", list(map(str, promise.get("not_covered", ())))]


def _risks(content: Mapping[str, Any]) -> list[Part]:
    if not content["risks"]:
        return ["No attack was measured."]
    rows = [
        (
            row["risk"],
            row["check"],
            knowing(row["check"], row["attacker"]),
            row["measure"],
            *(_share(row[name]) for name in ("maximum", "mean")),
            _interval(row),
            _share(row["control"]),
        )
        for row in sorted(content["risks"], key=lambda row: _RISKS.index(row["risk"]))
    ]
    return [
        "Maximum: the largest chance to be right about one person. Mean: over all people attacked. Share: of those who "
        "were singled out, or whose place was found or shown, with its 95 % interval. Control: the same without "
        "attacking, by a guess or on somebody else.",
        Table(("Risk", "Check", "Attacker knows", "Measured", "Maximum", "Mean", "Share (95 %)", "Control"), rows),
    ]


def _intruder(content: Mapping[str, Any]) -> list[Part]:
    rows = [(one["risk"], one["tried"], one["outcome"]) for one in content["intruder"]]
    said: list[Part] = [Table(("Risk", "What was tried", "What came of it"), rows)] if rows else ["Nothing was tried."]
    return [
        *said,
        "An attack that fails proves nothing: it shows that this attack, with this knowledge, did not get further. "
        "No person searched for people in other sources. Where that is called for, let somebody try, and write down:",
        Table(("Who tried", "With what sources", "How long", "What they found", "Date"), [(None,) * 5]),
    ]


def _missing(content: Mapping[str, Any]) -> list[Part]:
    return [content["missing"]] if content["missing"] else ["Nothing that the audit knows of."]


def _residual(content: Mapping[str, Any]) -> list[Part]:
    rows = [
        (one["source"], one["risk"], one["owner"], one["until"], one["decision"]) for one in content["residual_risks"]
    ]
    return [Table(("From", "Risk", "Owner", "Until", "Accepted, or what is done"), rows)]


def _utility(content: Mapping[str, Any]) -> list[Part]:
    useful = content["utility"]
    if useful is None:
        return ["Not measured. shoal utility does, with the original."]
    rows = [(words_for(name), spelled(name, value)) for name, value in useful["figures"].items()]
    rows += [_median_of(name, value) for name, value in useful["medians"].items()]
    return [*([useful["words"]] if useful["words"] else []), Table(("", ""), list(rows))]


def _median_of(name: str, value: float) -> tuple[str, str]:
    """Say what a median is of, and how much it is.

    >>> _median_of("per_box: span_s", 2460), _median_of("similarity", 0.5)
    (('duration of the box, median per published box', '41 min'), ('similarity to the true profile, median', '0.5'))
    """
    group, _, figure = name.rpartition(": ")
    divisor, unit = unit_for(figure, value)
    return f"{words_for(figure)}, median{_PER.get(group, group)}", f"{number(value / divisor)} {unit}".strip()


_PER = {"per_sample": " per raw sample", "per_box": " per published box"}


def _retention(content: Mapping[str, Any]) -> list[Part]:
    kept = content["retention"]
    return [kept["words"], Table(("", ""), [(name.replace("_", " "), kept[name]) for name in kept if name != "words"])]


def _review(content: Mapping[str, Any]) -> list[Part]:
    return [
        Table(("Next review", "By"), [(content["review"]["date"], None)]),
        "Before that, when there is:",
        content["review"]["triggers"],
    ]


def _signatures(content: Mapping[str, Any]) -> list[Part]:
    rows = [
        tuple(one[name] for name in ("role", "name", "decision", "date", "signature")) for one in content["sign_off"]
    ]
    return [Table(("Role", "Name", "Decision", "Date", "Signature"), rows)]


def _register(content: Mapping[str, Any]) -> list[Part]:
    entry = content["register"]
    same = {True: "yes", False: "NO: it was changed", None: "not known: no secret directory"}
    rows = [
        ("number in the register", entry["number"]),
        ("SHA-256 of manifest.json", entry["manifest_sha256"]),
        ("SHA-256 of data.parquet, as the manifest has it", str(entry["data_sha256"])),
        ("the manifest is the one that was written", same[entry["manifest_is_the_one_written"]]),
        ("made on", str(entry["published"])),
        ("made with Shoal", str(entry["shoal"])),
    ]
    return [Table(("", ""), rows)]


_SECTIONS: dict[str, Callable[[Mapping[str, Any]], list[Part]]] = {
    "In short": _first,
    "Recipient and their means": _recipient,
    "Data sheet": _sheet,
    "What is promised": _promise,
    "Risks and attackers": _risks,
    "What an intruder tried": _intruder,
    "What was not examined": _missing,
    "Residual risks": _residual,
    "What the data are still good for": _utility,
    "Retention of the secret directory": _retention,
    "Review": _review,
    "Sign-off": _signatures,
    "Register entry": _register,
}


def _listed(values: Mapping[str, Any]) -> str:
    """Parameters that are in use: those that are off are left out."""
    return ", ".join(f"{name} = {value}" for name, value in values.items() if value is not None)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _interval(row: Mapping[str, Any]) -> str:
    if row["share"] is None or row["low"] is None:
        return _share(row["share"])
    return f"{row['share']:.1%} ({row['low']:.1%} to {row['high']:.1%})"
