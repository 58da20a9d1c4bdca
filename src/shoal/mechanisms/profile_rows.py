"""Rows of profiles: whose they are, and where; one for each person and municipality. What their period lacks."""

import numpy as np
import polars as pl

from shoal.data import Profiles
from shoal.data.layout import Ints64
from shoal.errors import DataError, counted


def rows_of_municipalities(profiles: Profiles) -> list[Ints64]:
    """Rows of each municipality, ascending; municipalities by name.

    >>> import pyarrow as pa
    >>> three = Profiles(pa.array(["a", "a", "b"]), pa.array(["Pisa", "Lucca", "Pisa"]), np.zeros((3, 6)), 1)
    >>> [rows.tolist() for rows in rows_of_municipalities(three)]
    [[1], [0, 2]]
    """
    names = pl.Series(profiles.municipalities).cast(pl.String)
    number = names.rank("dense").to_numpy().astype(np.int64) - 1
    order = np.argsort(number, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number))[:-1]) if order.size else []


def rows_per_person(profiles: Profiles) -> Ints64:
    """How many municipalities each person has a profile in; refuse people who have two in one.

    What hides people among others counts rows, and a budget counts a person's: a row too many would be a person too
    few.

    >>> import pyarrow as pa
    >>> three = Profiles(pa.array(["a", "a", "b"]), pa.array(["Pisa", "Lucca", "Pisa"]), np.zeros((3, 6)), 1)
    >>> rows_per_person(three).tolist()
    [2, 1]
    """
    table = pl.DataFrame({"uid": pl.Series(profiles.people), "municipality": pl.Series(profiles.municipalities)})
    twice = table.height - table.n_unique()
    if twice:
        raise DataError(
            counted(twice, "profile too many: its person has", "profiles too many: their people have")
            + " another in the same municipality",
            expected="one profile for each person and municipality",
            hint="add them up, or keep one of them",
        )
    return table.group_by("uid").len().sort("uid")["len"].to_numpy().astype(np.int64)


def about_the_period(profiles: Profiles) -> dict[str, object]:
    """Say for the manifest which cells are 0 because the period has no such days; nothing where all cells have some.

    That follows from the first and the last day alone, and from nobody's values.
    """
    return {"cells_without_days": profiles.without_days} if profiles.without_days else {}
