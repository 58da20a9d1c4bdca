"""What a check is made of: conditions with names, each of which holds or breaks.

A check declares its conditions and states each of them by name, so that the self-test can show for every single one
that a release which breaks it is rejected, and that without it that release would pass.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from shoal.auditor.verdict import Status

COMPLETED = "completed"
"""A condition of every check: it came to an end. What a check cannot digest has not passed it."""

TRIED = "tried"
"""A condition of every demand: it could be tried."""

_REMOVED: set[str] = set()


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Take conditions (``check.condition``) out for a while: the self-test has to notice that they are gone."""
    _REMOVED.update(names)
    try:
        yield
    finally:
        _REMOVED.difference_update(names)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check came to: any broken condition makes it a fail."""

    status: Status
    reason: str
    figures: dict[str, Any] = field(default_factory=dict)
    broken: tuple[str, ...] = ()


class Hold:
    """States the conditions of one check, and turns them into its finding.

    >>> hold = Hold("mapping", ("names_known", "names_once"))
    >>> hold.none("names_known", 0, "names without a person"), hold("names_once", False, "a name stands twice")
    (True, False)
    >>> finding = hold.passed("one name for each person")
    >>> finding.status, finding.reason, finding.broken
    ('fail', 'a name stands twice', ('names_once',))
    """

    def __init__(self, id_: str, declared: tuple[str, ...]) -> None:
        self._id, self._declared = id_, declared
        self._broken: dict[str, str] = {}

    def __call__(self, name: str, fine: bool, words: str) -> bool:
        """Require a condition; ``words`` say what is wrong otherwise. Returns whether it holds."""
        assert name in self._declared, f"{self._id} does not declare a condition {name}"
        if not fine and f"{self._id}.{name}" not in _REMOVED:
            self._broken[name] = words
        return bool(fine)

    def none(self, name: str, count: int, words: str) -> bool:
        """Require that there is none of what ``words`` name."""
        return self(name, not count, f"{count:,} {words}")

    def passed(self, reason: str, **figures: Any) -> Finding:
        return self._finding("pass", reason, figures)

    def note(self, reason: str, **figures: Any) -> Finding:
        return self._finding("note", reason, figures)

    def not_run(self, reason: str, **figures: Any) -> Finding:
        return self._finding("not_run", reason, figures)

    def stopped(self, **figures: Any) -> Finding:
        """End at a broken condition, without which the rest cannot be looked at."""
        return self._finding("not_run", "could not be looked at", figures)

    def _finding(self, status: Status, reason: str, figures: dict[str, Any]) -> Finding:
        if not self._broken:
            return Finding(status, reason, figures)
        return Finding("fail", "; ".join(self._broken.values()), figures, tuple(self._broken))
