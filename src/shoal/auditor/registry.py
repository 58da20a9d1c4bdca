"""The list of checks, and what each needs before it can run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shoal.auditor.case import Case
from shoal.auditor.verdict import Check, Status
from shoal.errors import ShoalError
from shoal.progress import Progress

ORDER = (
    *("schema", "metadata", "files", "digests", "tokens", "number_format", "grid", "boxes_sane", "disjoint"),
    *("group_size", "promise", "page", "raw_ids", "mapping", "manifest_digest", "row_order", "people_per_group"),
    *("coverage", "truthful", "everyone", "attack_points", "attack_top_places", "attack_whole_trace"),
    *("attack_times", "insider", "homogeneity", "intersection", "require_k"),
)
"""The order in which checks are reported, cheap ones and those of the release alone first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check function returns."""

    status: Status
    reason: str
    figures: dict[str, Any] = field(default_factory=dict)


def passed(reason: str, **figures: Any) -> Finding:
    return Finding("pass", reason, figures)


def failed(reason: str, **figures: Any) -> Finding:
    return Finding("fail", reason, figures)


def not_run(reason: str, **figures: Any) -> Finding:
    return Finding("not_run", reason, figures)


Function = Callable[[Case], Finding]


@dataclass(frozen=True, slots=True)
class _Entry:
    function: Function
    needs: tuple[str, ...]


_ENTRIES: dict[str, _Entry] = {}


def check(id_: str, *needs: str) -> Callable[[Function], Function]:
    """Register a check; ``needs`` are names that :meth:`Case.missing` knows."""
    assert id_ in ORDER

    def register(function: Function) -> Function:
        _ENTRIES[id_] = _Entry(function, needs)
        return function

    return register


def run_checks(case: Case, progress: Progress | None = None) -> tuple[Check, ...]:
    """Run every registered check, in order; ``progress`` is told the phase, what is done and the total."""
    ids, results = [id_ for id_ in ORDER if id_ in _ENTRIES], []
    for done, id_ in enumerate(ids, start=1):
        results.append(_run(id_, _ENTRIES[id_], case))
        if progress:
            progress("checks", done, len(ids))
    return tuple(results)


def _run(id_: str, entry: _Entry, case: Case) -> Check:
    for need in entry.needs:
        missing = case.missing(need)
        if missing:
            return Check(id_, "not_run", missing)
    try:
        finding = entry.function(case)
    except ShoalError:
        raise  # the audit's own input is at fault, not the release
    except Exception as fault:
        # A release that a check cannot digest is not one that passed it. The message could quote the data.
        return Check(id_, "fail", f"the check could not be completed ({type(fault).__name__})")
    return Check(id_, finding.status, finding.reason, finding.figures)
