"""The other columns of GLOVE's Table 2: Wait For Me on the same people (δ = 2 km, a trash of 10 %).

W4M moves people to times at which they were not seen, and publishes one trace of each cluster as it was: its columns
stand beside GLOVE's because the paper has them, not because the promises are alike.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data import Traces
from shoal.files.durable import whole_file
from shoal.mechanisms.w4m.clusters import Rule, cluster
from shoal.mechanisms.w4m.published import bend
from shoal.mechanisms.w4m.tracks import Tracks, mean_speed
from shoal.progress import Progress
from shoal.reproduce.findings import Finding
from shoal.reproduce.glove.judge import usual_reason
from shoal.reproduce.glove.printed import TABLE_2_W4M
from shoal.workers import workers

DELTA_M, TRASH, RADIUS_M = 2_000.0, 0.1, 5_000.0
"""The paper's settings; it names no radius, so it starts as in the mechanism, and grows."""


@dataclass(frozen=True)
class Bending:
    """What W4M did to the people of a data set, kept on disk as JSON.

    Attributes
    ----------
    made_from
        What it was made from: where that is not what is asked for, it is made again.
    people, samples, discarded, created, deleted
        Counts; ``deleted`` leaves out the samples of those who are discarded.
    position_error_m, time_error_s
        Means over published samples, the pivots' included.
    radius_m
        Up to which traces had to be taken together.
    """

    made_from: dict[str, Any]
    people: int
    samples: int
    discarded: int
    created: int
    deleted: int
    position_error_m: float
    time_error_s: float
    radius_m: float


Bendings = dict[str, dict[int, Bending]]
"""By data set and k."""


def kept_or_made(
    path: Path, made_from: dict[str, Any], k: int, load: Callable[[], Traces], seed: int, progress: Progress
) -> Bending:
    """Return what is kept of the same work, or do it.

    Parameters
    ----------
    path
        Where it is kept.
    made_from
        What it is made from.
    k
        Traces in a cluster.
    load
        Gives the people when they are needed.
    seed
        Draws the pivots.
    progress
        Told of all people.
    """
    try:
        kept = Bending(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        kept = None
    if kept is not None and kept.made_from == made_from:
        return kept
    found = _bend(load(), k, seed, made_from, progress)
    with whole_file(path, replace=True) as file:
        file.write((json.dumps(asdict(found), indent=1) + "\n").encode())
    return found


def _bend(traces: Traces, k: int, seed: int, made_from: dict[str, Any], progress: Progress) -> Bending:
    tracks = tracks_on_grid(traces)
    with workers() as crew:
        rule = Rule(k, DELTA_M, RADIUS_M, TRASH)
        clusters = cluster(tracks, rule, np.random.default_rng(seed), progress, workers=crew)
    bent = bend(tracks, clusters.pivot_of, DELTA_M)
    published = max(int(bent.offsets[-1]), 1)
    return Bending(
        made_from,
        len(traces),
        traces.samples,
        int((clusters.pivot_of < 0).sum()),
        bent.created,
        bent.deleted,
        bent.moved_m / published,
        bent.waited_s / published,
        clusters.radius_m,
    )


def tracks_on_grid(traces: Traces) -> Tracks:
    """Traces in metres as they lie on the grid: the same samples that GLOVE is given."""
    metre = np.ones(traces.samples)
    x, y = (values.astype(np.float64) * traces.grid.cell_m for values in (traces.x, traces.y))
    seconds = (traces.t - traces.t.min()).astype(np.float64) * traces.grid.dt_s
    speed = mean_speed(traces.offsets, seconds, x, y, metre, metre)
    return Tracks(traces.offsets, (x, y, metre, metre, speed * seconds), speed)


def findings_of(bendings: Bendings) -> Iterator[Finding]:
    """What the paper prints about W4M, beside what was measured."""
    for name, by_k in bendings.items():
        for k, bending in by_k.items():
            yield from _findings(name, k, bending)


def _findings(name: str, k: int, bending: Bending) -> Iterator[Finding]:
    printed = TABLE_2_W4M.get((name, k))
    note = f"{usual_reason(name, bending.people)}; the radius grew to {bending.radius_m / 1000:.0f} km"
    for what, theirs, ours, form in (
        ("people discarded", "discarded_percent", 100 * bending.discarded / bending.people, "{:.1f} %"),
        ("samples created", "created_percent", 100 * bending.created / bending.samples, "{:.1f} %"),
        ("samples deleted", "deleted_percent", 100 * bending.deleted / bending.samples, "{:.1f} %"),
        ("mean position error", "position_error_m", bending.position_error_m, "{:,.0f} m"),
        ("mean time error", "time_error_min", bending.time_error_s / 60, "{:,.0f} min"),
    ):
        wanted = form.format(getattr(printed, theirs)) if printed else ""
        yield Finding(f"Table 2, W4M-LC, k = {k}, {name}", what, wanted, {"w4m": form.format(ours)}, note)
