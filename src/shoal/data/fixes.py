"""Raw points per person: what mechanisms that publish points start from."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.layout import Floats, Ints64, PerPerson, Span, packed
from shoal.errors import counted

_SECOND_US = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Fixes(PerPerson):
    """The points of all people as they came: not snapped, duplicates kept, sorted by person, time and place.

    Flat arrays plus offsets, the layout of an Arrow list: the points of person ``i`` are
    ``t_us[offsets[i]:offsets[i + 1]]`` and so on.

    Attributes
    ----------
    people
        Original identifiers, sorted, one per person. A table apart: nothing else here names anybody.
    offsets
        Where each person's points start; one more entry than people.
    t_us
        Microseconds since the UTC epoch (int64).
    lat, lng
        WGS84 degrees (float64).
    """

    COLUMNS: ClassVar = {"t_us": np.int64, "lat": np.float64, "lng": np.float64}

    t_us: Ints64
    lat: Floats
    lng: Floats

    def __repr__(self) -> str:
        return f"Fixes({counted(len(self), 'person', 'people')}, {counted(self.points, 'point', 'points')})"

    @property
    def points(self) -> int:
        return int(self.t_us.size)

    @property
    def records_per_person(self) -> Ints64:
        """Points of each person, those of equal time and place counted once."""
        fresh = np.ones(self.points, np.bool_)
        if self.points:
            fresh[1:] = np.any([column[1:] != column[:-1] for column in (self.t_us, self.lat, self.lng)], axis=0)
            fresh[self.offsets[:-1][self.lengths > 0]] = True
        return np.diff(np.concatenate((np.zeros(1, np.int64), np.cumsum(fresh)))[self.offsets])

    @property
    def span_s(self) -> Span:
        """First and last second covered, half open, since the UTC epoch; (0, 0) when there are no points."""
        if not self.points:
            return 0, 0
        return int(self.t_us.min()) // _SECOND_US, int(self.t_us.max()) // _SECOND_US + 1

    def to_arrow(self) -> pa.Table:
        """One row per point: ``uid, datetime, lat, lng``."""
        return pa.table(
            {
                "uid": self.people.take(pa.array(self.owner)),
                "datetime": pa.array(self.t_us, pa.timestamp("us", "UTC")),
                "lat": self.lat,
                "lng": self.lng,
            }
        )


def fixes_from_points(
    people: pa.StringArray, owner: NDArray[np.integer], t_us: Ints64, lat: Floats, lng: Floats
) -> Fixes:
    """Sort points by person, time and place, and wrap them; the order of rows changes nothing.

    Parameters
    ----------
    people
        Identifiers, sorted.
    owner
        Each point's index into ``people``.
    t_us, lat, lng
        As in :class:`Fixes`, in any order of rows.
    """
    # A minus zero is equal to zero and looks different: of two such rows none could come first.
    lat, lng = lat + 0.0, lng + 0.0
    order = _order(owner, t_us, lat, lng)
    if order is None:
        t_us = t_us.copy()  # nobody may change it from outside, as a frame's owner could
    else:
        owner, t_us, lat, lng = owner[order], t_us[order], lat[order], lng[order]
    offsets = np.searchsorted(owner, np.arange(len(people) + 1, dtype=owner.dtype)).astype(np.int64)
    return Fixes(people, offsets, t_us, lat, lng)


def _order(owner: NDArray[np.integer], t_us: Ints64, lat: Floats, lng: Floats) -> Ints64 | None:
    """Return what sorts the rows, or None where they are sorted already.

    Person and time nearly always fit into one key: then one plain sort does for most rows, and only those of the same
    person and time are compared by place.
    """
    found = packed((owner, t_us)) if owner.size else None
    if found is None:
        return np.lexsort((lng, lat, t_us, owner))
    key, order = found[0], None
    if (key[1:] < key[:-1]).any():
        order = np.argsort(key)
        key = key[order]
    same = key[1:] == key[:-1]
    if not same.any():
        return order
    tied = np.flatnonzero(np.concatenate((same, [False])) | np.concatenate(([False], same)))
    order = np.arange(key.size) if order is None else order
    rows = order[tied]
    order[tied] = rows[np.lexsort((lng[rows], lat[rows], key[tied]))]
    return order
