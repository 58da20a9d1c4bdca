"""A finished piece of work: what one mechanism did to the data, as figures, kept on disk as JSON.

A piece holds aggregates only. It says what it was made from; where that is not what is asked for, it is made again.
"""

import json
import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.attacks.poi import Stays, find_stays, poi_retrieval
from shoal.attacks.released import open_release
from shoal.files.durable import whole_file
from shoal.progress import Progress
from shoal.reproduce.findings import CURVE_POINTS
from shoal.reproduce.promesse.plan import Job
from shoal.reproduce.promesse.prepared import Prepared
from shoal.usefulness.compared import SecretDirectory
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.lines import Lines
from shoal.usefulness.points import ComparedPoints, compare, retrieved, spatial_errors
from shoal.usefulness.ranges import Queries, count, distortion, draw
from shoal.workers import Workers, workers

Figures = dict[str, Any]

_STEPS = 5
_DRAWN_FOR_CURVES = 1_000_000


@dataclass
class Raw:
    """The prepared data, and what is measured in them once for all mechanisms."""

    data: Prepared
    seed: int

    @cached_property
    def queries(self) -> Queries:
        return draw(self.data.traces, np.random.default_rng(self.seed))

    @cached_property
    def counts(self) -> Ints:
        with workers() as crew:
            return count(self.data.traces, self.queries, crew)

    def stays(self, compared: ComparedPoints, crew: Workers) -> Stays:
        if "_stays" not in vars(self):
            self._stays = find_stays(compared.traces, crew)
        return self._stays

    def lines(self, compared: ComparedPoints, crew: Workers) -> Lines:
        if "_lines" not in vars(self):
            self._lines = Lines.through(compared.traces, crew)
        return self._lines


def kept_piece(path: Path, made_from: Figures) -> Figures | None:
    """Return the figures that are there, if they were made from the same."""
    try:
        piece = json.loads(path.read_text(encoding="utf-8"))
        return dict(piece["figures"]) if piece["made_from"] == made_from else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def make_piece(path: Path, made_from: Figures, job: Job, raw: Raw, progress: Progress) -> Figures:
    """Protect, publish, measure, and keep the figures."""
    figures = _measured(job, raw, progress)
    with whole_file(path, replace=True) as file:
        file.write((json.dumps({"made_from": made_from, "figures": figures}, indent=1) + "\n").encode())
    return figures


def _measured(job: Job, raw: Raw, progress: Progress) -> Figures:
    """Measure what is published: bytes on the disk, read by those who would."""
    traces = raw.data.traces
    with tempfile.TemporaryDirectory() as folder:
        progress("protecting", 0, _STEPS)
        wall, cpu = time.perf_counter(), time.process_time()
        written = job.made().protect(traces, seed=raw.seed).write(Path(folder) / "release", record=False)
        seconds, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
        progress("reading", 1, _STEPS)
        released = open_release(written)
        compared = compare(released, SecretDirectory(Path(f"{written}.secret")), traces, None)
    with workers() as crew:
        progress("stops", 2, _STEPS)
        true = raw.stays(compared, crew)
        found = poi_retrieval(compared.traces, compared.published, crew, true, raw.data.person_of)
        progress("ways", 3, _STEPS)
        errors = spatial_errors(compared, crew, raw.lines(compared, crew))
        progress("ranges", 4, _STEPS)
        off = distortion(raw.counts, count(compared.published, raw.queries, crew))
    progress("ranges", _STEPS, _STEPS)
    records, of_everybody = compared.published.t_us.size, compared.published_per_person
    return {
        "poi_per_trace": retrieved(found.per_trace),
        "poi_per_person": retrieved(found.per_person),
        "spatial_error_m": errors.mean,
        "spatial_error_standard_error_m": errors.standard_error,
        "spatial_error_curve_m": _curve(errors.metres),
        "distortion": off.mean,
        "distortion_standard_error": off.standard_error,
        "records": records,
        "traces": int((of_everybody > 0).sum()),
        "compression": records / traces.points,
        "created": int(np.maximum(of_everybody - traces.lengths, 0).sum()),
        "deleted": int(np.maximum(traces.lengths - of_everybody, 0).sum()),
        "seconds": seconds,
        "cpu_s": cpu_s,
    }


def _curve(metres: Floats) -> list[float]:
    """Values at evenly spaced shares, of every so many-th point."""
    some = metres[:: max(metres.size // _DRAWN_FOR_CURVES, 1)]
    return [round(float(v), 3) for v in np.quantile(some, np.linspace(0, 1, CURVE_POINTS), method="inverted_cdf")]
