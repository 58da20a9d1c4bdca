"""Audit what is broken on purpose: each must be rejected for the right reason, and the sound ones must pass."""

import tempfile
from collections.abc import Callable, Collection, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.auditor import case, checks
from shoal.auditor.registry import ENTRIES, ORDER, run_checks
from shoal.auditor.selftest import (
    broken_books,
    broken_boxes,
    broken_cell_noise,
    broken_cells,
    broken_container,
    broken_cylinders,
    broken_groups,
    broken_manifest,
    broken_names,
    broken_noise,
    broken_parameters,
    broken_raw,
    broken_report,
    broken_smoothing,
    broken_values,
    broken_windows,
    broken_withheld,
)
from shoal.auditor.selftest.broken import FULL, QUICK, Broken, Demands
from shoal.auditor.selftest.draft import Draft, Written
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.auditor.selftest.sound_cell_noise import sound_cell_noise
from shoal.auditor.selftest.sound_cells import sound_cells
from shoal.auditor.selftest.sound_cylinders import sound_cylinders
from shoal.auditor.selftest.sound_noise import sound_noise
from shoal.auditor.selftest.sound_points import sound_points
from shoal.auditor.selftest.sound_profiles import sound_profiles
from shoal.auditor.selftest.sound_smoothing import sound_smoothing
from shoal.auditor.selftest.sound_windows import sound_windows
from shoal.auditor.verdict import Status, Verdict
from shoal.contract.claims import (
    CellNoise,
    Claim,
    Cylinder,
    GeoIndistinguishability,
    KAnonymity,
    KAnonymousCells,
    Nothing,
    SpeedSmoothing,
    WindowHiding,
)
from shoal.contract.files import MAPPING
from shoal.contract.kinds import BOXES, KINDS, POINTS, PROFILES, Kind
from shoal.progress import Progress

ALL: tuple[Broken, ...] = (
    *(*broken_manifest.SCHEMA, *broken_container.METADATA, *broken_container.FILES, *broken_container.DIGESTS),
    *(*broken_values.TOKENS, *broken_values.NUMBERS, *broken_boxes.GRID, *broken_boxes.SANE, *broken_groups.GROUPS),
    *(*broken_manifest.PROMISE, *broken_names.RAW_IDS, *broken_books.MAPPING, *broken_books.ORDER),
    *(*broken_boxes.SAMPLES, *broken_books.EVERYONE, *broken_groups.ATTACKS, *broken_groups.DEMANDS),
    *(*broken_parameters.VALUES, *broken_parameters.RAW, *broken_parameters.DATA, *broken_withheld.WITHHELD),
    *(*broken_manifest.CLAIM, *broken_report.PAGE),
    *(*broken_raw.RAW, *broken_manifest.SAID, *broken_windows.WINDOWS, *broken_windows.BESIDE),
    *(*broken_smoothing.SMOOTHING, *broken_noise.NOISE, *broken_noise.SAID, *broken_noise.BUDGETS),
    *broken_cylinders.CYLINDERS,
    *(*broken_cells.CELLS, *broken_cells.LISTED, *broken_cell_noise.CELL_NOISE, *broken_cell_noise.CELL_BUDGETS),
)
"""At least one for every condition of every check, and for each kind where the condition means something else."""

Sort = Kind | type[Claim]
"""A sound release is named by its kind, or by its claim where that is another than is usual for the kind."""

SOUND: dict[Sort, Callable[[], Draft]] = {
    BOXES: sound_boxes,
    POINTS: sound_points,
    PROFILES: sound_profiles,
    WindowHiding: sound_windows,
    SpeedSmoothing: sound_smoothing,
    GeoIndistinguishability: sound_noise,
    Cylinder: sound_cylinders,
    KAnonymousCells: sound_cells,
    CellNoise: sound_cell_noise,
}

_CLAIMED: dict[Kind, type[Claim]] = {BOXES: KAnonymity, POINTS: Nothing, PROFILES: Nothing}
"""What the usual sound ones claim."""

_NO_PAGE, _NAMES = "page", "tokens"
"""Made-up releases have no page; and the check that tries rules on names."""

_ON_POINTS = ("attack_nearest", "attack_relinking", "attack_seen_times")

_NOTES: dict[Sort, tuple[str, ...]] = {
    POINTS: _ON_POINTS,
    SpeedSmoothing: (*_ON_POINTS, "attack_ring"),
    GeoIndistinguishability: (*_ON_POINTS, "attack_averaging"),
    Cylinder: _ON_POINTS,
    PROFILES: ("attack_profile",),
    KAnonymousCells: ("attack_profile", "cells_alike"),
    CellNoise: ("attack_profile",),
    BOXES: ("insider", "homogeneity"),
    WindowHiding: (
        *("insider", "homogeneity", "attack_points", "attack_top_places", "attack_whole_trace", "attack_times"),
    ),
}
"""What reports rates alone."""

