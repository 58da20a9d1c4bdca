"""The measure directory: figures about single people, hence for the owner alone."""

import json
from pathlib import Path

import pyarrow.parquet as pq

from shoal.files.durable import new_file, write_bytes
from shoal.files.paths import AnyPath, new_target
from shoal.files.publish import Folder, publish
from shoal.measurement.kgap import KGap


def write(result: KGap, path: AnyPath) -> Path:
    """Write ``users.parquet`` and ``summary.json``, both or neither."""
    target = new_target(path)

    def fill(folder: Path) -> None:
        with new_file(folder / "users.parquet") as file:
            pq.write_table(result.users, file, compression="zstd")
        summary = json.dumps(result.summary, indent=2, sort_keys=True)
        write_bytes(folder / "summary.json", (summary + "\n").encode())

    publish([Folder(target, public=False)], fill)
    return target
