"""A release as anybody can open it: what it says about itself, what kind it is by its bytes, and its rows.

For attackers, for measures of usefulness, and for whoever works on with it. The auditor reads releases by code of its
own: a fault in here must not be able to hide there.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from shoal.attacks.crowd import Crowd, Ints
from shoal.contract.files import DATA, MANIFEST
from shoal.contract.kinds import Kind, kind_of, type_name
from shoal.data import Grid
from shoal.data.published import PublishedOut, shown_release
from shoal.errors import DataError, counted

_SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Released(PublishedOut):
    """A release directory, opened.

    Attributes
    ----------
    manifest
        What the release says about itself; nothing in it is checked here.
    kind
        What the bytes are, whatever the manifest says.
    rows
        The published table, sorted as its kind has to be; ``order`` of the kind says how.
    """

    manifest: dict[str, Any]
    kind: Kind
    rows: pl.DataFrame

    def __repr__(self) -> str:
        return f"Released({self.kind.name}, {counted(self.rows.height, 'row', 'rows')})"

    def _repr_html_(self) -> str:
        return shown_release(repr(self), self.manifest)

    def to_arrow(self) -> pa.Table:
        """The published rows; :meth:`to_polars`, :meth:`to_pandas` and :meth:`to_geopandas` give the same."""
        return self.rows.to_arrow()

    @property
    def base_grid(self) -> Grid:
        """What samples were snapped to before they were protected."""
        return base_grid(self.manifest)

    def by_uid(self) -> tuple[pl.Series, Ints]:
        """Return the distinct uids, and where the rows of each start; one more entry than uids."""
        first = run_starts(self.rows["uid"])
        return self.rows["uid"].gather(first), np.append(first, self.rows.height)

    def boxes(self) -> tuple[pl.Series, Crowd]:
        """Return the uids of a release of boxes, and their boxes."""
        uids, offsets = self.by_uid()
        times = (self.rows[name].to_physical().to_numpy() // _SECOND_US for name in ("t_start", "t_end"))
        metres = (self.rows[name].to_numpy().astype(np.int64) for name in ("x_min", "x_max", "y_min", "y_max"))
        return uids, Crowd(offsets, *times, *metres)


def is_release(source: Any) -> bool:
    """Tell a release directory from other inputs."""
    return isinstance(source, str | os.PathLike) and (Path(source) / MANIFEST).is_file()


def open_release(path: str | os.PathLike[str]) -> Released:
    """Read a release directory.

    Parameters
    ----------
    path
        The directory that ``shoal protect`` or ``release.write()`` wrote.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> events = {"uid": ["a", "b"], "datetime": ["2020-01-01T00:00Z"] * 2, "lat": [6.1] * 2, "lng": [-5.2] * 2}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = shoal.Uniform(cell_m=1000, minutes=60).protect(shoal.read(events))
    ...     open_release(release.write(f"{folder}/release", record=False))
    Released(boxes, 2 rows)
    """
    found = find_release(path)
    try:
        rows = pl.read_parquet(found.path / DATA, glob=False, hive_partitioning=False)
    except (OSError, ValueError, pl.exceptions.PolarsError):
        raise unreadable(DATA) from None
    if any(rows.null_count().row(0)):
        raise of_no_kind()
    order = found.kind.order
    return Released(found.manifest, found.kind, rows if is_sorted(rows, order) else rows.sort(order))


class Found(NamedTuple):
    """A release directory of which the rows are still to be read; the rest as in :class:`Released`."""

    path: Path
    manifest: dict[str, Any]
    kind: Kind


def find_release(path: str | os.PathLike[str]) -> Found:
    """Look at a release directory: what it says about itself, and what kind it is by its columns."""
    folder = Path(path)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict):
        raise unreadable(MANIFEST)
    try:
        schema = pq.read_schema(folder / DATA)
    except (OSError, ValueError, pa.ArrowException):
        raise unreadable(DATA) from None
    kind = kind_of([(field.name, type_name(field.type)) for field in schema])
    if kind is None:
        raise of_no_kind()
    return Found(folder, manifest, kind)


def base_grid(manifest: dict[str, Any]) -> Grid:
    """What samples were snapped to before they were protected, by what a manifest says."""
    grid = manifest.get("base_grid")
    try:
        return Grid(int(grid["cell_m"]), int(grid["dt_s"]))  # type: ignore[index]
    except (TypeError, KeyError, ValueError):
        raise DataError(
            f"a {MANIFEST} without a grid", expected="the base_grid of the release", hint="see shoal audit"
        ) from None


def of_no_kind() -> DataError:
    """Word that the rows are none of a release."""
    return DataError(
        f"a {DATA} that is of no kind of release",
        expected="the columns of boxes, points or profiles, with a value in every row",
        hint="see shoal audit",
    )


def unreadable(name: str) -> DataError:
    """Word that a file of a release cannot be read."""
    return DataError(
        f"no readable {name}",
        expected=f"the directory of a release, with {DATA} and {MANIFEST}",
        hint="give the directory that shoal protect wrote",
    )


def is_sorted(rows: pl.DataFrame, order: Sequence[str]) -> bool:
    """Tell whether rows are sorted by these columns, the uid first: sorting text again would take long."""
    first = run_starts(rows["uid"])
    uids = rows["uid"].gather(first)
    if not uids.is_sorted() or uids.n_unique() < uids.len():
        return False
    tied = np.ones(rows.height, np.bool_)
    tied[first] = False
    tied = tied[1:]
    for name in order[1:]:
        column = rows[name].to_physical().to_numpy()
        if (tied & (column[1:] < column[:-1])).any():
            return False
        tied &= column[1:] == column[:-1]
    return True


def run_starts(column: pl.Series) -> Ints:
    """Return where runs of equal values start."""
    run: NDArray[np.integer] = column.rle_id().to_numpy()
    return np.flatnonzero(np.concatenate(([True], run[1:] != run[:-1]))) if run.size else np.empty(0, np.int64)
