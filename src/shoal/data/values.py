"""Columns of the input as identifiers and numbers."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError


def as_identifier(column: pl.Series, name: str) -> pl.Series:
    """Identifiers are text; whole numbers become their digits; anything else would change them silently."""
    dtype = column.dtype
    if dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum):
        return column
    if dtype.is_integer() or dtype == pl.Null:
        return column.cast(pl.String)
    raise DataError(
        f"a {name} column of type {dtype}",
        expected="text or whole numbers",
        hint="fractions and long numbers lose digits; store identifiers as text",
    )


def text_apart(text: pl.Series) -> pl.Series:
    """Copy text that was taken out of a column: it would hold on to the text of all rows of that column."""
    return pl.Series(text.name, text.to_arrow(compat_level=pl.CompatLevel.oldest()))


def blank(uid: pl.Series) -> pl.Series:
    """Whether an identifier is missing or white space; whole numbers can only be missing."""
    if uid.dtype.is_integer():
        return uid.is_null() if uid.null_count() else _nowhere(uid)
    if uid.dtype == pl.String:
        if not _blank_text(uid.filter(starts_of_runs(uid))).any():
            return _nowhere(uid)
        return _blank_text(uid)
    # Few distinct values, many rows: look at the values once.
    distinct = uid.unique()
    blank = distinct.filter(distinct.cast(pl.String).str.strip_chars() == "")
    return uid.is_null() | uid.is_in(blank.implode()) if blank.len() else uid.is_null()


def _blank_text(text: pl.Series) -> pl.Series:
    value = pl.first()
    return text.to_frame().select(value.is_null() | (value.str.strip_chars() == "")).to_series()


def _nowhere(column: pl.Series) -> pl.Series:
    return pl.Series(np.zeros(column.len(), np.bool_))


def starts_of_runs(column: pl.Series) -> pl.Series:
    """Tell where a value is another one than in the row before: files often have all rows of a person together.

    >>> starts_of_runs(pl.Series([None, None, "a", "a", "b", "a"])).to_list()
    [True, False, True, False, True, True]
    """
    value = pl.first()
    starts = column.to_frame().select(value.ne_missing(value.shift())).to_series()
    return starts.scatter(0, True) if column.len() else starts


def known_as(identifiers: pl.Series, known: pl.Enum) -> pl.Series:
    """Return the place of each identifier among those that are known, null where it is none of them.

    >>> known_as(pl.Series(["b", "c", None, "b"]), pl.Enum(["a", "b"])).to_list()
    [1, None, None, 1]
    """
    if identifiers.dtype == pl.String or identifiers.null_count() == identifiers.len():
        return identifiers.cast(known, strict=False).to_physical()
    # Few distinct values, many rows: look at the values once.
    codes = identifiers.to_physical()
    found = codes.drop_nulls().to_numpy()
    somewhere = np.zeros(int(found.max()) + 1, np.int64)
    somewhere[found] = codes.is_not_null().arg_true().to_numpy()
    place = identifiers.gather(somewhere).cast(pl.String).cast(known, strict=False).to_physical()
    return place.gather(codes)


def as_number(column: pl.Series) -> pl.Series:
    """Return floats, null where the value is none."""
    dtype = column.dtype
    if dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum):
        text = column.cast(pl.String)
        number = text.cast(pl.Float64, strict=False)
        if number.null_count() == text.null_count():
            return number
        column = text.str.strip_chars()
    elif not dtype.is_numeric() and dtype != pl.Null:
        raise DataError(
            f"a {column.name} column of type {dtype}",
            expected="numbers",
            hint="degrees for positions, seconds for durations, shares for profiles",
        )
    return column.cast(pl.Float64, strict=False)


def people_of(uid: pl.Series) -> tuple[pl.Series, NDArray[np.integer]]:
    """Return the sorted distinct identifiers, and the index of each row's."""
    distinct = uid.unique().cast(pl.String).sort(multithreaded=False)  # threads are worth it for a million people only
    return distinct, uid.cast(pl.Enum(distinct)).to_physical().to_numpy()
