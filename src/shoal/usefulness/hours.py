"""When people are seen: the profile of the day, before and after."""

from typing import Any, NamedTuple

import numpy as np

from shoal.contract.kinds import BOXES, POINTS
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.likeness import earth_mover_on_a_circle, jensen_shannon
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.views import View, Viewed

HOURS = 24
_HOUR_S = 3_600
_DAY_S = HOURS * _HOUR_S
_CHUNK = 500_000


class Profile(NamedTuple):
    """Rows in each hour of the day: inside it, spread by duration, and touching it."""

    definite: Floats
    expected: Floats
    possible: Floats


def profile(view: View, offset_s: int) -> Profile:
    """Count the rows of each hour of the day, by a clock that is ``offset_s`` ahead of UTC.

    Parameters
    ----------
    view
        The rows; those without duration are in one hour.
    offset_s
        What the clock is ahead.
    """
    t0, t1 = view.t0 + offset_s, view.t1 + offset_s
    first, last = t0 // _HOUR_S, np.maximum(-(-t1 // _HOUR_S) - 1, t0 // _HOUR_S)
    inside = first == last
    definite = np.bincount(first[inside] % HOURS, minlength=HOURS).astype(np.float64)
    expected, possible = definite.copy(), definite.copy()
    rows = np.flatnonzero(~inside)
    for start in range(0, rows.size, _CHUNK):
        some = rows[start : start + _CHUNK]
        lasting = t1[some] - t0[some]
        for hour in range(HOURS):
            spent = _until(t1[some], hour) - _until(t0[some], hour)
            expected[hour] += float((spent / lasting).sum())
            possible[hour] += int((spent > 0).sum())
    return Profile(definite, expected, possible)


def _until(second: Ints, hour: int) -> Ints:
    """How many seconds of that hour, of all days since the epoch, have passed."""
    day, of_day = second // _DAY_S, second % _DAY_S
    return day * _HOUR_S + np.clip(of_day - hour * _HOUR_S, 0, _HOUR_S)


@measure(BOXES, POINTS)
def time_of_day(compared: Viewed) -> Figures:
    """Compare how records are spread over the hours of the day, by the sun's clock in the middle of the map.

    Boxes count in all hours that they cover, by duration; those inside one hour alone, and every hour that is touched,
    are told beside it.
    """
    raw, view, published = compared.raw_hours.expected, compared.published_view, compared.published_hours
    figures: dict[str, Any] = {
        "jensen_shannon": jensen_shannon(raw, published.expected),
        "earth_mover_hours": earth_mover_on_a_circle(raw, published.expected),
    }
    if view.has_extent:
        figures["definite_share"] = float(published.definite.sum()) / max(view.rows, 1)
        for name in ("definite", "possible"):
            figures[f"jensen_shannon_{name}"] = jensen_shannon(raw, getattr(published, name))
    return {"time_of_day": figures}
