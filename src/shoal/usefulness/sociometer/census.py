"""The result of the Sociometer: counts with their uncertainty, and the tables behind them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.contract.files import CENSUS
from shoal.errors import DataError, counted
from shoal.files.durable import new_file, whole_file, write_bytes
from shoal.files.paths import AnyPath, new_target
from shoal.files.publish import Folder, publish


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Census:
    """The result of ``shoal sociometer``.

    Attributes
    ----------
    counts
        ``municipality, label, profiles, low, high``: the first start of k-means, and the range over all starts.
    labels
        ``uid, municipality, label`` of each profile: about people.
    prototypes
        ``municipality, label, profiles``, then a column per cell.
    flows
        ``home, work, people``: who commutes from where to where; None for a release, where nobody can tell.
    summary
        What can be said about all of them together.
    """

    counts: pa.Table
    labels: pa.Table
    prototypes: pa.Table
    flows: pa.Table | None
    summary: dict[str, Any]

    def __repr__(self) -> str:
        profiles = counted(self.summary["profiles"], "profile", "profiles")
        return f"Census({profiles}, {counted(self.summary['municipalities'], 'municipality', 'municipalities')})"

    def to_dict(self) -> dict[str, Any]:
        return dict(self.summary)

    def told(self) -> dict[str, Any]:
        """Return what pages are made from: nobody's class, but counts that may be of one person."""
        return {"summary": dict(self.summary), "counts": self.counts.to_pylist()}

    def keep(self, secret: AnyPath) -> Path:
        """Write ``census.json`` into the secret directory of a release, in place of an older one."""
        path = Path(secret) / CENSUS
        with whole_file(path, replace=True) as file:
            file.write((json.dumps(self.told(), indent=1) + "\n").encode())
        return path

    def write(self, path: AnyPath) -> Path:
        """Write all tables and ``summary.json`` into a new directory, for the owner alone; all or nothing."""
        target = new_target(path)
        publish([Folder(target, public=False)], self._write_into)
        return target

    def _write_into(self, folder: Path) -> None:
        tables = {"counts": self.counts, "labels": self.labels, "prototypes": self.prototypes}
        if self.flows is not None:
            tables["flows"] = self.flows
        for name, table in tables.items():
            with new_file(folder / f"{name}.parquet") as file:
                pq.write_table(table, file, compression="zstd")
        write_bytes(folder / _SUMMARY, (json.dumps(self.summary, indent=2) + "\n").encode())


_SUMMARY, _COUNTS = "summary.json", "counts.parquet"


def told_in(folder: Path) -> dict[str, Any]:
    """Read what :meth:`Census.told` gives from a directory that :meth:`Census.write` wrote."""
    try:
        summary = json.loads((folder / _SUMMARY).read_bytes())
        return {"summary": summary, "counts": pq.read_table(folder / _COUNTS).to_pylist()}
    except (OSError, ValueError, pa.ArrowException):
        raise DataError(
            "no readable census", expected="the directory that shoal sociometer wrote", hint="count again"
        ) from None
