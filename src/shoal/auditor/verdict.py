"""What an audit says: one line per check, and whether any of them failed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from shoal.contract.files import ABOUT_OTHERS
from shoal.shown import paragraph, table

Status = Literal["pass", "fail", "note", "not_run"]
WORDS: dict[Status, str] = {"fail": "failed", "pass": "passed", "note": "noted", "not_run": "not run"}


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check.

    Attributes
    ----------
    id
        Stable name.
    status
        ``note`` tells a rate that no promise is about; ``not_run`` is never ``pass``: nothing was shown.
    reason
        One line; no identifier, no coordinate, no value of the data.
    figures
        Counts and shares.
    broken
        Names of the conditions that do not hold, of those of which the check is made.
    """

    id: str
    status: Status
    reason: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    broken: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "status": self.status, "reason": self.reason, "figures": dict(self.figures)}


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """All checks of one release. It is fine when none failed; what was not run stays unknown.

    Attributes
    ----------
    mechanism
        What the manifest calls it: a label that no check asks for.
    claim
        What the release claims, name and parameters; None where that is nothing known.
    require_k
        The demand that was made.
    checks
        In a fixed order.
    kept
        Where the verdict was written, in the secret directory; None where there is none, or it could not be.
    not_kept
        Why it could not be written.
    """

    mechanism: str | None
    claim: Mapping[str, Any] | None
    require_k: int | None
    checks: tuple[Check, ...]
    kept: Path | None = None
    not_kept: str | None = None

    @property
    def ok(self) -> bool:
        """Whether no check failed. A claim that nothing examined and a demand that was not tried are failed checks."""
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """Ids of the checks that failed."""
        return tuple(check.id for check in self.checks if check.status == "fail")

    @property
    def broken(self) -> frozenset[str]:
        """All broken conditions, as ``check.condition``."""
        return frozenset(f"{check.id}.{name}" for check in self.checks for name in check.broken)

    def __getitem__(self, id_: str) -> Check:
        """Return a check by its id."""
        for check in self.checks:
            if check.id == id_:
                return check
        raise KeyError(id_)

    def __repr__(self) -> str:
        counts = (f"{sum(c.status == status for c in self._mine)} {words}" for status, words in WORDS.items())
        return f"Verdict({'ok' if self.ok else 'not ok'}: {', '.join(counts)})"

    @property
    def _mine(self) -> list[Check]:
        """Checks that are about such a release: those of other kinds leave nothing unknown."""
        return [check for check in self.checks if not check.figures.get(ABOUT_OTHERS)]

    def _repr_html_(self) -> str:
        order = list(WORDS)
        mine = sorted(self._mine, key=lambda check: order.index(check.status))
        lines = table(repr(self), [(WORDS[check.status], check.id, check.reason.replace("`", "")) for check in mine])
        return lines + paragraph("What was not run is unknown; a failed attack proves nothing.")

    def to_dict(self) -> dict[str, Any]:
        """Return what ``audit.json`` holds."""
        return {
            "ok": self.ok,
            "mechanism": self.mechanism,
            "claim": None if self.claim is None else dict(self.claim),
            "require_k": self.require_k,
            "checks": [check.to_dict() for check in self.checks],
        }
