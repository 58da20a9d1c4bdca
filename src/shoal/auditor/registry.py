"""The list of checks: which kinds of release and which claims each looks at, and what it needs before it can run."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from polars.exceptions import PanicException

from shoal.auditor.case import Case
from shoal.auditor.conditions import COMPLETED, TRIED, Finding, Hold
from shoal.auditor.verdict import Check
from shoal.contract.claims import Claim
from shoal.contract.files import ABOUT_OTHERS
from shoal.contract.kinds import KINDS, Kind
from shoal.errors import ShoalError
from shoal.progress import Progress

ORDER = (
    *("schema", "metadata", "files", "digests", "tokens", "number_format", "grid", "boxes_sane", "disjoint"),
    *("group_size", "promise", "page", "raw_data", "raw_ids", "mapping", "manifest_digest", "row_order"),
    *("people_per_group", "coverage", "truthful", "everyone", "parameters", "window_parameters", "window_withheld"),
    *("window_coverage", "window_absence", "far_leak", "tightest_fit", "attack_points", "attack_top_places"),
    *("profiles_listed", "cells_agree", "people_agree", "cells_named", "cells_truthful", "noise_grid", "cells_noise"),
    *("smoothing", "noise_law", "budgets", "cylinder", "attack_ring", "attack_averaging", "attack_nearest"),
    *("attack_relinking", "attack_seen_times", "attack_profile", "cells_alike"),
    *("attack_whole_trace", "attack_times", "insider", "homogeneity", "intersection", "require_k", "claim"),
)
"""The order in which checks run and are reported: cheap ones and those of the release alone first, the claim last."""

ALL_KINDS = tuple(KINDS.values())

Function = Callable[[Case, Hold], Finding]
Claims = tuple[type[Claim], ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A check as it was declared; see :func:`check`."""

    id: str
    function: Function
    kinds: tuple[Kind, ...] | None
    claims: Claims | None
    examines: Claims
    needs: tuple[str, ...]
    conditions: tuple[str, ...]
    demanded: Callable[[Case], bool] | None


ENTRIES: dict[str, Entry] = {}


def check(
    id_: str,
    *,
    kinds: tuple[Kind, ...] | None = None,
    claims: Claims | None = None,
    examines: Claims | None = None,
    needs: tuple[str, ...] = (),
    conditions: tuple[str, ...] = (),
    demanded: Callable[[Case], bool] | None = None,
) -> Callable[[Function], Function]:
    """Register a check. For another kind or claim, and where something is missing, it is not run and says why.

    Parameters
    ----------
    id_
        Stable name, one of :data:`ORDER`.
    kinds
        Kinds of release that it looks at, as found in the bytes; None: whatever lies there, even if it is of no kind.
    claims
        Claims that it is about; None: it holds for any release.
    examines
        Claims that count as examined once it passed or failed: it looks at their substance. All of ``claims`` by
        default.
    needs
        Names that :meth:`Case.missing` knows.
    conditions
        Names of the conditions of which it is made; ``completed``, and for demands ``tried``, are added.
    demanded
        Tells whether the caller demands it: then it fails where it cannot be tried.
    """
    assert id_ in ORDER
    assert id_ not in ENTRIES

    def register(function: Function) -> Function:
        implied = (COMPLETED,) if demanded is None else (COMPLETED, TRIED)
        examined = (claims or ()) if examines is None else examines
        ENTRIES[id_] = Entry(id_, function, kinds, claims, examined, needs, (*conditions, *implied), demanded)
        return function

    return register


def conditions() -> list[str]:
    """Name all conditions of all checks, as ``check.condition``."""
    return [f"{id_}.{name}" for id_ in ORDER if id_ in ENTRIES for name in ENTRIES[id_].conditions]


def demands() -> frozenset[str]:
    """Name the checks that a caller can demand."""
    return frozenset(id_ for id_, entry in ENTRIES.items() if entry.demanded)


def examiners(claim: Claim) -> frozenset[str]:
    """Name the checks that look at the substance of a claim."""
    return frozenset(id_ for id_, entry in ENTRIES.items() if isinstance(claim, entry.examines))


def run_checks(case: Case, progress: Progress | None = None, *, only: Collection[str] = ORDER) -> tuple[Check, ...]:
    """Run every registered check, in order; ``progress`` is told the phase, what is done and the total."""
    ids = [id_ for id_ in ORDER if id_ in ENTRIES and id_ in only]
    for done, id_ in enumerate(ids, start=1):
        case.done.append(_run(ENTRIES[id_], case))
        if progress:
            progress("checks", done, len(ids))
    return tuple(case.done)


def _run(entry: Entry, case: Case) -> Check:
    hold = Hold(entry.id, entry.conditions)
    try:
        finding = _not_for(entry, case, hold) or entry.function(case, hold)
    except ShoalError:
        raise  # the audit's own input is at fault, not the release
    except (Exception, PanicException) as fault:
        # A release that a check cannot digest is not one that passed it. The message could quote the data.
        hold(COMPLETED, False, f"the check could not be completed ({type(fault).__name__})")
        finding = hold.stopped()
    return Check(entry.id, finding.status, finding.reason, finding.figures, finding.broken)


def _not_for(entry: Entry, case: Case, hold: Hold) -> Finding | None:
    """Say why a check cannot be run on this case, or None; figures tell whether it is about other releases."""
    other = _about_others(entry, case)
    reason = other or next(filter(None, map(case.missing, entry.needs)), None)
    if reason is None:
        return None
    if entry.demanded is not None and entry.demanded(case):
        hold(TRIED, False, f"the demand could not be tried: {reason}")
    return hold.not_run(reason, **({ABOUT_OTHERS: True} if other else {}))


def _about_others(entry: Entry, case: Case) -> str | None:
    if entry.kinds is not None and case.kind not in entry.kinds:
        held = "no known kind of release" if case.kind is None else case.kind.name
        return f"about {_listed([kind.name for kind in entry.kinds])}; data.parquet holds {held}"
    if entry.claims is not None and not isinstance(case.claim, entry.claims):
        return f"not claimed: {_listed([claim.name for claim in entry.claims])}"
    return None


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " or " + names[-1] if len(names) > 1 else names[0]
