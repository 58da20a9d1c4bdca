"""The measure directory: figures about single people, hence for the owner alone."""

import json
from pathlib import Path

import pyarrow.parquet as pq

from shoal.files.durable import new_file, write_bytes
from shoal.files.paths import AnyPath, check_free, clean
from shoal.files.publish import Folder, publish
from shoal.measurement.kgap import KGap


def check_target(path: AnyPath) -> Path:
    """Refuse a directory that cannot be written, before the work."""
    target = clean(path, "the output")
    check_free(target, path, "--out")
    return target


def write(result: KGap, path: AnyPath) -> Path:
    """Write ``users.parquet`` and ``summary.json``, both or neither."""
    target = check_target(path)

    def fill(folder: Path) -> None:
        with new_file(folder / "users.parquet") as file:
            pq.write_table(result.users, file, compression="zstd")
        summary = json.dumps(result.summary, indent=2, sort_keys=True)
        write_bytes(folder / "summary.json", (summary + "\n").encode())

    publish([Folder(target, public=False)], fill)
    return target
