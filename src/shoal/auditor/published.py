"""The release as a stranger gets it: bytes, manifest, and the boxes in them."""

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
from shoal.attacks.same import same_sequences

DATA, MANIFEST, PAGE = "data.parquet", "manifest.json", "report.html"

_UTC = pa.timestamp("us", "UTC")
_METRES = ("x_min", "x_max", "y_min", "y_max")
SCHEMAS: dict[str, dict[str, pa.DataType]] = {
    "boxes": {
        "uid": pa.string(),
        "t_start": _UTC,
        "t_end": _UTC,
        **dict.fromkeys(_METRES, pa.int32()),
        "lat": pa.float64(),
        "lng": pa.float64(),
    },
    "points": {"uid": pa.string(), "datetime": _UTC, "lat": pa.float64(), "lng": pa.float64()},
}
"""The columns that a kind of release may have, and no others."""


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
class Boxes:
    """Published boxes per uid. ``uids`` are sorted and distinct; ``sorted_rows`` says whether the file was."""

    uids: pl.Series
    crowd: Crowd
    lat: NDArray[np.float64]
    lng: NDArray[np.float64]
    whole_seconds: bool
    sorted_rows: bool

    def groups(self) -> Groups:
        centres = (self.lat.view(np.int64), self.lng.view(np.int64))
        classes = same_sequences(self.crowd.offsets, (*self.crowd.columns, *centres))
        model, of = np.unique(classes, return_inverse=True)
        return Groups(of, model, np.bincount(of))


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest, or None where there is no readable one."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) else None


def read_table(path: Path) -> pa.Table | None:
    """Return the published rows, or None where the file cannot be read."""
    try:
        return pq.ParquetFile(path / DATA).read()
    except (OSError, ValueError, pa.ArrowException):
        return None


def wrong_columns(table: pa.Table, kind: str) -> list[str]:
    """Say what is wrong with the columns of a table; names of unexpected columns are not repeated."""
    wanted = SCHEMAS[kind]
    wrong = [f"no column {name}" for name in wanted if name not in table.column_names]
    extra = sum(name not in wanted for name in table.column_names)
    if extra:
        wrong.append(f"{extra} columns that do not belong there")
    if len(set(table.column_names)) != len(table.column_names):
        wrong.append("a column twice")
        return wrong
    wrong += [
        f"column {name} of the wrong type"
        for name, kind_ in wanted.items()
        if name in table.column_names and table.schema.field(name).type != kind_
    ]
    if not wrong and table.column_names != list(wanted):
        wrong.append("columns in another order")
    return wrong


def read_boxes(table: pa.Table) -> Boxes:
    """Arrange rows by uid and time; the table has the right columns and no nulls."""
    frame = pl.DataFrame(table)
    first = _starts(frame["uid"])
    uids = frame["uid"].gather(first)
    start = frame["t_start"].to_physical().to_numpy()
    within = np.ones(frame.height, np.bool_)
    within[first] = False
    falls = np.zeros(frame.height, np.bool_)
    falls[1:] = start[1:] < start[:-1]
    in_order = uids.is_sorted() and uids.n_unique() == uids.len() and not (falls & within).any()
    if not in_order:
        frame = frame.sort("uid", "t_start", "t_end", *_METRES)
        first = _starts(frame["uid"])
        uids = frame["uid"].gather(first)
    offsets = np.concatenate((first, [frame.height])).astype(np.int64)
    micros = [frame[name].to_physical().to_numpy() for name in ("t_start", "t_end")]
    whole = not any((column % 1_000_000).any() for column in micros)
    metres = [frame[name].to_numpy().astype(np.int64) for name in _METRES]
    crowd = Crowd(offsets, *(column // 1_000_000 for column in micros), *metres)
    lat, lng = (np.ascontiguousarray(frame[name].to_numpy()) for name in ("lat", "lng"))
    return Boxes(uids, crowd, lat, lng, whole, in_order)


def _starts(column: pl.Series) -> Ints:
    """Return where runs of equal values start."""
    run = column.rle_id().to_numpy().astype(np.int64)
    return np.flatnonzero(np.concatenate(([True], run[1:] != run[:-1]))) if run.size else np.empty(0, np.int64)
