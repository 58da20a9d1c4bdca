"""Audit what is broken on purpose: each must be rejected for the right reason, and the sound ones must pass."""

import tempfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.auditor import case, checks
from shoal.auditor.registry import ENTRIES, ORDER, run_checks
from shoal.auditor.selftest import (
    broken_books,
    broken_boxes,
    broken_container,
    broken_groups,
    broken_manifest,
    broken_names,
    broken_parameters,
    broken_values,
)
from shoal.auditor.selftest.broken import FULL, QUICK, Broken, Demands
from shoal.auditor.selftest.draft import Draft, Written
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_points import sound_points
from shoal.auditor.selftest.sound_profiles import sound_profiles
from shoal.auditor.verdict import Status, Verdict
from shoal.contract.claims import Claim, KAnonymity, Nothing
from shoal.contract.files import MAPPING
from shoal.contract.kinds import BOXES, KINDS, POINTS, PROFILES, Kind
from shoal.progress import Progress

ALL: tuple[Broken, ...] = (
    *(*broken_manifest.SCHEMA, *broken_container.METADATA, *broken_container.FILES, *broken_container.DIGESTS),
    *(*broken_values.TOKENS, *broken_values.NUMBERS, *broken_boxes.GRID, *broken_boxes.SANE, *broken_groups.GROUPS),
    *(*broken_manifest.PROMISE, *broken_names.RAW_IDS, *broken_books.MAPPING, *broken_books.ORDER),
    *(*broken_boxes.SAMPLES, *broken_books.EVERYONE, *broken_groups.ATTACKS, *broken_groups.DEMANDS),
    *(*broken_parameters.VALUES, *broken_parameters.RAW, *broken_parameters.DATA, *broken_manifest.CLAIM),
)
"""At least one for every condition of every check, and for each kind where the condition means something else."""

SOUND: dict[Kind, Callable[[], Draft]] = {BOXES: sound_boxes, POINTS: sound_points, PROFILES: sound_profiles}

_CLAIMED: dict[Kind, type[Claim]] = {BOXES: KAnonymity, POINTS: Nothing, PROFILES: Nothing}
"""What the sound ones claim."""

_NOTES, _NO_PAGE = ("insider", "homogeneity"), "page"
"""What reports rates alone; and made-up releases have no page."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A made-up release, broken or sound, and what the auditor said."""

    kind: Kind
    broken: Broken | None
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        broken = self.broken
        return {
            "broken": f"nothing ({self.kind.name})" if broken is None else broken.words,
            "expected_id": None if broken is None else broken.expected_id,
            "condition": None if broken is None else broken.condition,
            "rejected_by": list(self.verdict.failed),
            "ok": self._sound() if broken is None else broken.condition in self.verdict.broken,
        }

    def _sound(self) -> bool:
        """Whether every check came to what it has to on a sound release."""
        found = {check.id: check.status for check in self.verdict.checks}
        return found == {id_: sound_status(id_, self.kind) for id_ in ORDER}


def sound_status(id_: str, kind: Kind) -> Status:
    """Tell what a check has to say about the sound release of a kind."""
    entry = ENTRIES.get(id_)
    if entry is None or id_ == _NO_PAGE or (entry.kinds is not None and kind not in entry.kinds):
        return "not_run"
    if entry.claims is not None and _CLAIMED[kind] not in entry.claims:
        return "not_run"
    return "note" if id_ in _NOTES else "pass"


def self_test(progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return a row per made-up release: ``broken, expected_id, condition, rejected_by, ok``."""
    return [trial.to_dict() for trial in trials((*KINDS.values(), *ALL), progress=progress)]


def trials(
    releases: Iterable[Kind | Broken], *, only: Collection[str] = ORDER, progress: Progress | None = None
) -> list[Trial]:
    """Make releases, sound ones of a kind or broken ones, and audit them, in a temporary directory."""
    assert checks.THEMES
    wanted, done = list(releases), list[Trial]()
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        for number, release in enumerate(wanted):
            broken = release if isinstance(release, Broken) else None
            kind = release if broken is None else broken.kind
            assert isinstance(kind, Kind)
            done.append(Trial(kind, broken, _verdict(kind, broken, Path(folder) / str(number), only)))
            if progress:
                progress("releases", number + 1, len(wanted))
    return done


def _verdict(kind: Kind, broken: Broken | None, folder: Path, only: Collection[str]) -> Verdict:
    draft = SOUND[kind]()
    usual = Demands() if kind is not BOXES else FULL if broken is None else QUICK
    demands = (broken and broken.demands) or usual
    earlier = _earlier(draft, demands, folder / "earlier")
    if broken is not None and broken.change is not None:
        broken.change(draft)
    written = draft.write(folder / "now")
    if broken is not None and broken.tamper is not None:
        broken.tamper(written)
    material = case.Case(
        written.release,
        original=written.original,
        secret=written.secret,
        require_k=demands.require_k,
        earlier=earlier,
        max_targets=demands.max_targets,
    )
    return Verdict(None, None, demands.require_k, run_checks(material, only=only))


def _earlier(draft: Draft, demands: Demands, folder: Path) -> list[case.Earlier]:
    if demands.earlier == "none":
        return []
    written = (sound_points() if demands.earlier == "other kind" else draft).write(folder)
    if demands.earlier == "regrouped":
        _regroup(written)
    return [case.Earlier(written.release, written.secret)]


def _regroup(written: Written) -> None:
    """Move every name to the next person."""
    path = written.secret / f"{MAPPING}.parquet"
    table = pl.read_parquet(path)
    people = table["original_uid"]
    pl.DataFrame({"original_uid": pl.concat([people[1:], people[:1]]), "uid": table["uid"]}).write_parquet(path)
