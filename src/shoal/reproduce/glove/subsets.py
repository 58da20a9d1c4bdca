"""Parts of a data set: its first days (GLOVE Fig. 10), some of its people (Fig. 11)."""

from dataclasses import replace

import numpy as np

from shoal.data import Traces

DAY_S = 86_400


def first_days(traces: Traces, days: int) -> Traces:
    """Keep the samples of the first days, counted in UTC from the day of the first sample, and who has any."""
    start = traces.span_s[0] // DAY_S * DAY_S
    kept = traces.t.astype(np.int64) * traces.grid.dt_s < start + days * DAY_S
    lengths = np.bincount(traces.owner[kept], minlength=len(traces))
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    cut = replace(traces, offsets=offsets, t=traces.t[kept], x=traces.x[kept], y=traces.y[kept])
    return cut.select(lengths > 0)


def days_of(traces: Traces) -> int:
    """How many UTC days the data touch."""
    start, end = traces.span_s
    return -(-end // DAY_S) - start // DAY_S


def some_people(traces: Traces, percent: float, seed: int) -> Traces:
    """Keep so many percent of the people, drawn at random; fewer percent are part of more."""
    order = np.random.default_rng(seed).permutation(len(traces))
    return traces.select(np.sort(order[: round(percent / 100 * len(traces))]))
