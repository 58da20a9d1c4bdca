"""Screening, as the papers do before anything else: people with too few records a day are left out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.fixes import Fixes
from shoal.data.layout import Span
from shoal.data.profiles import Profiles
from shoal.data.traces import Traces
from shoal.errors import ParameterError, given

_DAY_S = 86_400


def active_enough(data: Traces | Fixes | Profiles, min_per_day: float, span_s: Span | None = None) -> NDArray[np.bool_]:
    """Tell who has at least ``min_per_day`` records per day of the data set's span.

    Samples of traces count, and points of fixes without those that are equal. The span runs from the first to the last
    of anybody's, rounded up to whole days, so that a person's own short presence counts against it. ``span_s`` is that
    of all data where these are some people's.
    """
    if not 0 <= min_per_day < np.inf:
        raise ParameterError(
            given("min_per_day", min_per_day), expected="0 or more", hint="0 keeps everybody; the papers used 1"
        )
    refuse_to_screen(type(data), min_per_day)
    records = data.records_per_person
    if records is None:
        return np.ones(len(data.ids), np.bool_)
    start, end = data.span_s if span_s is None else span_s
    days = -((start - end) // _DAY_S)
    return np.asarray(records >= min_per_day * days)


def refuse_to_screen(takes: type[Any], min_per_day: float) -> None:
    """Refuse to screen data that do not say how often somebody was seen; good to know before they are read.

    >>> refuse_to_screen(Traces, 1), refuse_to_screen(Profiles, 0)
    (None, None)
    """
    if issubclass(takes, Profiles) and min_per_day > 0:
        raise ParameterError(
            given("min_per_day", min_per_day),
            expected="0 for profiles, which do not say how often somebody was seen",
            hint="screen the events that they are made from",
        )
