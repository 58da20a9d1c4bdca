"""Call profiles: how often a person was active in a municipality, by week, kind of day and time of day."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.data.frames import FrameOut

KINDS_OF_DAY = ("weekday", "weekend")
SLOTS = ("night", "day", "evening")


def cell_names(weeks: int) -> tuple[str, ...]:
    """Name the cells of a profile over some weeks, weeks from 1.

    >>> cell_names(1)[:4]
    ('w1_weekday_night', 'w1_weekday_day', 'w1_weekday_evening', 'w1_weekend_night')
    >>> cell_names(0)
    ()
    """
    return tuple(f"w{week}_{kind}_{slot}" for week in range(1, weeks + 1) for kind in KINDS_OF_DAY for slot in SLOTS)


@dataclass(frozen=True, eq=False, repr=False)
class Profiles(FrameOut):
    """One row per person and municipality; ``values[row, cell]`` is the share of days with activity.

    Attributes
    ----------
    people, municipalities
        Whose row it is, and where.
    values
        float64 in [0, 1], a column for each name of :func:`cell_names`.
    weeks
        How many weeks the profile covers.
    """

    people: pa.StringArray
    municipalities: pa.StringArray
    values: NDArray[np.float64]
    weeks: int

    def __post_init__(self) -> None:
        assert self.values.shape == (len(self.people), len(cell_names(self.weeks)))
        assert len(self.municipalities) == len(self.people)
        self.values.flags.writeable = False

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.people)

    def __repr__(self) -> str:
        return f"Profiles({len(self):,} rows, {self.weeks} weeks)"

    def to_arrow(self) -> pa.Table:
        """``uid, municipality``, then a column per cell."""
        cells = {name: pa.array(self.values[:, i]) for i, name in enumerate(cell_names(self.weeks))}
        return pa.table({"uid": self.people, "municipality": self.municipalities, **cells})
