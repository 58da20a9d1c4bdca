"""Times as text that all look the same, such as ``2020-01-01T00:00:00.000Z``: read digit by digit, all rows at once.

Files are nearly always like that, and a general parser takes most of the time of reading them. Only what has one
meaning is read here; whatever is not quite like that is left to the general parser, which has the last word on it.
"""

import re
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.data.chunks import in_chunks
from shoal.data.layout import Ints64

_LAYOUT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?P<fraction>\.\d{1,6})?(?P<zone>Z|[-+]\d\d:?\d\d)?")
_DATE_AND_TIME = len("2020-01-01T00:00:00")
_FIXED = {4: "-", 7: "-", 13: ":", 16: ":"}

_FIRST_YEAR, _END_YEAR = 1900, 2300
_MONTHS = np.arange(f"{_FIRST_YEAR}-01", f"{_END_YEAR + 1}-01", dtype="datetime64[M]").astype("datetime64[D]")
_FIRST_DAY = _MONTHS.astype(np.int32)
"""Of each month since the first year, and of the one after the last: days since the epoch."""
_DAYS_IN = np.diff(_FIRST_DAY)

_LARGEST_OFFSET_H = 14
_CHUNK = 1 << 15

Digits = NDArray[np.uint8]


class Layout(NamedTuple):
    """Where things stand: how wide a time is, how many digits its fraction has, and how its zone is written."""

    width: int
    separator: str
    fraction: int
    zone: str
    """Empty, ``Z``, or an offset with or without its colon."""


def read_alike(values: pl.Series) -> tuple[Ints64, bool] | None:
    """Return microseconds, and whether they are UTC (or local, where no zone is written); None unless all look alike.

    >>> read_alike(pl.Series(["1970-01-01T00:00:00.5+00:00", "1970-01-01T01:00:01.5+01:00"]))
    (array([ 500000, 1500000]), True)
    >>> read_alike(pl.Series(["1970-01-01T00:00:00Z", "1970-01-01"]))
    """
    layout = _layout_of(values)
    if layout is None:
        return None
    micros, alike = np.empty(values.len(), np.int64), []

    def read(part: slice) -> None:
        found = _micros_in(_bytes_of(values[part], layout.width), layout)
        alike.append(found is not None)
        if found is not None:
            micros[part] = found

    in_chunks(read, values.len(), _CHUNK)
    return (micros, layout.zone != "") if all(alike) else None


def _layout_of(values: pl.Series) -> Layout | None:
    """The layout of the first, if all are as wide."""
    if not values.len() or values.null_count():
        return None
    widths = values.str.len_bytes()
    found = _LAYOUT.fullmatch(values[0])
    if found is None or widths.min() != widths.max():
        return None
    fraction, zone = found["fraction"] or "", found["zone"] or ""
    return Layout(len(values[0]), values[0][10], max(len(fraction) - 1, 0), zone)


def _bytes_of(values: pl.Series, width: int) -> Digits:
    """The characters of times that are all as wide, position by position."""
    text = values.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    _, starts, data = text.buffers()
    first = np.frombuffer(starts, np.int64)[text.offset]
    characters = np.frombuffer(data, np.uint8, len(text) * width, first)
    return np.ascontiguousarray(characters.reshape(-1, width).T)


def _micros_in(characters: Digits, layout: Layout) -> Ints64 | None:
    """Microseconds of some times; None if one of them is another thing."""
    end = _DATE_AND_TIME + (1 + layout.fraction if layout.fraction else 0)
    fixed = {**_FIXED, 10: layout.separator}
    if layout.fraction:
        fixed[_DATE_AND_TIME] = "."
    if layout.zone == "Z":
        fixed[end] = "Z"
    elif len(layout.zone) == len("+00:00"):
        fixed[end + 3] = ":"
    if not all((characters[place] == ord(sign)).all() for place, sign in fixed.items()):
        return None
    digits = characters - np.uint8(ord("0"))
    signed = {end} if len(layout.zone) > 1 else set()
    if not all((digits[place] <= 9).all() for place in range(layout.width) if place not in {*fixed, *signed}):
        return None

    def number(start: int, count: int) -> NDArray[np.int32]:
        value: NDArray[np.int32] = digits[start].astype(np.int32)
        for place in range(start + 1, start + count):
            value = value * np.int32(10) + digits[place]
        return value

    year, month, day = number(0, 4), number(5, 2), number(8, 2)
    hour, minute, second = number(11, 2), number(14, 2), number(17, 2)
    if (
        not ((year >= _FIRST_YEAR) & (year <= _END_YEAR) & (month >= 1) & (month <= 12) & (day >= 1)).all()
        or max(hour.max() - 23, minute.max() - 59, second.max() - 59) > 0
    ):
        return None
    index = (year - np.int32(_FIRST_YEAR)) * np.int32(12) + month - np.int32(1)
    if (day > _DAYS_IN[index]).any():
        return None
    days = _FIRST_DAY[index] + day - np.int32(1)
    seconds = (hour * np.int32(60) + minute) * np.int32(60) + second
    if signed:
        after = number(end + 1, 2), number(layout.width - 2, 2)
        sign = characters[end]
        if (after[0] > _LARGEST_OFFSET_H).any() or (after[1] > 59).any() or not ((sign == 43) | (sign == 45)).all():
            return None
        offset = (after[0] * np.int32(60) + after[1]) * np.int32(60)
        seconds -= np.where(sign == ord("-"), -offset, offset)
    micros: NDArray[np.int64] = (days.astype(np.int64) * 86_400 + seconds) * 1_000_000
    if layout.fraction:
        micros += number(_DATE_AND_TIME + 1, layout.fraction) * np.int32(10 ** (6 - layout.fraction))
    return micros
