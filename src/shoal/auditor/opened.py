"""The release as a stranger gets it: the manifest, and the rows, arranged by the names that were published.

What kind of release it is follows from the columns in the bytes, never from a label. The auditor reads, arranges and
covers (:mod:`shoal.auditor.covering`) by code of its own, although what makes and measures releases has some too: a
mistake that both shared would go unseen. That independence is meant.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from polars.exceptions import PanicException

from shoal.attacks.compact import compact
from shoal.attacks.crowd import Crowd, Ints
from shoal.attacks.narrow import narrow
from shoal.auditor.alike import alike
from shoal.auditor.blocks import Blocks
from shoal.auditor.degrees import Degrees, degrees
from shoal.auditor.parts import Maps
from shoal.auditor.table import Table, UnreadableError, open_file, read_all
from shoal.contract.files import MANIFEST
from shoal.contract.kinds import BOXES, PROFILES, Kind, kind_of, type_name
from shoal.data.layout import joined
from shoal.data.values import text_apart

_TIMES = ("t_start", "t_end")
_METRES = ("x_min", "x_max", "y_min", "y_max")
_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Individuals whose published rows are identical, the centre in degrees included.

    Attributes
    ----------
    of
        The group of each individual, 0, 1, …
    model
        One individual of each group.
    size
        Published individuals in each group.
    """

    of: Ints
    model: Ints
    size: Ints

    @property
    def own_size(self) -> Ints:
        """The size of each individual's group."""
        return self.size[self.of]


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """What every kind has: names and their rows. A name is a person's, a part's or a row's (``kind.uid_of``).

    Attributes
    ----------
    uids
        Sorted and distinct.
    offsets
        Where the rows of each name start; one more entry than names.
    in_order
        Whether the file was sorted as its kind demands; the rows here always are.
    """

    kind: Kind
    uids: pl.Series
    offsets: Ints
    in_order: bool


@dataclass(frozen=True, slots=True, eq=False)
class Boxes(Opened):
    """Boxes of people: one name per person."""

    crowd: Crowd
    lat: Degrees
    lng: Degrees
    whole_seconds: bool

    def groups(self, engine: Maps) -> Groups:
        classes = alike(self.crowd.offsets, (*self.crowd.columns, self.lat.marks, self.lng.marks), engine)
        model, of = np.unique(classes, return_inverse=True)
        return Groups(of, model, np.bincount(of))


@dataclass(frozen=True, slots=True, eq=False)
class Points(Opened):
    """Points: one name per part of a trace; ``rows`` are all of them."""

    rows: pl.DataFrame


