"""Screening, as the papers do before anything else: people with too few samples a day are left out."""

import numpy as np
from numpy.typing import NDArray

from shoal.data.traces import Traces
from shoal.errors import ParameterError

_DAY_S = 86_400


def active_enough(traces: Traces, min_per_day: float) -> NDArray[np.bool_]:
    """Tell who has at least ``min_per_day`` samples per day of the data set's span.

    The span runs from the first to the last sample of anybody, rounded up to whole days, so that a person's own
    short presence counts against it.
    """
    if not 0 <= min_per_day < np.inf:
        raise ParameterError(
            f"--min-per-day {min_per_day}", expected="0 or more", hint="0 keeps everybody; the papers used 1"
        )
    start, end = traces.span_s
    days = -((start - end) // _DAY_S)
    return np.asarray(traces.lengths >= min_per_day * days)
