"""The release as a stranger gets it: the manifest, and the rows, arranged by the names that were published.

What kind of release it is follows from the columns in the bytes, never from a label. The auditor reads, arranges and
covers (:mod:`shoal.auditor.covering`) by code of its own, although what makes and measures releases has some too: a
mistake that both shared would go unseen. That independence is meant.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints
from shoal.auditor.alike import alike
from shoal.auditor.parts import Maps
from shoal.contract.files import DATA, MANIFEST
from shoal.contract.kinds import BOXES, PROFILES, Kind, kind_of, type_name

_METRES = ("x_min", "x_max", "y_min", "y_max")


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
    lat: NDArray[np.float64]
    lng: NDArray[np.float64]
    whole_seconds: bool

    def groups(self, engine: Maps) -> Groups:
        centres = (self.lat.view(np.int64), self.lng.view(np.int64))
        classes = alike(self.crowd.offsets, (*self.crowd.columns, *centres), engine)
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


def read_table(path: Path) -> pa.Table | None:
    """Return the published rows, or None where the file cannot be read, whatever the reason."""
    try:
        return pq.ParquetFile(path / DATA).read() if (path / DATA).is_file() else None
    except Exception:
        return None


def columns_of(table: pa.Table) -> list[tuple[str, str]]:
    """Return names and types of the columns, as the contract spells them."""
    return [(field.name, type_name(field.type)) for field in table.schema]


def open_table(table: pa.Table | None) -> Opened | None:
    """Arrange the rows by name and in order; None where there are none, or some are incomplete, or of no kind."""
    kind = None if table is None else kind_of(columns_of(table))
    if table is None or kind is None or not table.num_rows or any(column.null_count for column in table.columns):
        return None
    frame = pl.DataFrame(table)
    starts = _starts(frame["uid"])
    in_order = _in_order(frame, kind, starts)
    if not in_order:
        frame = frame.sort(kind.order)
        starts = _starts(frame["uid"])
    offsets = np.concatenate((starts, [frame.height])).astype(np.int64)
    common = (kind, frame["uid"].gather(starts), offsets, in_order)
    if kind is BOXES:
        return _boxes(frame, *common)
    if kind is PROFILES:
        return Profiles(*common, frame["municipality"], frame)
    return Points(*common, frame)


def _boxes(frame: pl.DataFrame, kind: Kind, uids: pl.Series, offsets: Ints, in_order: bool) -> Boxes:
    micros = [frame[name].to_physical().to_numpy() for name in ("t_start", "t_end")]
    whole = not any((column % 1_000_000).any() for column in micros)
    metres = [frame[name].to_numpy().astype(np.int64) for name in _METRES]
    crowd = Crowd(offsets, *(column // 1_000_000 for column in micros), *metres)
    lat, lng = (np.ascontiguousarray(frame[name].to_numpy()) for name in ("lat", "lng"))
    return Boxes(kind, uids, offsets, in_order, crowd, lat, lng, whole)


def _starts(column: pl.Series) -> Ints:
    """Return where runs of equal values start."""
    run = column.rle_id().to_numpy().astype(np.int64)
    return np.flatnonzero(np.concatenate(([True], run[1:] != run[:-1]))) if run.size else np.empty(0, np.int64)


def _in_order(frame: pl.DataFrame, kind: Kind, starts: Ints) -> bool:
    """Tell whether rows are sorted by all columns that the kind names: the order of ties would carry something."""
    uids = frame["uid"].gather(starts)
    if not uids.is_sorted() or uids.n_unique() != uids.len():
        return False
    tied = np.ones(frame.height, np.bool_)
    tied[starts] = False
    tied = tied[1:]
    for name in kind.order[1:]:
        if not tied.any():
            break
        values = frame[name].to_physical().to_numpy()
        if (tied & (values[1:] < values[:-1])).any():
            return False
        tied &= values[1:] == values[:-1]
    return True
