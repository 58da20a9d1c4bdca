"""What sort of data these are, as far as it decides how people in them can be protected."""

from typing import NamedTuple

import numpy as np

from shoal.measurement.tally import Tally

NATURES = {
    "events": "sparse events, such as check-ins: somebody is seen less than once a day",
    "calls": "events of daily life, such as calls: seen every day, at uneven times",
    "dense": "dense traces, such as GPS: seen every few minutes while on the move",
    "profiles": "profiles: how often somebody was active, where and at what times of day",
}

DENSE_GAP_S = 300
"""Half of all gaps between samples are no longer than that in dense traces."""

SPARSE_PER_DAY = 1.0
"""In sparse events half of the people are seen less often, counted over all days of the data."""


class Nature(NamedTuple):
    """A name of :data:`NATURES`, and what it was told by: medians over people, and over gaps."""

    name: str
    samples_per_day: float
    gap_s: float

    @property
    def words(self) -> str:
        return NATURES[self.name]


def nature_of(tally: Tally) -> Nature:
    """Tell sparse events, events of daily life and dense traces apart.

    >>> from shoal.data import read
    >>> times = [f"2020-01-01T00:{minute:02}:00Z" for minute in range(60)]
    >>> traces = read({"uid": ["a"] * 60, "datetime": times, "lat": [6.1] * 60, "lng": [-5.2] * 60})
    >>> nature_of(Tally.of(traces)).name
    'dense'
    """
    start, end = tally.span_s
    per_day = float(np.median(tally.samples)) / max((end - start) / 86_400, 1) if tally.samples.size else 0.0
    gap = tally.gaps.percentiles([50])[0] * tally.grid.dt_s if tally.gaps.total else float("inf")
    if gap <= DENSE_GAP_S:
        return Nature("dense", per_day, gap)
    return Nature("events" if per_day < SPARSE_PER_DAY else "calls", per_day, gap)
