"""Screening, as the papers do before anything else: people with too few records a day are left out."""

import numpy as np
from numpy.typing import NDArray

from shoal.data.fixes import Fixes
from shoal.data.profiles import Profiles
from shoal.data.traces import Traces
from shoal.errors import ParameterError, given

_DAY_S = 86_400


def active_enough(data: Traces | Fixes | Profiles, min_per_day: float) -> NDArray[np.bool_]:
    """Tell who has at least ``min_per_day`` records per day of the data set's span.

    Samples of traces count, and points of fixes without those that are equal. The span runs from the first to the last
    of anybody's, rounded up to whole days, so that a person's own short presence counts against it.
    """
    if not 0 <= min_per_day < np.inf:
        raise ParameterError(
            given("min_per_day", min_per_day), expected="0 or more", hint="0 keeps everybody; the papers used 1"
        )
    records = data.records_per_person
    if records is None:
        if min_per_day > 0:
            raise ParameterError(
                given("min_per_day", min_per_day),
                expected="0 for profiles, which do not say how often somebody was seen",
                hint="screen the events that they are made from",
            )
        return np.ones(len(data.ids), np.bool_)
    start, end = data.span_s
    days = -((start - end) // _DAY_S)
    return np.asarray(records >= min_per_day * days)
