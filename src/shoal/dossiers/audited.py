"""What the audit found, for those who did not run it: rows of risks, what an intruder tried, what was not examined."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.auditor import checks
from shoal.auditor.registry import ENTRIES
from shoal.contract.files import ABOUT_OTHERS
from shoal.pages.risks import is_attack, risk_of, rows_of

_WORDS = {
    "pass": "did not succeed beyond the promise",
    "fail": "broke the promise",
    "note": "measured; no promise is about it",
    "not_run": "not tried",
}
_NO_LOSS = ("page", "require_k")
"""Checks of what a release need not have, and nobody need demand: not run, they leave nothing unknown."""

NOT_AUDITED = "the release was not audited"
NOT_WITH_ORIGINAL = "not audited with the original: what only its publisher can check was not checked"


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit, or that there was none."""

    summary: dict[str, Any]
    risks: list[dict[str, Any]] = field(default_factory=list)
    intruder: list[dict[str, Any]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def audited(verdict: Mapping[str, Any] | None) -> Audited:
    """Read a verdict, as ``audit.json`` holds it."""
    assert checks.THEMES
    if verdict is None:
        nothing: dict[str, Any] = {"done": False, "with_original": False, "promise_found_broken": None}
        return Audited(nothing | {"failed": [], "counts": {}}, missing=[NOT_AUDITED])
    mine = [check for check in verdict["checks"] if not check["figures"].get(ABOUT_OTHERS)]
    with_original = any(check["id"] == "mapping" and check["status"] != "not_run" for check in mine)
    failed = [check["id"] for check in mine if check["status"] == "fail"]
    summary = {
        "done": True,
        "with_original": with_original,
        "promise_found_broken": not verdict["ok"],
        "failed": failed,
        "counts": {status: sum(check["status"] == status for check in mine) for status in _WORDS},
    }
    missing = [] if with_original else [NOT_WITH_ORIGINAL]
    unknown = [check for check in mine if check["status"] == "not_run" and check["id"] not in _NO_LOSS]
    missing += [f"{check['id']}: {_about(check['id'])} Not run: {_plain(check['reason'])}" for check in unknown]
    attacks = [check for check in mine if is_attack(check)]
    return Audited(summary, [row for check in attacks for row in rows_of(check)], list(map(_tried, attacks)), missing)


def _tried(check: Mapping[str, Any]) -> dict[str, Any]:
    """What an attacker does, in the words of the check itself, and what came of it."""
    return {
        "check": check["id"],
        "risk": risk_of(check["id"]),
        "tried": _about(check["id"]),
        "status": check["status"],
        "outcome": f"{_WORDS[check['status']]}: {_plain(check['reason'])}",
    }


def _about(id_: str) -> str:
    """What a check does, as its code says it."""
    entry = ENTRIES.get(id_)
    return (entry.function.__doc__ or "").strip().partition("\n")[0] if entry else f"{id_.replace('_', ' ')}."


def _plain(reason: str) -> str:
    """Parameters stand in backticks for the command line; here they are words."""
    return reason.replace("`", "")
