"""What accuracy means, in a sentence: what half of the samples are still good for."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.datetime64]
Metres = NDArray[np.integer]

CITY_M = 30_000
"""Whoever is known to within that may be anywhere in a large city."""

_SPACE = (
    (500, "streets"),
    (2_000, "neighbourhoods"),
    (10_000, "towns"),
    (50_000, "regions"),
)
_TIME = (
    (30 * 60, "half hours"),
    (2 * 3600, "hours"),
    (12 * 3600, "parts of the day"),
    (48 * 3600, "days"),
)
_DAY_S, _HOUR_S = 86_400, 3_600


def useful_for(figures: Mapping[str, Any]) -> str | None:
    """Say what a release of boxes can still tell; None for other kinds, or where nothing is published.

    >>> spans = {"span_max_m": {"median": 1500.0, "q75": 9e3}, "span_s": {"median": 5400.0, "q75": 2e4}}
    >>> useful_for({"per_sample": spans})
    'Half of the samples are known to within 1.5 km and 90 minutes: enough to tell neighbourhoods and hours apart.'
    """
    spans = figures.get("per_sample")
    if not isinstance(spans, Mapping) or "span_max_m" not in spans or not spans["span_s"]["median"]:
        return None
    metres, seconds = spans["span_max_m"]["median"], spans["span_s"]["median"]
    known = f"Half of the samples are known to within {metres / 1000:.3g} km and {_lasting(seconds)}"
    where, when = _told_apart(spans["span_max_m"], _SPACE), _told_apart(spans["span_s"], _TIME)
    if where and when:
        return f"{known}: enough to tell {where} and {when} apart."
    lost = " and ".join(words for words, kept in (("in space", where), ("in time", when)) if not kept)
    return (
        f"{known}: too coarse {lost} for most uses. People may be too few, or too rarely seen, to hide each other "
        "this way: publish fewer days, leave more out, or choose another mechanism."
    )


def boxes_in_words(
    t_start: Times, t_end: Times, x_min: Metres, x_max: Metres, y_min: Metres, y_max: Metres
) -> list[str]:
    """Say how large published boxes are, and warn where half of them are of little use.

    Parameters
    ----------
    t_start, t_end
        Times.
    x_min, x_max, y_min, y_max
        Metres on the map.

    >>> day = np.array(["2020-01-01", "2020-01-04"], "datetime64[s]")
    >>> low, high = np.zeros(1, np.int32), np.full(1, 400, np.int32)
    >>> for line in boxes_in_words(day[:1], day[1:], low, high, low, high): print(line)
    accuracy: half of the boxes are at most 0.4 km wide and last at most 3 days
    warning: boxes that last for days are of little use; see: shoal choose DATA --need "500 m, 30 min"
    """
    seconds = float(np.median((t_end - t_start) / np.timedelta64(1, "s")))
    metres = float(np.median(np.maximum(x_max - x_min, y_max - y_min)))
    lines = [
        f"accuracy: half of the boxes are at most {metres / 1000:.3g} km wide and last at most {_lasting(seconds)}"
    ]
    bad = [
        words
        for words, is_so in (("last for days", seconds >= _DAY_S), ("are wider than a city", metres > CITY_M))
        if is_so
    ]
    if bad:
        lines.append(
            f'warning: boxes that {" and ".join(bad)} are of little use; see: shoal choose DATA --need "500 m, 30 min"'
        )
    return lines


def _told_apart(spread: Mapping[str, float], limits: tuple[tuple[int, str], ...]) -> str | None:
    """What half of the samples tell apart; nothing where a quarter of them is beyond all limits."""
    if spread["q75"] > limits[-1][0]:
        return None
    return next((words for limit, words in limits if spread["median"] <= limit), None)


def _lasting(seconds: float) -> str:
    if seconds >= 2 * _DAY_S:
        return f"{seconds / _DAY_S:.3g} days"
    if seconds >= 2 * _HOUR_S:
        return f"{seconds / _HOUR_S:.3g} hours"
    return "a minute" if seconds == 60 else f"{seconds / 60:.3g} minutes"
