"""Kinds of release: what the published table looks like, whatever made it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

KINDS_OF_DAY = ("weekday", "weekend")
SLOTS = ("night", "day", "evening")

MOST_WEEKS = 520
"""Weeks that a profile can have: ten years."""

_CELL = re.compile(rf"w([1-9][0-9]{{0,2}})_({'|'.join(KINDS_OF_DAY)})_({'|'.join(SLOTS)})")

TYPES = {
    "string": "string",
    "timestamp[us, tz=UTC]": "timestamp[us, UTC]",
    "int32": "int32",
    "double": "float64",
}
"""The types that columns may have: Arrow's spelling, and the manifest's."""

UidOf = Literal["person", "part", "row"]
"""What has a uid of its own: a person · a part of a person's trace · a row, that is a person in a municipality."""


@dataclass(frozen=True, slots=True)
class Column:
    """A published column; the type as the manifest spells it."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of release.

    Attributes
    ----------
    name
        As in the manifest.
    columns
        Those that every release of the kind has, in order.
    uid_of
        What has a uid of its own. A person has one uid, or one per part, or one per row.
    order
        Columns that the rows are sorted by. All that tell rows apart: the order of equal ones would carry something.
    has_cells
        Whether a column per cell of a profile follows (:func:`cell_names`), as many weeks as there are.
    has_map
        Whether places are metres on a map, so that the manifest names ``crs``, ``grid`` and ``base_grid``.
    """

    name: str
    columns: tuple[Column, ...]
    uid_of: UidOf
    order: tuple[str, ...]
    has_cells: bool = False
    has_map: bool = False

    def columns_for(self, names: Sequence[str]) -> tuple[Column, ...]:
        """The columns that a table with these names has to have: as many weeks as it seems to have.

        >>> [column.name for column in PROFILES.columns_for(["uid", "municipality", *cell_names(1)])][2:4]
        ['w1_weekday_night', 'w1_weekday_day']
        """
        if not self.has_cells:
            return self.columns
        per_week = len(cell_names(1))
        weeks = max(1, (len(names) - len(self.columns)) // per_week)
        return (*self.columns, *(Column(name, "float64") for name in cell_names(weeks)))


def cell_names(weeks: int) -> tuple[str, ...]:
    """Name the cells of a profile over some weeks, weeks from 1.

    >>> cell_names(1)[:4]
    ('w1_weekday_night', 'w1_weekday_day', 'w1_weekday_evening', 'w1_weekend_night')
    >>> cell_names(0)
    ()
    """
    return tuple(f"w{week}_{kind}_{slot}" for week in range(1, weeks + 1) for kind in KINDS_OF_DAY for slot in SLOTS)


def cell_number(name: object) -> int | None:
    """Return where a cell stands among all cells of a profile, from 0; None where it is none.

    >>> [cell_number(name) for name in ("w1_weekday_night", "w2_weekday_day", "w0_weekday_day", "w1_holiday_day", 7)]
    [0, 7, None, None, None]
    """
    found = _CELL.fullmatch(name) if isinstance(name, str) else None
    if found is None or int(found[1]) > MOST_WEEKS:
        return None
    week, kind, slot = found.groups()
    return (int(week) - 1) * len(cell_names(1)) + KINDS_OF_DAY.index(kind) * len(SLOTS) + SLOTS.index(slot)


def are_cells(names: object) -> bool:
    """Tell whether something is a list of cells in the order in which profiles have them: one at least, none twice.

    >>> are_cells(["w1_weekday_night", "w1_weekend_day"]), are_cells(["w1_weekend_day", "w1_weekday_night"])
    (True, False)
    >>> are_cells([]), are_cells("w1_weekday_night"), are_cells(["w1_weekday_night"] * 2), are_cells([None])
    (False, False, False, False)
    """
    if not isinstance(names, list | tuple) or not names:
        return False
    numbers = [number for name in names if (number := cell_number(name)) is not None]
    return len(numbers) == len(names) and all(before < after for before, after in pairwise(numbers))


def weeks_of(cells: Sequence[str]) -> int:
    """The last week that any of the cells lies in.

    >>> weeks_of(["w3_weekend_day", "w1_weekend_day"])
    3
    """
    return max((cell_number(name) or 0) // len(cell_names(1)) + 1 for name in cells)


_UID = Column("uid", "string")
_DEGREES = (Column("lat", "float64"), Column("lng", "float64"))
_UTC = "timestamp[us, UTC]"

BOXES = Kind(
    "boxes",
    (
        _UID,
        Column("t_start", _UTC),
        Column("t_end", _UTC),
        *(Column(name, "int32") for name in ("x_min", "x_max", "y_min", "y_max")),
        *_DEGREES,
    ),
    uid_of="person",
    order=("uid", "t_start", "x_min", "y_min", "t_end", "x_max", "y_max"),
    has_map=True,
)
"""Boxes of space and time, half open, whole cells of a grid; ``lat, lng`` is the middle."""

POINTS = Kind(
    "points", (_UID, Column("datetime", _UTC), *_DEGREES), uid_of="part", order=("uid", "datetime", "lat", "lng")
)
"""Positions in degrees, with times."""

PROFILES = Kind("profiles", (_UID, Column("municipality", "string")), uid_of="row", order=("uid",), has_cells=True)
"""How often a person was active in a municipality: a value per cell."""

KINDS = {kind.name: kind for kind in (BOXES, POINTS, PROFILES)}


def type_name(arrow_type: Any) -> str:
    """Spell an Arrow type as the manifest does; a type that no column may have keeps Arrow's spelling."""
    return TYPES.get(str(arrow_type), str(arrow_type))


def kind_of(columns: Sequence[tuple[str, str]]) -> Kind | None:
    """Tell which kind a table with these columns (name, type) is; None where it is none to the letter.

    >>> kind_of([("uid", "string"), ("datetime", "timestamp[us, UTC]"), ("lat", "float64"), ("lng", "float64")]).name
    'points'
    >>> kind_of([("uid", "string"), ("age", "int32")]) is None
    True
    """
    names = [name for name, _ in columns]
    for kind in KINDS.values():
        if [(column.name, column.type) for column in kind.columns_for(names)] == list(columns):
            return kind
    return None
