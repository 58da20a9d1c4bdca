"""Call profiles: how often a person was active in a municipality, by week, kind of day and time of day."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from shoal.contract.kinds import are_cells, cell_names
from shoal.data.frames import FrameOut
from shoal.data.layout import ALWAYS, Floats, Span
from shoal.data.values import people_of
from shoal.errors import counted

_WITHOUT_DAYS = b"shoal.cells_without_days"


@dataclass(frozen=True, eq=False, repr=False)
class Profiles(FrameOut):
    """One row per person and municipality; ``values[row, cell]`` is the share of days with activity.

    Attributes
    ----------
    people, municipalities
        Whose row it is, and where.
    values
        float64 in [0, 1], a column for each name of :func:`shoal.contract.kinds.cell_names`.
    weeks
        How many weeks the profile covers.
    without_days
        Cells of weeks of which the period has no such day, where that is known: they are 0.
    span_s
        Always: profiles do not say when they are from.
    records_per_person
        None: profiles do not say how often somebody was seen.
    """

    people: pa.StringArray
    municipalities: pa.StringArray
    values: Floats
    weeks: int
    without_days: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert self.values.shape == (len(self.people), len(cell_names(self.weeks)))
        assert len(self.municipalities) == len(self.people)
        self.values.flags.writeable = False

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.people)

    def __repr__(self) -> str:
        return f"Profiles({counted(len(self), 'row', 'rows')}, {counted(self.weeks, 'week', 'weeks')})"

    @property
    def ids(self) -> pa.StringArray:
        """The distinct people, sorted."""
        return self._people_and_owner[0]

    @property
    def records(self) -> int:
        """Count the rows."""
        return len(self)

    @property
    def span_s(self) -> Span:
        return ALWAYS

    @property
    def records_per_person(self) -> None:
        return None

    def select(self, keep: NDArray[np.bool_]) -> "Profiles":
        """Return the people of a mask over :attr:`ids`, with all their rows."""
        rows = keep[self._people_and_owner[1]]
        mask = pa.array(rows)
        return replace(
            self,
            people=self.people.filter(mask),
            municipalities=self.municipalities.filter(mask),
            values=self.values[rows],
        )

    @cached_property
    def _people_and_owner(self) -> tuple[pa.StringArray, NDArray[np.integer]]:
        ids, owner = people_of(pl.Series(self.people))
        return pa.array(ids.to_arrow()).cast(pa.string()), owner

    def to_arrow(self) -> pa.Table:
        """``uid, municipality``, then a column per cell; what has no days is in the schema's metadata."""
        cells = {name: pa.array(self.values[:, i]) for i, name in enumerate(cell_names(self.weeks))}
        table = pa.table({"uid": self.people, "municipality": self.municipalities, **cells})
        return table.replace_schema_metadata(
            {_WITHOUT_DAYS: ",".join(self.without_days)} if self.without_days else None
        )


def without_days_in(metadata: Mapping[bytes, bytes] | None) -> tuple[str, ...]:
    """Return the cells without days that a schema's metadata name; none where they name anything else.

    >>> without_days_in({b"shoal.cells_without_days": b"w1_weekday_night,w1_weekday_day"})
    ('w1_weekday_night', 'w1_weekday_day')
    >>> without_days_in({b"shoal.cells_without_days": b"anything"}), without_days_in(None)
    ((), ())
    """
    names = tuple((metadata or {}).get(_WITHOUT_DAYS, b"").decode(errors="replace").split(","))
    return names if are_cells(names) else ()
