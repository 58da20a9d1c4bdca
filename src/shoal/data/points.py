"""Points as a mechanism hands them over: positions in degrees with times, in parts that get a uid each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.fixes import Fixes
from shoal.data.frames import FrameOut
from shoal.data.layout import Floats, Ints64, check_layout
from shoal.errors import counted


@dataclass(frozen=True, eq=False, repr=False)
class Points(FrameOut):
    """Parts of people's traces: the points of part ``j`` are ``t_us[offsets[j]:offsets[j + 1]]`` and so on.

    A part is what gets a uid of its own: a person's whole trace, or a piece of it that nobody shall link to the others.
    Rows of a part may come in any order, and a part may be empty: then it is not published.

    Attributes
    ----------
    people
        Original identifiers, each once.
    person_of
        Whose each part is: an index of ``people``.
    offsets
        Where each part's points start; one more entry than parts.
    t_us
        Microseconds since the UTC epoch (int64).
    lat, lng
        WGS84 degrees (float64).
    """

    COLUMNS: ClassVar[Mapping[str, type[np.generic]]] = {"t_us": np.int64, "lat": np.float64, "lng": np.float64}

    people: pa.StringArray
    person_of: NDArray[np.integer]
    offsets: Ints64
    t_us: Ints64
    lat: Floats
    lng: Floats

    @classmethod
    def of_people(cls, fixes: Fixes) -> "Points":
        """One part per person.

        >>> from shoal.data import read_fixes
        >>> Points.of_people(read_fixes({"uid": ["a"], "datetime": ["2020-01-01T00:00Z"], "lat": [6.1], "lng": [-5.2]}))
        Points(1 person, 1 part, 1 point)
        """
        return cls(fixes.people, np.arange(len(fixes)), fixes.offsets, fixes.t_us, fixes.lat, fixes.lng)

    def __post_init__(self) -> None:
        check_layout(self, self.COLUMNS)
        assert np.issubdtype(self.person_of.dtype, np.integer)
        assert self.person_of.size == self.offsets.size - 1
        assert not self.person_of.size or 0 <= self.person_of.min() <= self.person_of.max() < len(self.people)
        self.person_of.flags.writeable = False

    def __len__(self) -> int:
        """Count the people."""
        return len(self.people)

    def __repr__(self) -> str:
        people, parts = counted(len(self), "person", "people"), counted(self.person_of.size, "part", "parts")
        return f"Points({people}, {parts}, {counted(self.t_us.size, 'point', 'points')})"

    def to_arrow(self) -> pa.Table:
        """One row per point: ``uid, part, datetime, lat, lng``; parts are numbered through."""
        part = np.repeat(np.arange(self.person_of.size), np.diff(self.offsets))
        return pa.table(
            {
                "uid": self.people.take(pa.array(self.person_of[part])),
                "part": part,
                "datetime": pa.array(self.t_us, pa.timestamp("us", "UTC")),
                "lat": self.lat,
                "lng": self.lng,
            }
        )
