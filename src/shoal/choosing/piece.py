"""One mechanism on some people: a release that is not for release, attacked and measured; figures kept as JSON.

A piece holds figures only. It says what it was made from; where that is not what is asked for, it is made again.
"""

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.auditor import audit
from shoal.choosing.settings import Setting
from shoal.contract.kinds import PROFILES
from shoal.errors import DataError, ParameterError
from shoal.files.durable import whole_file
from shoal.mechanisms.run import run, screened
from shoal.progress import Progress
from shoal.usefulness.measures import figures_of
from shoal.usefulness.run import beside
from shoal.usefulness.within import Need, hits

Figures = dict[str, Any]

_STEPS = 4


def kept_piece(path: Path, made_from: Mapping[str, Any]) -> Figures | None:
    """Return the figures that are there, if they were made from the same."""
    try:
        piece = json.loads(path.read_text(encoding="utf-8"))
        return dict(piece["figures"]) if piece["made_from"] == made_from else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep_piece(path: Path, made_from: Mapping[str, Any], figures: Figures) -> None:
    with whole_file(path, replace=True) as file:
        file.write((json.dumps({"made_from": made_from, "figures": figures}, indent=1) + "\n").encode())


def tried(
    setting: Setting,
    people: Any,
    progress: Progress,
    *,
    attacked: bool = True,
    measured: bool = True,
    need: Need | None = None,
) -> Figures:
    """Protect, publish into a directory that goes away, attack and measure what lies there; no ledger is touched.

    Parameters
    ----------
    setting
        The mechanism, and its parameters.
    people
        What it takes.
    progress
        Told about the steps.
    attacked, measured
        Whether to audit, and to run all measures.
    need
        How near is near enough; its share, with the standard error, people being drawn, is told as well.
    """
    mechanism = setting.made()
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        progress("protecting", 0, _STEPS)
        begun = time.perf_counter()
        try:
            release = run(mechanism, screened(mechanism, people)).stamped()
            written = release.write(Path(folder) / "release", record=False)
        except (DataError, ParameterError) as refused:
            return {"refused": f"{refused.found}; {refused.hint}"}
        figures: Figures = {
            "seconds": round(time.perf_counter() - begun, 2),
            "claim": release.manifest["promise"]["claim"],
        }
        progress("measuring", 1, _STEPS)
        kind, compared = beside(written, original=people)
        if measured:
            figures["utility"] = figures_of(kind, compared)
        if need and kind is not PROFILES:
            figures["need"] = _share(hits(compared, need), people.lengths)  # type: ignore[arg-type]
            figures["need"]["lost"] = _lost(figures, kind, compared)
        del compared
        if attacked:
            progress("attacking", 2, _STEPS)
            verdict = audit(written, original=people, secret=f"{written}.secret")
            figures["audit"] = {
                "failed": list(verdict.failed),
                "attacks": {check.id: check.to_dict() for check in verdict.checks if check.id.startswith("attack_")},
            }
        progress("attacking", _STEPS, _STEPS)
    return figures


def _lost(figures: Figures, kind: Any, compared: Any) -> float:
    told = figures.get("utility") or figures_of(kind, compared, only=("samples",))
    return float(told["samples_deleted_share"])


def _share(near: Any, lengths: Any) -> Figures:
    """The share of all samples, and its standard error if other people had been drawn."""
    starts = np.concatenate(([0], np.cumsum(lengths)))
    total = np.concatenate(([0], np.cumsum(near)))
    of_person = (total[starts[1:]] - total[starts[:-1]]).astype(np.float64)
    share = float(of_person.sum()) / max(int(lengths.sum()), 1)
    off = of_person - share * lengths
    error = float(np.sqrt((off**2).sum())) / max(int(lengths.sum()), 1)
    return {"share": share, "standard_error": error}
