"""The published table as it lies in the file, read a row group at a time: all of it at once is a nation's memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.contract.files import DATA

LIMITS = {"lat": 90, "lng": 180}
"""Columns in degrees, and the largest that there are."""

_TIMES = ("t_start", "datetime")
_DECIMALS = 6


class Table:
    """What a reader of Parquet finds in the file.

    Attributes
    ----------
    schema
        Names and types of the columns.
    rows
        How many there are, as counted, whatever the footer says.
    facts
        What was seen of single values on the way.
    """

    def __init__(self, file: pq.ParquetFile) -> None:
        self._file, self.schema = file, file.schema_arrow
        self.facts = Facts()
        self._bounds = [0]
        self._last: tuple[int, pa.Table] | None = None

    @property
    def rows(self) -> int:
        return self._bounds[-1]

    @property
    def columns(self) -> list[str]:
        names: list[str] = self.schema.names
        return names

    def first_look(self) -> Iterator[pa.Table]:
        """Read everything, for the first time: pieces in order, counted and looked at as they come."""
        for piece in self.pieces():
            self._bounds.append(self._bounds[-1] + piece.num_rows)
            self.facts.add(piece)
            yield piece

    def pieces(self) -> Iterator[pa.Table]:
        """Read everything, piece by piece; at least one, which may have no rows."""
        for number in range(self._file.num_row_groups):
            yield self._file.read_row_group(number)
        if not self._file.num_row_groups:
            yield self._file.read()

    def in_groups(self, rows: int) -> Iterator[pa.Table]:
        """Read everything again, so many rows at a time; at least one piece, which may have none."""
        for start in range(0, max(self.rows, 1), rows):
            yield self.between(start, rows)

    def between(self, start: int, rows: int) -> pa.Table:
        """Return so many rows from one on, or as many as there are."""
        stop = min(start + rows, self.rows)
        numbers = [n for n, low in enumerate(self._bounds[:-1]) if low < stop and self._bounds[n + 1] > start]
        if not numbers:
            return self.schema.empty_table()
        found = pa.concat_tables([self._piece(number) for number in numbers])
        return found.slice(start - self._bounds[numbers[0]], stop - start)

    def _piece(self, number: int) -> pa.Table:
        """Read a row group, or have it still."""
        if self._last is None or self._last[0] != number:
            self._last = number, self._file.read_row_group(number)
        return self._last[1]

    def let_go(self) -> None:
        """Forget the last piece, and give its memory back."""
        self._last = None
        pa.default_memory_pool().release_unused()


class Facts:
    """What was seen of single values, column by column.

    Attributes
    ----------
    nulls
        Empty values of each column.
    strange, minus_zeros
        Values of each column of fractions that are no numbers, and zeros with a minus.
    beyond_all
        Of other columns than degrees: values below 0 or above 1.
    decimals, off_globe
        Of each column in degrees: values with more than six decimals, and those that no place has.
    last_us
        The last moment, of boxes the last start; 0 where there is none.
    """

    def __init__(self) -> None:
        self.nulls: dict[str, int] = {}
        self.strange: dict[str, int] = {}
        self.minus_zeros: dict[str, int] = {}
        self.beyond_all: dict[str, int] = {}
        self.decimals: dict[str, int] = {}
        self.off_globe: dict[str, int] = {}
        self.last_us = 0

    def add(self, piece: pa.Table) -> None:
        """Look at some rows."""
        for field, column in zip(piece.schema, piece.columns, strict=True):
            _count(self.nulls, field.name, column.null_count)
            if field.type == pa.float64():
                self._fractions(field.name, column.to_numpy())
        at = next((number for number, name in enumerate(piece.schema.names) if name in _TIMES), None)
        if at is not None and pa.types.is_timestamp(piece.schema.field(at).type):
            last = pc.max(piece.column(at).cast("int64")).as_py()
            self.last_us = last if last and (not self.last_us or last > self.last_us) else self.last_us

    def _fractions(self, name: str, values: np.ndarray) -> None:
        finite = np.isfinite(values)
        _count(self.strange, name, int((~finite).sum()))
        _count(self.minus_zeros, name, int((np.signbit(values) & (values == 0)).sum()))
        if name not in LIMITS:
            _count(self.beyond_all, name, int(((values[finite] < 0) | (values[finite] > 1)).sum()))
            return
        _count(self.decimals, name, int((finite & (np.round(values, _DECIMALS) != values)).sum()))
        _count(self.off_globe, name, int((np.abs(values[finite]) > LIMITS[name]).sum()))


def _count(counts: dict[str, int], name: str, more: int) -> None:
    counts[name] = counts.get(name, 0) + more


class UnreadableError(Exception):
    """The file is none that a reader of Parquet gets to its end."""


def open_file(path: Path) -> Table:
    """Open the published file of a release; what follows from its bytes alone is looked at elsewhere."""
    try:
        if (path / DATA).is_file():
            return Table(pq.ParquetFile(path / DATA))
    except Exception:
        raise UnreadableError from None
    raise UnreadableError


def read_all(table: Table) -> Iterator[pa.Table]:
    """Go through a table for the first time; whatever stops a reader stops it, by one name."""
    pieces = table.first_look()
    while True:
        try:
            piece = next(pieces, None)
        except Exception:
            raise UnreadableError from None
        if piece is None:
            return
        yield piece
