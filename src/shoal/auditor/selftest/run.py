"""Audit what is broken on purpose: each must be rejected for the right reason, and the sound one must pass."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.auditor.registry import ORDER
from shoal.auditor.run import audit
from shoal.auditor.selftest.broken import ALL, Broken
from shoal.auditor.selftest.draft import Written
from shoal.auditor.selftest.people import sound_draft
from shoal.auditor.verdict import Verdict

_NOT_RUN_WHEN_SOUND = {"page"}
"""The made-up release has no page."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A broken release, or None for the sound one, and what the auditor said."""

    broken: Broken | None
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        rejected = list(self.verdict.failed)
        if self.broken is None:
            return {"broken": "nothing", "expected_id": None, "rejected_by": rejected, "ok": _sound(self.verdict)}
        return {
            "broken": self.broken.words,
            "expected_id": self.broken.expected_id,
            "rejected_by": rejected,
            "ok": self.broken.expected_id in rejected,
        }


def self_test() -> list[dict[str, Any]]:
    """Return a row per made-up release: ``broken, expected_id, rejected_by, ok``."""
    return [trial.to_dict() for trial in trials()]


def trials() -> list[Trial]:
    """Make and audit them all, in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        return [_trial(broken, Path(folder) / str(number)) for number, broken in enumerate((None, *ALL))]


def _trial(broken: Broken | None, folder: Path) -> Trial:
    draft = sound_draft()
    earlier = draft.write(folder / "earlier")
    if broken is not None and broken.change is not None:
        broken.change(draft)
    written = draft.write(folder / "now")
    if broken is not None and broken.tamper is not None:
        broken.tamper(written)
    if broken is not None and broken.regrouped:
        _regroup(earlier)
    verdict = audit(
        written.release,
        original=written.original,
        secret=written.secret,
        require_k=(broken and broken.require_k) or 2,
        earlier=[(earlier.release, earlier.secret)],
    )
    return Trial(broken, verdict)


def _regroup(written: Written) -> None:
    """Move every name of the earlier release to the next person."""
    path = written.secret / "mapping.parquet"
    table = pl.read_parquet(path)
    people = table["original_uid"]
    pl.DataFrame({"original_uid": pl.concat([people[1:], people[:1]]), "uid": table["uid"]}).write_parquet(path)


def _sound(verdict: Verdict) -> bool:
    """Whether every check ran and passed."""
    status = {check.id: check.status for check in verdict.checks}
    return all(status.get(id_) == ("not_run" if id_ in _NOT_RUN_WHEN_SOUND else "pass") for id_ in ORDER)
