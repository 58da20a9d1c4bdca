"""How to understand an input."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shoal.data.times import check_zone
from shoal.errors import ParameterError

BadRows = Literal["stop", "drop"]


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to understand an input; the same names as on the command line.

    Attributes
    ----------
    columns
        ``{canonical name: column of the input}``, for inputs with other names.
    schema
        A preset: skmob, trackintel, movingpandas, geolife or cabspotting.
    cells
        The cells table (``cell, lat, lng``), for inputs that name cells.
    tz
        The zone of times that carry none.
    person
        A column that says who a uid belongs to, where one person has several.
    bad_rows
        ``stop`` at the first row that breaks a rule, or ``drop`` and count such rows.
    allow_zero
        Accept the position (0, 0).
    """

    columns: Mapping[str, str] | None = None
    schema: str | None = None
    cells: Any = None
    tz: str | None = None
    person: str | None = None
    bad_rows: BadRows = "stop"
    allow_zero: bool = False

    def __post_init__(self) -> None:
        if self.tz is not None:
            check_zone(self.tz)
        if self.bad_rows not in ("stop", "drop"):
            raise ParameterError(f"--bad-rows {self.bad_rows}", expected="stop or drop", hint="stop is the default")
