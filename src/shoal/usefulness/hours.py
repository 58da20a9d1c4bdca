"""When people are seen: the profile of the day, before and after."""

from typing import Any, NamedTuple

import numpy as np

from shoal.contract.kinds import BOXES, POINTS
from shoal.usefulness.figures import Floats, Ints
from shoal.usefulness.likeness import earth_mover_on_a_circle, jensen_shannon
from shoal.usefulness.measures import Figures, measure
from shoal.usefulness.views import Seen, Viewed

HOURS = 24
_HOUR_S = 3_600
_DAY_S = HOURS * _HOUR_S
_CHUNK = 500_000


class Profile(NamedTuple):
    """Rows in each hour of the day: inside it, spread by duration, and touching it."""

    definite: Floats
    expected: Floats
    possible: Floats


def profile(view: Seen, offset_s: int) -> Profile:
    """Count the rows of each hour of the day, by a clock that is ``offset_s`` ahead of UTC.

    Parameters
    ----------
    view
        The rows; those without duration are in one hour.
    offset_s
        What the clock is ahead.
    """
    definite, inside = np.zeros(HOURS), np.empty(view.rows, np.bool_)
    row = 0
    for _, part in view.parts():
        first, last = _hours(part.t0 + offset_s, part.t1 + offset_s)
        here = first == last
        definite += np.bincount(first[here] % HOURS, minlength=HOURS)
        inside[row : row + part.rows] = here
        row += part.rows
    expected, possible = definite.copy(), definite.copy()
    rows = np.flatnonzero(~inside)
    for start in range(0, rows.size, _CHUNK):
        some = view.at(rows[start : start + _CHUNK])
        t0, t1 = some.t0 + offset_s, some.t1 + offset_s
        lasting = t1 - t0
        for hour in range(HOURS):
            spent = _until(t1, hour) - _until(t0, hour)
            expected[hour] += float((spent / lasting).sum())
            possible[hour] += int((spent > 0).sum())
    return Profile(definite, expected, possible)


def _hours(t0: Ints, t1: Ints) -> tuple[Ints, Ints]:
    """The first and the last hour that half-open times touch; those without duration are in one."""
    return t0 // _HOUR_S, np.maximum(-(-t1 // _HOUR_S) - 1, t0 // _HOUR_S)


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
