"""A finished piece of work: what one mechanism did to the profiles, as figures, kept on disk as JSON.

A piece says what it was made from; where that is not what is asked for, it is made again.
"""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.attacks.released import open_release
from shoal.files.durable import whole_file
from shoal.progress import Progress
from shoal.reproduce.findings import CURVE_POINTS
from shoal.reproduce.primule.plan import Job
from shoal.reproduce.primule.raw import Raw
from shoal.usefulness.compared import SecretDirectory
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.sociometer.agreement import agreement, counts, f_scores_by_place
from shoal.usefulness.sociometer.labels import label_profiles

Figures = dict[str, Any]
_STEPS = 3


def kept_piece(path: Path, made_from: Figures) -> Figures | None:
    """Return the figures that are there, if they were made from the same."""
    try:
        piece = json.loads(path.read_text(encoding="utf-8"))
        return dict(piece["figures"]) if piece["made_from"] == made_from else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def make_piece(path: Path, made_from: Figures, job: Job, raw: Raw, shown: int, progress: Progress) -> Figures:
    """Protect, publish, measure, and keep the figures."""
    figures = _measured(job, raw, shown, progress)
    with whole_file(path, replace=True) as file:
        file.write((json.dumps({"made_from": made_from, "figures": figures}, indent=1) + "\n").encode())
    return figures


def _measured(job: Job, raw: Raw, shown: int, progress: Progress) -> Figures:
    """Measure what is published: bytes on the disk, read by those who would."""
    progress("protecting", 0, _STEPS)
    wall, cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        release = job.made().protect(raw.profiles, seed=raw.seed).write(Path(folder) / "release", record=False)
        seconds, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
        progress("reading", 1, _STEPS)
        owner, published = _aligned(release, raw)
    progress("Sociometer", 2, _STEPS)
    true, place = raw.labels[0][owner], raw.place[owner]
    found = label_profiles(place, published, seed=0).labels
    distance = np.sqrt(np.square(published - raw.profiles.values[owner]).sum(axis=1))
    similarity = 1 / (1 + distance)
    places = len(raw.names)
    figures: Figures = {
        "profiles": len(owner),
        "withheld": len(raw.profiles) - len(owner),
        "similarity": [round(float(v), 4) for v in np.quantile(similarity, np.linspace(0, 1, CURVE_POINTS))],
        "above": {str(limit): round(float((similarity > limit).mean()), 4) for limit in (0.7, 0.8, 0.95)},
        "information_loss": float(np.square(distance).mean()),
        "against_original": agreement(true, found),
        "f_score_by_place": _rounded(f_scores_by_place(place, true, found, places)),
        "counts": counts(place, found, places).tolist(),
        "shown": published[owner == shown][:1].tolist(),
        "seconds": round(seconds, 2),
        "cpu_s": round(cpu_s, 2),
    }
    if raw.truth is not None:
        figures["against_truth"] = agreement(raw.truth[owner], found)
    progress("Sociometer", _STEPS, _STEPS)
    return figures


def _aligned(release: Path, raw: Raw) -> tuple[Ints, Floats]:
    """Return which raw profile each published one is, in the order of the raw ones, and the published values."""
    released = open_release(release)
    whose = pl.DataFrame(
        {
            "original_uid": pl.Series(raw.profiles.people).cast(pl.String),
            "municipality": pl.Series(raw.profiles.municipalities).cast(pl.String),
        }
    )
    owner = SecretDirectory(Path(f"{release}.secret")).owners(released.rows["uid"], whose)
    order = np.argsort(owner, kind="stable")
    values = released.rows.drop("uid", "municipality").to_numpy()
    return owner[order], values[order]


def _rounded(values: Floats) -> list[list[float | None]]:
    return [[None if np.isnan(v) else round(float(v), 4) for v in row] for row in values]
