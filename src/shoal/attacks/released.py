"""A release as anybody can open it: what it says about itself, what kind it is by its bytes, and its rows.

For attackers, for measures of usefulness, and for whoever works on with it. The auditor reads releases by code of its
own: a fault in here must not be able to hide there.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
        grid = self.manifest.get("base_grid")
        try:
            return Grid(int(grid["cell_m"]), int(grid["dt_s"]))  # type: ignore[index]
        except (TypeError, KeyError, ValueError):
            raise DataError(
                f"a {MANIFEST} without a grid", expected="the base_grid of the release", hint="see shoal audit"
            ) from None

    def by_uid(self) -> tuple[pl.Series, Ints]:
        """Return the distinct uids, and where the rows of each start; one more entry than uids."""
        first = _starts(self.rows["uid"])
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
    folder = Path(path)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict):
        raise _unreadable(MANIFEST)
    try:
        schema = pq.read_schema(folder / DATA)
        rows = pl.read_parquet(folder / DATA, glob=False, hive_partitioning=False)
    except (OSError, ValueError, pa.ArrowException, pl.exceptions.PolarsError):
        raise _unreadable(DATA) from None
    kind = kind_of([(field.name, type_name(field.type)) for field in schema])
    if kind is None or any(rows.null_count().row(0)):
        raise DataError(
            f"a {DATA} that is of no kind of release",
            expected="the columns of boxes, points or profiles, with a value in every row",
            hint="see shoal audit",
        )
    return Released(manifest, kind, rows if _is_sorted(rows, kind.order) else rows.sort(kind.order))


def _unreadable(name: str) -> DataError:
    return DataError(
        f"no readable {name}",
        expected=f"the directory of a release, with {DATA} and {MANIFEST}",
        hint="give the directory that shoal protect wrote",
    )


def _is_sorted(rows: pl.DataFrame, order: Sequence[str]) -> bool:
    """Tell whether rows are sorted by these columns, the uid first: sorting text again would take long."""
    first = _starts(rows["uid"])
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


def _starts(column: pl.Series) -> Ints:
    """Return where runs of equal values start."""
    run: NDArray[np.integer] = column.rle_id().to_numpy()
    return np.flatnonzero(np.concatenate(([True], run[1:] != run[:-1]))) if run.size else np.empty(0, np.int64)
