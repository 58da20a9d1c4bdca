"""From Arrow to polars: only what polars can take, for what it cannot take makes it panic."""

import re
from collections.abc import Mapping

import polars as pl
import pyarrow as pa

from shoal.data.words import told
from shoal.errors import DataError

_TELLABLE_ZONE = re.compile(r"[A-Za-z0-9_+:/-]{1,60}")


def to_polars(columns: Mapping[str, pa.ChunkedArray]) -> pl.DataFrame:
    """Hand columns over, without what a file says beside them (metadata may be damaged too).

    Text and dictionaries are looked through first: polars would take damaged ones at their word. What is wrong with
    them is an error of Arrow, for the caller to word.
    """
    plain = {name: _plain(name, column) for name, column in columns.items()}
    for column in plain.values():
        if not pa.types.is_primitive(column.type):
            column.validate(full=True)
    frame = pl.from_arrow(pa.table(plain), rechunk=False)
    assert isinstance(frame, pl.DataFrame)
    return frame


def zones_in(columns: Mapping[str, pa.ChunkedArray]) -> dict[str, str]:
    """Return ``{column: zone}`` for times with a zone; odd names, which nobody would know, are left out."""
    zones = {name: column.type.tz for name, column in columns.items() if pa.types.is_timestamp(column.type)}
    return {name: zone for name, zone in zones.items() if zone and _TELLABLE_ZONE.fullmatch(zone)}


def _plain(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Bring a column to a type that polars knows, with the same values."""
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_nested(kind) or pa.types.is_interval(kind) or pa.types.is_decimal256(kind):
        raise DataError(
            f"a column {told(name)} of type {told(str(kind))}",
            expected="text, numbers or times",
            hint="write the column as one of these",
        )
    if pa.types.is_timestamp(kind) and kind.tz:
        # Such times are instants whatever their zone, and polars knows few zones: no offset such as +05:30.
        return column.cast(pa.timestamp(kind.unit, "UTC"))
    return column.cast(pa.date32()) if pa.types.is_date64(kind) else column