_NOT_DEMANDED = ("require_k", "intersection")
"""Nobody asks for more than windows that hide: whole lives are in no crowd."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A made-up release, broken or sound, and what the auditor said."""

    sort: Sort
    broken: Broken | None
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        broken = self.broken
        return {
            "broken": f"nothing ({self.sort.name})" if broken is None else broken.words,
            "expected_id": None if broken is None else broken.expected_id,
            "condition": None if broken is None else broken.condition,
            "rejected_by": list(self.verdict.failed),
            "ok": self._sound() if broken is None else broken.condition in self.verdict.broken,
        }

    def _sound(self) -> bool:
        """Whether every check came to what it has to on a sound release."""
        found = {check.id: check.status for check in self.verdict.checks}
        return found == {id_: sound_status(id_, self.sort) for id_ in ORDER}


def sound_status(id_: str, sort: Sort) -> Status:
    """Tell what a check has to say about a sound release."""
    entry, kind = ENTRIES.get(id_), sort if isinstance(sort, Kind) else KINDS[sort.kinds[0]]
    if entry is None or id_ == _NO_PAGE or (entry.kinds is not None and kind not in entry.kinds):
        return "not_run"
    if entry.claims is not None and (_CLAIMED[sort] if isinstance(sort, Kind) else sort) not in entry.claims:
        return "not_run"
    if sort is WindowHiding and id_ in _NOT_DEMANDED:
        return "not_run"
    return "note" if id_ in _NOTES.get(sort, ()) else "pass"


def self_test(progress: Progress | None = None) -> list[dict[str, Any]]:
    """Return a row per made-up release: ``broken, expected_id, condition, rejected_by, ok``."""
    return [trial.to_dict() for trial in trials((*SOUND, *ALL), progress=progress)]


def trials(
    releases: Iterable[Sort | Broken], *, only: Collection[str] = ORDER, progress: Progress | None = None
) -> list[Trial]:
    """Make releases, sound ones or broken ones, and audit them, in a temporary directory."""
    assert checks.THEMES
    wanted, done = list(releases), list[Trial]()
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        stock = _Stock(Path(folder) / "sound")
        for number, release in enumerate(wanted):
            broken = release if isinstance(release, Broken) else None
            sort = release.sort if isinstance(release, Broken) else release
            done.append(Trial(sort, broken, _verdict(stock, sort, broken, Path(folder) / str(number), only)))
            if progress:
                progress("releases", number + 1, len(wanted))
    return done


class _Stock:
    """Sound releases, made once each: trials change copies of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts: dict[Sort, Draft] = {}
        self._earlier: dict[tuple[Sort, str], Written] = {}

    def draft(self, sort: Sort) -> Draft:
        if sort not in self._drafts:
            self._drafts[sort] = SOUND[sort]()
        draft = self._drafts[sort]
        return replace(draft, manifest=deepcopy(draft.manifest), tables=dict(draft.tables))

    def earlier(self, sort: Sort, which: str) -> list[case.Earlier]:
        """Another release of the same people, or of others."""
        if which == "none":
            return []
        if (sort, which) not in self._earlier:
            draft = self.draft(POINTS if which == "other kind" else sort)
            written = self._earlier[sort, which] = draft.write(self._folder / str(len(self._earlier)))
            if which == "regrouped":
                _regroup(written)
        written = self._earlier[sort, which]
        return [case.Earlier(written.release, written.secret)]


def _verdict(stock: _Stock, sort: Sort, broken: Broken | None, folder: Path, only: Collection[str]) -> Verdict:
    draft = stock.draft(sort)
    usual = Demands() if sort is not BOXES else FULL if broken is None else QUICK
    demands = (broken and broken.demands) or usual
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
        earlier=stock.earlier(sort, demands.earlier),
        max_targets=demands.max_targets,
        # Most of the time goes there; a release that is broken elsewhere has the names of a sound one.
        guess_names=broken is None or broken.expected_id == _NAMES,
    )
    return Verdict(None, None, demands.require_k, run_checks(material, only=only))


def _regroup(written: Written) -> None:
    """Move every name to the next person."""
    path = written.secret / f"{MAPPING}.parquet"
    table = pl.read_parquet(path)
    people = table["original_uid"]
    pl.DataFrame({"original_uid": pl.concat([people[1:], people[:1]]), "uid": table["uid"]}).write_parquet(path)
