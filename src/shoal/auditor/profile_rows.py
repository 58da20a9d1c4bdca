"""Published profiles: who looks the same in a municipality, and what the same person's profile there was."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case
from shoal.auditor.opened import Groups, Profiles
from shoal.contract.kinds import PROFILES, cell_names

Floats = NDArray[np.float64]


def profiles_of(case: Case) -> Profiles:
    """Return the published profiles, for checks of them."""
    assert isinstance(case.opened, Profiles)
    return case.opened


def cells_of(profiles: Profiles) -> list[str]:
    """Name the cells that are published."""
    return profiles.rows.columns[len(PROFILES.columns) :]


def alike(profiles: Profiles, cells: list[str]) -> Groups:
    """Put rows together that have one municipality and, bit for bit, the same values in some cells."""
    bits = {name: np.ascontiguousarray(profiles.rows[name].to_numpy()).view(np.int64) for name in cells}
    return _together(pl.DataFrame({"municipality": profiles.municipality, **bits}))


def by_municipality(profiles: Profiles) -> Groups:
    """Put rows of one municipality together."""
    return _together(profiles.municipality.to_frame("municipality"))


def _together(columns: pl.DataFrame) -> Groups:
    first = columns.with_row_index("row").select(pl.col("row").first().over(columns.columns))["row"].to_numpy()
    model, of = np.unique(first.astype(np.int64), return_inverse=True)
    return Groups(of, model, np.bincount(of))


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """Published profiles beside those of the original, in the original's order: by person, then by municipality.

    Attributes
    ----------
    row
        Published row of each.
    person
        Whose it is, as a number that rises with identifiers.
    municipality
        The same for the place.
    values
        What was recorded, in the order of the published cells.
    strangers
        Published rows to which the original has no profile.
    """

    row: Ints
    person: Ints
    municipality: Ints
    values: Floats
    strangers: int


_RECORDED: WeakKeyDictionary[Case, Recorded] = WeakKeyDictionary()


def recorded(case: Case) -> Recorded:
    """Set every published profile beside the one of its person in that municipality, once per audit.

    Only where the original has as many weeks as the release: see :func:`same_weeks`.
    """
    if case not in _RECORDED:
        _RECORDED[case] = _match(case)
    return _RECORDED[case]


def same_weeks(case: Case) -> bool:
    """Tell whether the original has the very cells that are published."""
    return list(cell_names(case.profiles.weeks)) == cells_of(profiles_of(case))


def _match(case: Case) -> Recorded:
    profiles, raw = profiles_of(case), case.profiles
    theirs = pl.DataFrame({"original_uid": pl.Series(raw.people), "municipality": pl.Series(raw.municipalities)})
    rows = profiles.rows.select("uid", "municipality").with_row_index("row")
    whose = case.mapping.select("original_uid", "uid").unique("uid", keep="first")
    both = rows.join(whose, on="uid").join(theirs.with_row_index("raw"), on=["original_uid", "municipality"])
    both = both.sort("raw", "row").with_columns(pl.col("original_uid", "municipality").rank("dense").cast(pl.Int64))
    row, source = (both[name].cast(pl.Int64).to_numpy() for name in ("row", "raw"))
    person, town = (both[name].to_numpy() for name in ("original_uid", "municipality"))
    values = raw.values if source.size == len(raw) and (np.diff(source) == 1).all() else raw.values[source]
    return Recorded(row, person, town, values, rows.height - np.unique(row).size)
