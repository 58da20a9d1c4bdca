"""The pre-processing of Promesse §V-A, read so that it comes within 1 % of Table I on both public data sets.

UTC days without data are removed for each person; all start the same day; people with at least one day more than are
kept stay in (the paper does not say so); of these the first days count; traces are cut at gaps of 4 hours or more.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.attacks.tracks import Ints, metres_per_degree, traces_of
from shoal.data import Fixes
from shoal.errors import DataError

DAYS = 20
DAY_US = 86_400_000_000
FASTEST_M_S = 50.0
"""180 km/h: whoever is faster from one record to the next is a glitch of the receiver, on roads at least."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """What the mechanisms are run on.

    Attributes
    ----------
    traces
        Every trace is a person of its own, as in the paper.
    person_of
        Whose each trace is.
    """

    traces: Fixes
    person_of: Ints

    def table_1(self) -> dict[str, float]:
        """Return the figures of Table I, and how much of the way lies in glitches."""
        fixes, lengths = self.traces, self.traces.lengths
        duration = (fixes.t_us[fixes.offsets[1:] - 1] - fixes.t_us[fixes.offsets[:-1]]) / 1e6
        east, north = metres_per_degree(fixes.lat)
        away = np.hypot(np.diff(fixes.lng) * east[:-1], np.diff(fixes.lat) * north[:-1])
        seconds = np.diff(fixes.t_us) / 1e6
        same = np.diff(fixes.owner) == 0
        fast = same & (away > FASTEST_M_S * np.maximum(seconds, 1))
        way = float(away[same].sum())
        return {
            "people": int(np.unique(self.person_of).size),
            "records": fixes.points,
            "traces": len(fixes),
            "mean_duration_s": float(duration.mean()),
            "longest_duration_s": float(duration.max()),
            "sampling_s": float(duration.sum() / max(int((lengths - 1).sum()), 1)),
            "way_km": way / 1000,
            "way_in_glitches_share": float(away[fast].sum()) / max(way, 1e-9),
        }


def prepared(fixes: Fixes, days: int = DAYS) -> Prepared:
    """Keep the first days of whoever has more, one after the other without gaps, and cut them into traces.

    Parameters
    ----------
    fixes
        The raw data.
    days
        How many days of 24 hours, from a person's first record on.
    """
    owner, day = fixes.owner, fixes.t_us // DAY_US
    new = np.ones(fixes.points, np.bool_)
    new[1:] = (np.diff(owner) != 0) | (np.diff(day) != 0)
    # The number of each day among those of its person, from 0.
    nth = np.cumsum(new) - 1
    has = fixes.lengths > 0
    first = fixes.offsets[:-1][has]
    nth -= np.repeat(nth[first], fixes.lengths[has])
    days_of = np.bincount(owner, new, len(fixes)).astype(np.int64)
    start = int(day.min()) if day.size else 0
    t_us = (start + nth) * DAY_US + fixes.t_us % DAY_US
    since = np.zeros(len(fixes), np.int64)
    since[has] = t_us[first]
    keep = (days_of > days)[owner] & (t_us - since[owner] < days * DAY_US)
    if not keep.any():
        raise DataError(
            f"nobody with data on more than {days} days",
            expected="traces over weeks, as the paper's",
            hint="give other data, or take fewer `days`",
        )
    offsets = np.searchsorted(owner[keep], np.arange(len(fixes) + 1)).astype(np.int64)
    parts = traces_of(Fixes(fixes.people, offsets, t_us[keep], fixes.lat[keep], fixes.lng[keep]))
    digits = len(str(parts.person_of.size))
    names = pa.array([f"{i:0{digits}}" for i in range(parts.person_of.size)], pa.string())
    return Prepared(Fixes(names, parts.offsets, parts.t_us, parts.lat, parts.lng), parts.person_of.astype(np.int64))
