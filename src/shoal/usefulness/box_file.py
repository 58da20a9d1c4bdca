"""The boxes of a release, read a row group at a time straight to where they belong: in the order of people."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.attacks.crowd import Crowd
from shoal.attacks.narrow import narrow, wide
from shoal.attacks.released import is_sorted, of_no_kind, open_release, run_starts, unreadable
from shoal.contract.files import DATA
from shoal.contract.kinds import BOXES
from shoal.data import Grid
from shoal.data.values import text_apart
from shoal.usefulness.figures import Cells, Ints, in_cells

_SECOND_US = 1_000_000
_TIMES = ("t_start", "t_end")
_METRES = ("x_min", "x_max", "y_min", "y_max")


class BoxFile:
    """The boxes in a release directory.

    Attributes
    ----------
    uids
        Sorted, each once.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        names, starts, rows = list[pl.Series](), [np.empty(0, np.int64)], 0
        last: str | None = None
        for frame in self._pieces(["uid"]):
            if not frame.height:
                continue
            first = run_starts(frame["uid"])
            # Rows of one uid may go on, even through a whole row group, which then starts nobody.
            if frame["uid"][0] == last:
                first = first[1:]
            last = frame["uid"][-1]
            names.append(text_apart(frame["uid"].gather(first)))
            starts.append(first + rows)
            rows += frame.height
        self.uids = pl.concat(names, rechunk=True) if names else pl.Series("uid", [], pl.String)
        self._offsets: Ints = np.append(np.concatenate(starts), rows)
        self._sorted = self.uids.is_sorted() and self.uids.n_unique() == self.uids.len()
        if not self._sorted:
            self._whole()

    def _whole(self) -> Crowd:
        """Read everything at once, and sort it: nobody who wrote such a file left it in order."""
        released = open_release(self._path)
        self.uids, crowd = released.boxes()
        return crowd

    def in_cells(self, order: Ints, grid: Grid) -> tuple[Ints, Cells]:
        """Return the boxes of some uids, by their numbers in ``uids``: where those of each start, and the boxes.

        Each uid is asked for once.
        """
        found = self._placed(order, grid) if self._sorted else None
        if found is not None:
            return found
        crowd = self._whole().take(order)
        return crowd.offsets, in_cells(crowd, grid)

    def _placed(self, order: Ints, grid: Grid) -> tuple[Ints, Cells] | None:
        """Put every row where it belongs; None where those of a uid are not in order."""
        lengths = np.diff(self._offsets)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths[order])))
        # How far the rows of each uid are moved.
        moved = np.empty(lengths.size, np.int64)
        moved[order] = offsets[:-1] - self._offsets[:-1][order]
        columns: list[Ints] = [np.empty(int(offsets[-1]), np.int32) for _ in Cells._fields]
        start, last = 0, None
        # All columns, though not all are measured: an empty value anywhere makes it no release.
        for frame in self._pieces([column.name for column in BOXES.columns]):
            if not frame.height:
                continue
            if not is_sorted(frame, BOXES.order) or (last is not None and last > _values(frame, 0)):
                return None
            last = _values(frame, -1)
            rows = np.arange(start, start + frame.height)
            to = rows + moved[np.searchsorted(self._offsets, rows, side="right") - 1]
            for number, values in enumerate(_cells(frame, grid)):
                if values.dtype != columns[number].dtype:
                    columns[number] = wide(columns[number])
                columns[number][to] = values
            start += frame.height
        return offsets, Cells(*columns)

    def _pieces(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some columns, a row group at a time."""
        try:
            with pq.ParquetFile(self._path / DATA) as file:
                for number in range(file.num_row_groups):
                    table = file.read_row_group(number, columns=list(columns))
                    if any(column.null_count for column in table.columns):
                        raise of_no_kind()
                    yield pl.DataFrame(table)
        except (OSError, ValueError, pa.ArrowException):
            raise unreadable(DATA) from None


def _values(frame: pl.DataFrame, row: int) -> tuple[Any, ...]:
    return tuple(frame[name].to_physical()[row] for name in BOXES.order)


def _cells(frame: pl.DataFrame, grid: Grid) -> Iterator[Ints]:
    """Return the boxes of some rows in cells, column by column."""
    times = (frame[name].to_physical().to_numpy() // _SECOND_US for name in _TIMES)
    metres = (frame[name].to_numpy().astype(np.int64) for name in _METRES)
    for values in in_cells(Crowd(np.array([0, frame.height]), *times, *metres), grid):
        yield narrow(values)
