"""How much of what is published are records as they were, by those whom bending should have changed."""

import numpy as np
import polars as pl

from shoal.data import Fixes, Points
from shoal.data.layout import Floats, Ints64
from shoal.mechanisms.w4m.published import Bent

_MICRO = 1_000_000


def recorded_share(people: Fixes, points: Points, bent: Bent, pivot_of: Ints64) -> float:
    """Of the points of those who are no pivot: how many are their own records, time and place, and not the pivot's.

    Parameters
    ----------
    people
        Everybody's records.
    points, bent
        What is published.
    pivot_of
        As in :class:`~shoal.mechanisms.w4m.clusters.Clusters`.
    """
    owner = np.repeat(bent.chosen, np.diff(bent.offsets))
    others = pivot_of[owner] != owner
    published = _events(owner, points.t_us, points.lat, points.lng).filter(others)
    with_pivot = _events(pivot_of[owner], points.t_us, points.lat, points.lng).filter(others)
    records = _events(people.owner, people.t_us, people.lat, people.lng)
    own, shared = (
        events.with_row_index().join(records, on=records.columns, how="semi") for events in (published, with_pivot)
    )
    return own.join(shared, on="index", how="anti").height / max(published.height, 1)


def _events(person: Ints64, t_us: Ints64, lat: Floats, lng: Floats) -> pl.DataFrame:
    """Whose, when and where, as precisely as is published."""
    up, along = (np.rint(degrees * _MICRO).astype(np.int64) for degrees in (lat, lng))
    return pl.DataFrame({"person": person, "t_us": t_us, "lat": up, "lng": along})
