"""What a person fills in: residual risks with an owner, retention, review, signatures. Null is a line to fill in."""

from collections.abc import Mapping
from typing import Any

from shoal.dossiers.audited import Audited
from shoal.usefulness.words import useful_for

_FILL_IN = {"owner": None, "until": None, "decision": None}

TRIGGERS = (
    "another release of the same people, or of an overlapping time, by anybody",
    "new data that could be set beside this release",
    "a new attack on this mechanism, or a fault found in Shoal or in the libraries that the manifest names",
    "a new kind of recipient, or another purpose",
    "somebody who says that they were found, or that they found somebody",
    "loss of the secret directory or of the ledger, or access to either by anybody else",
)

_ROLES = ("who publishes", "data protection officer", "who answers for the purpose")


def residual(promise: Mapping[str, Any], audit: Audited) -> list[dict[str, Any]]:
    """What stays: what the promise does not cover, what attacks showed, what was not examined."""
    risks = [("not covered by the promise", words) for words in promise.get("not_covered", ())]
    risks += [("shown by the audit", one["outcome"]) for one in audit.intruder if one["status"] in ("note", "fail")]
    risks += [("not examined", words) for words in audit.missing]
    return [{"source": source, "risk": words, **_FILL_IN} for source, words in risks]


def useful(figures: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What the release is still good for: in words, and the figures that are about everybody, rounded."""
    if figures is None:
        return None
    plain = {name: _short(name, value) for name, value in figures.items() if isinstance(value, int | float)}
    spreads = {name: value for name, value in figures.items() if _is_spread(value)}
    for name, group in figures.items():
        if isinstance(group, Mapping) and all(map(_is_spread, group.values())):
            spreads |= {f"{name}: {one}": value for one, value in group.items()}
    medians = {name: float(f"{value['median']:.3g}") for name, value in spreads.items()}
    return {"words": useful_for(figures), "figures": plain, "medians": medians}


def retention() -> dict[str, Any]:
    return {
        "words": "The secret directory undoes the release. Without it nobody can answer for the release: no audit with "
        "the original, no request of a person who is in it. Keep it apart, or delete it, and write down which.",
        "kept_at": None,
        "who_has_access": None,
        "delete_on": None,
        "deleted_on": None,
    }


def review() -> dict[str, Any]:
    return {"date": None, "triggers": list(TRIGGERS)}


def sign_off() -> list[dict[str, Any]]:
    return [{"role": role, "name": None, "decision": None, "date": None, "signature": None} for role in _ROLES]


def _is_spread(value: Any) -> bool:
    return isinstance(value, Mapping) and {"median", "mean"} <= value.keys()


def _short(name: str, value: float) -> float:
    """Counts to 10, as in the manifest; anything else to three digits."""
    if isinstance(value, int):
        return (value + 5) // 10 * 10 if name.startswith(("people", "samples", "profiles")) else value
    return float(f"{value:.3g}")
