"""From whatever stands in a time column to microseconds since the UTC epoch.

Times carry their zone, or the user names one: guessing a zone would move everybody by hours, silently.
"""

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import polars as pl

from shoal.data.iso import read_alike
from shoal.errors import DataError, ParameterError, did_you_mean, given

FIRST_S = 31_536_000
"""1971-01-01: earlier times are epoch zero in disguise."""
END_S = 9_214_646_400
"""2262-01-01: where nanosecond clocks end, and a usual sign of broken dates."""

SECOND_US = 1_000_000
FIRST_US, END_US = FIRST_S * SECOND_US, END_S * SECOND_US

# Seconds, milliseconds, microseconds and nanoseconds of the years 1971 to 2261 do not overlap.
_UNITS = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}

_FORMATS_WITH_ZONE = ("%Y-%m-%d %H:%M:%S%.f%:z", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%d %H:%M%#z")
_FORMATS_NAIVE = ("%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M")


@cache
def check_zone(name: str) -> None:
    """Refuse a zone that the time-zone database, or polars' own copy of it, does not know."""
    try:
        ZoneInfo(name)
        pl.Series([], dtype=pl.Datetime("us")).dt.replace_time_zone(name)
    except (KeyError, ValueError, OSError, pl.exceptions.PolarsError):
        near = did_you_mean(name, available_timezones() - {name})
        raise ParameterError(
            given("tz", name),
            expected="a name such as Europe/Rome or UTC",
            hint=near if near.startswith("did you mean") else "names as in the IANA time-zone database",
        ) from None


def to_epoch_us(column: pl.Series, zone: str | None, zone_in_data: str | None = None) -> tuple[pl.Series, str]:
    """Return microseconds since the UTC epoch (null where a value is not a time), and where the zone came from.

    A local time that occurs twice (the end of summer time) is taken as the first of the two; one that never
    occurs (its start) is null. What is finer than a microsecond is cut off. Times before 1971 or after 2261, which a
    rule refuses, need not keep their value, only their side.

    Parameters
    ----------
    column
        Time stamps, text or numbers.
    zone
        That of times which carry none.
    zone_in_data
        What the data call the zone of their time stamps, where the column does not tell it.
    """
    dtype = column.dtype
    if isinstance(dtype, pl.Datetime):
        if dtype.time_zone is not None:
            return _micros(column), f"in the data ({zone_in_data or dtype.time_zone})"
        return _micros(_localize(column, zone)), _named(zone)
    if dtype.is_integer() or dtype.is_float():
        return _from_epoch(column), "epoch numbers (UTC)"
    if dtype in (pl.String, pl.Categorical) or isinstance(dtype, pl.Enum):
        return _from_text(column.cast(pl.String), zone)
    raise DataError(
        f"a time column of type {dtype}",
        expected="time stamps, ISO 8601 text, or epoch numbers",
        hint="dates without a time of day cannot be used",
    )


def _micros(column: pl.Series) -> pl.Series:
    """Time stamps of any unit."""
    assert isinstance(column.dtype, pl.Datetime)
    return _scaled(column.cast(pl.Int64), {"ms": 10**3, "us": 10**6, "ns": 10**9}[column.dtype.time_unit])


def _scaled(column: pl.Series, factor: int) -> pl.Series:
    """Whole numbers of which ``factor`` make a second; those out of range are brought to its edge, lest they wrap."""
    if factor >= SECOND_US:
        return column // (factor // SECOND_US) if factor > SECOND_US else column
    low, high = FIRST_S * factor - 1, END_S * factor
    if not column.is_between(low, high).all():
        column = column.clip(low, high)
    return column * (SECOND_US // factor)


def _named(zone: str | None) -> str:
    return f"named by the user ({zone})"


def _localize(column: pl.Series, zone: str | None) -> pl.Series:
    if zone is None:
        raise DataError(
            "times without a zone",
            expected="times with a zone",
            hint="name the zone with `tz`, for example `tz='UTC'`",
        )
    if zone == "UTC":
        return column  # where each local time occurs once
    return column.dt.replace_time_zone(zone, ambiguous="earliest", non_existent="null")


def _from_epoch(column: pl.Series) -> pl.Series:
    column = column.fill_nan(None) if column.dtype.is_float() else column.cast(pl.Int64, strict=False)
    seen = {
        unit: factor
        for unit, factor in _UNITS.items()
        if column.is_between(FIRST_S * factor, END_S * factor, closed="left").any()
    }
    if len(seen) > 1:
        raise DataError(
            f"epoch times in {' and '.join(seen)} mixed",
            expected="one unit for all rows",
            hint="convert one of them",
        )
    factor = next(iter(seen.values()), 1)
    return _scaled_floats(column, factor) if column.dtype.is_float() else _scaled(column, factor)


def _scaled_floats(column: pl.Series, factor: int) -> pl.Series:
    """The nearest microsecond, for decimal fractions are not exact; but never one of the next second."""
    whole = (column // factor).cast(pl.Int64, strict=False)
    fraction = (column % factor * (SECOND_US / factor)).round().clip(0, SECOND_US - 1)
    return _scaled(whole, 1) + fraction.cast(pl.Int64, strict=False)


def _from_text(column: pl.Series, zone: str | None) -> tuple[pl.Series, str]:
    alike = read_alike(column)
    if alike is not None:
        micros, zoned_all = pl.Series(column.name, alike[0]), alike[1]
        if zoned_all:
            return micros, "in the data"
        return _micros(_localize(micros.cast(pl.Datetime("us")), zone)), _named(zone)
    values = column.str.strip_chars()
    given = values.filter(values.is_not_null() & (values != ""))
    if _mostly(given.str.contains(r"^-?\d+(\.\d+)?$")):
        number = pl.Float64 if given.str.contains(".", literal=True).any() else pl.Int64
        return _from_epoch(values.cast(number, strict=False)), "epoch numbers (UTC)"
    # The zone's name first: it may hold a T as well.
    plain = values.str.replace(r"(?:[Zz]| ?UTC| ?GMT)$", "+00:00").str.replace("T", " ", literal=True)
    zoned = _parse(plain, _FORMATS_WITH_ZONE, "UTC")
    if not zoned.null_count() or zoned.null_count() == plain.null_count():
        return _micros(zoned), "in the data"
    naive = _parse(plain.set(zoned.is_not_null(), None), _FORMATS_NAIVE, None)
    if naive.null_count() == naive.len():
        return _micros(zoned), "in the data"
    local = _localize(naive, zone)
    both = pl.select(pl.coalesce(_micros(zoned), _micros(local))).to_series()
    return both, _named(zone) if zoned.null_count() == zoned.len() else f"in the data, else {_named(zone)}"


def _mostly(flags: pl.Series) -> bool:
    """Tell whether more than half are true: a few broken values must not decide how a column is read."""
    return 2 * int(flags.sum()) > flags.len()


def _parse(values: pl.Series, formats: tuple[str, ...], zone: str | None) -> pl.Series:
    """Try one format after the other on what is still unparsed: nearly always the first fits all."""
    result = values.str.to_datetime(formats[0], strict=False, time_unit="us", time_zone=zone)
    for format_ in formats[1:]:
        left = result.is_null() & values.is_not_null()
        if not left.any():
            break
        more = values.set(~left, None).str.to_datetime(format_, strict=False, time_unit="us", time_zone=zone)
        result = pl.select(pl.coalesce(result, more)).to_series()
    return result