@dataclass(frozen=True, slots=True, eq=False)
class Profiles(Opened):
    """Profiles: one name per row, that is per person and municipality; ``rows`` are all of them."""

    municipality: pl.Series
    rows: pl.DataFrame


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest, or None where there is no readable one."""
    try:
        # Not a pipe or the like, which would never end.
        manifest = json.loads((path / MANIFEST).read_bytes()) if (path / MANIFEST).is_file() else None
    except (OSError, ValueError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else None


def columns_of(schema: pa.Schema) -> list[tuple[str, str]]:
    """Return names and types of the columns, as the contract spells them."""
    return [(field.name, type_name(field.type)) for field in schema]


class Release(NamedTuple):
    """The published table as it is, and its rows arranged by name and in order.

    There is nothing to arrange where there are no rows, or some are incomplete, or of no kind. ``fault`` is what
    stopped it otherwise.
    """

    table: Table
    arranged: Opened | None
    fault: BaseException | None = None

    @property
    def opened(self) -> Opened | None:
        if self.fault is not None:
            raise self.fault
        return self.arranged


def read_release(path: Path) -> Release | None:
    """Read the published rows; None where the file cannot be read, whatever the reason."""
    try:
        table = open_file(path)
        pieces = read_all(table)
        try:
            found = Release(table, _arranged(map(pl.DataFrame, pieces), table, kind_of(columns_of(table.schema))))
        except UnreadableError:
            raise
        except (Exception, PanicException) as fault:
            found = Release(table, None, fault)
        for _ in pieces:
            """What stopped arranging is no reason not to look at the rest."""
    except UnreadableError:
        return None
    table.let_go()
    return found


def _arranged(pieces: Iterable[pl.DataFrame], table: Table, kind: Kind | None) -> Opened | None:
    """Arrange rows of a kind, which are read on the way."""
    if kind is BOXES:
        return _boxes(pieces, table)
    if kind is None:
        return None
    frames = list(pieces)
    if any(table.facts.nulls.values()) or not table.rows:
        return None
    frame = pl.concat(frames, rechunk=True)
    frames.clear()
    order = _Order(kind)
    order.add(frame)
    if not order.holds():
        frame = frame.sort(kind.order)
        order = _Order(kind, in_order=False)
        order.add(frame)
    common = order.names()
    if kind is PROFILES:
        return Profiles(*common, frame["municipality"], frame)
    return Points(*common, frame)


def _boxes(pieces: Iterable[pl.DataFrame], table: Table) -> Boxes | None:
    """Arrange boxes. Of honest files, which are in order, no more than a row group is held as it was read."""
    order, columns = _Order(BOXES), _Columns()
    for frame in pieces:
        if not any(table.facts.nulls.values()):
            order.add(frame)
            columns.add(frame)
    if any(table.facts.nulls.values()) or not table.rows:
        return None
    if not order.holds():
        frame = pl.concat([pl.DataFrame(piece) for piece in table.pieces()]).sort(BOXES.order)
        order, columns = _Order(BOXES, in_order=False), _Columns()
        order.add(frame)
        columns.add(frame)
    kind, uids, offsets, in_order = order.names()
    crowd = Crowd(offsets, *(compact(columns.whole[name].whole()) for name in (*_TIMES, *_METRES)))
    lat, lng = (columns.degrees[name].whole() for name in ("lat", "lng"))
    return Boxes(kind, uids, offsets, in_order, crowd, lat, lng, columns.whole_seconds)


class _Columns:
    """The columns of boxes, piece by piece: seconds and metres in whole numbers, and degrees."""

    def __init__(self) -> None:
        self.whole: dict[str, Blocks[Ints]] = {name: Blocks(joined) for name in (*_TIMES, *_METRES)}
        self.degrees = {name: Blocks(degrees) for name in ("lat", "lng")}
        self.whole_seconds = True

    def add(self, frame: pl.DataFrame) -> None:
        for name in _TIMES:
            micros = frame[name].to_physical().to_numpy()
            self.whole_seconds &= not (micros % _SECOND_US).any()
            self.whole[name].add(narrow(micros // _SECOND_US), frame.height)
        for name in _METRES:
            # A copy: a piece of the file would stay as long as one of its columns.
            self.whole[name].add(narrow(frame[name].to_numpy().copy()), frame.height)
        for name, column in self.degrees.items():
            column.add(Degrees.of(frame[name].to_numpy()), frame.height)


class _Order:
    """Names, where the rows of each start, and whether they are sorted by all columns that the kind names.

    The order of ties would carry something.
    """

    def __init__(self, kind: Kind, *, in_order: bool = True) -> None:
        self._kind, self._in_order = kind, in_order
        self._names: list[pl.Series] = []
        self._starts: list[Ints] = []
        self._rows = 0
        self._last: tuple[Any, ...] | None = None

    def add(self, frame: pl.DataFrame) -> None:
        """Take the next rows."""
        if not frame.height:
            return
        starts = _starts(frame["uid"])
        self._in_order &= self._sorted_within(frame, starts)
        first, last = (self._values(frame, row) for row in (0, -1))
        new = starts
        if self._last is not None and first[0] == self._last[0]:
            self._in_order &= self._last[1:] <= first[1:]
            new = starts[1:]
        self._names.append(text_apart(frame["uid"].gather(new)))
        self._starts.append(new + self._rows)
        self._rows += frame.height
        self._last = last

    def holds(self) -> bool:
        """Tell whether all rows so far are in order."""
        names = self._together()
        return self._in_order and names.is_sorted() and names.n_unique() == names.len()

    def names(self) -> tuple[Kind, pl.Series, Ints, bool]:
        """Return the kind, the names, where the rows of each start, and whether they were in order."""
        offsets = np.concatenate((*self._starts, [self._rows])).astype(np.int64)
        return self._kind, self._together(), offsets, self._in_order

    def _together(self) -> pl.Series:
        return pl.concat(self._names, rechunk=True)

    def _values(self, frame: pl.DataFrame, row: int) -> tuple[Any, ...]:
        return tuple(frame[name].to_physical()[row] for name in self._kind.order)

    def _sorted_within(self, frame: pl.DataFrame, starts: Ints) -> bool:
        """Tell whether the rows of each name are sorted."""
        tied = np.ones(frame.height, np.bool_)
        tied[starts] = False
        tied = tied[1:]
        for name in self._kind.order[1:]:
            if not tied.any():
                break
            values = frame[name].to_physical().to_numpy()
            if (tied & (values[1:] < values[:-1])).any():
                return False
            tied &= values[1:] == values[:-1]
        return True


def _starts(column: pl.Series) -> Ints:
    """Return where runs of equal values start."""
    run = column.rle_id().to_numpy().astype(np.int64)
    return np.flatnonzero(np.concatenate(([True], run[1:] != run[:-1]))) if run.size else np.empty(0, np.int64)
