"""Rows of a release that are too many for memory: they lie in a file as it will be published, until it is."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.contract.files import DATA
from shoal.files.durable import errors_told, new_file
from shoal.files.roots import Root
from shoal.release.parquet import write_pieces


@dataclass(frozen=True, eq=False, repr=False)
class Spooled:
    """Rows in a file of this run, which goes with this object: nothing else holds on to it.

    Attributes
    ----------
    root
        The folder of the file.
    num_rows, schema
        As a table has them.
    """

    root: Root
    num_rows: int
    schema: pa.Schema

    @property
    def path(self) -> Path:
        return self.root.path / DATA

    def read(self) -> pa.Table:
        """All rows."""
        return pq.read_table(self.path)

    def some(self, rows: int) -> pa.Table:
        """The first rows, so many at least where there are: names are random, so these people are anybody."""
        with pq.ParquetFile(self.path) as file:
            groups, found = [], 0
            for number in range(file.num_row_groups):
                if found < rows:
                    groups.append(number)
                    found += file.metadata.row_group(number).num_rows
            return file.read_row_groups(groups)

    def copy_to(self, path: Path) -> None:
        """Write the file once more, where it belongs."""
        with self.path.open("rb") as source, new_file(path) as target:
            shutil.copyfileobj(source, target, 1 << 20)


Rows: TypeAlias = pa.Table | Spooled
"""What can be published: both know how many rows there are, and of which columns."""


def in_memory(rows: Rows) -> pa.Table:
    """All rows as a table, wherever they are."""
    return rows.read() if isinstance(rows, Spooled) else rows


def spool(pieces: Iterable[pa.Table]) -> Spooled | None:
    """Write rows as they come, sorted by name; None where there are none.

    >>> spooled = spool([pa.table({"uid": ["a"]}), pa.table({"uid": ["b"]})])
    >>> spooled.num_rows, spooled.read()["uid"].to_pylist()
    (2, ['a', 'b'])
    """
    rest = iter(pieces)
    first = next(rest, None)
    if first is None:
        return None
    root = Root()
    with errors_told(), new_file(root.path / DATA) as file:
        rows = write_pieces(chain([first], rest), first.schema, file)
    return Spooled(root, rows, first.schema)
