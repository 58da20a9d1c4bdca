"""What an audit says: one line per check, and whether any of them failed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["pass", "fail", "not_run"]


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check.

    Attributes
    ----------
    id
        Stable name.
    status
        ``not_run`` is never ``pass``: nothing was shown.
    reason
        One line; no identifier, no coordinate, no value of the data.
    figures
        Counts and shares.
    """

    id: str
    status: Status
    reason: str
    figures: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "status": self.status, "reason": self.reason, "figures": dict(self.figures)}


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """All checks of one release. It is fine when none failed; what was not run stays unknown."""

    mechanism: str | None
    require_k: int | None
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[str, ...]:
        """Ids of the checks that failed."""
        return tuple(check.id for check in self.checks if check.status == "fail")

    def __getitem__(self, id_: str) -> Check:
        """Return a check by its id."""
        for check in self.checks:
            if check.id == id_:
                return check
        raise KeyError(id_)

    def __repr__(self) -> str:
        counts = {status: sum(c.status == status for c in self.checks) for status in ("pass", "fail", "not_run")}
        what = f"{counts['pass']} passed, {counts['fail']} failed, {counts['not_run']} not run"
        return f"Verdict({'ok' if self.ok else 'broken'}: {what})"

    def to_dict(self) -> dict[str, Any]:
        """Return what ``audit.json`` holds."""
        return {
            "ok": self.ok,
            "mechanism": self.mechanism,
            "require_k": self.require_k,
            "checks": [check.to_dict() for check in self.checks],
        }
