"""A release in the making: tables that can be broken, and a plain writer that shares nothing with the real one."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.published import SCHEMAS

SUPPRESSED = pa.schema(
    [
        ("original_uid", pa.string()),
        ("t", pa.timestamp("us", "UTC")),
        ("x", pa.int32()),
        ("y", pa.int32()),
        ("reason", pa.string()),
    ]
)


class Written(NamedTuple):
    """Where a draft was written."""

    release: Path
    secret: Path
    original: Path


@dataclass(slots=True)
class Draft:
    """Everything that is written; to be changed at will before it is.

    Attributes
    ----------
    raw
        The original, ``uid, datetime, lat, lng``.
    data
        Rows of the release, with ``group`` and ``member`` beside the contract's columns; these two are not written.
    mapping, suppressed, manifest
        As in the contract; the digest is filled in.
    kv
        Key-value metadata of data.parquet.
    sorted_rows, statistics
        Off and on for broken ones.
    """

    raw: pl.DataFrame
    data: pl.DataFrame
    mapping: pl.DataFrame
    suppressed: pl.DataFrame
    manifest: dict[str, Any]
    kv: Mapping[str, str] = field(default_factory=dict)
    sorted_rows: bool = True
    statistics: bool = False

    def write(self, folder: Path) -> Written:
        """Write the release, its secret directory and the original below a folder."""
        release, secret, original = folder / "release", folder / "secret", folder / "events.parquet"
        release.mkdir(parents=True)
        secret.mkdir()
        self.raw.write_parquet(original)
        data = self.data.drop("group", "member", strict=False)
        if self.sorted_rows:
            data = data.sort(*data.columns[:2])
        _write(release / "data.parquet", _as_published(data), self.kv, statistics=self.statistics)
        digest = hashlib.sha256((release / "data.parquet").read_bytes()).hexdigest()
        manifest = {**self.manifest, "sha256": {"data.parquet": digest, **self.manifest["sha256"]}}
        text = json.dumps(manifest, indent=2, sort_keys=True).encode()
        (release / "manifest.json").write_bytes(text)
        (secret / "manifest.sha256").write_text(f"{hashlib.sha256(text).hexdigest()}  manifest.json\n")
        _write(secret / "mapping.parquet", self.mapping.to_arrow())
        _write(secret / "suppressed.parquet", self.suppressed.to_arrow().cast(SUPPRESSED))
        return Written(release, secret, original)


def _as_published(data: pl.DataFrame) -> pa.Table:
    """Give the columns the contract's types; columns that it does not know keep theirs."""
    types = SCHEMAS["boxes"]
    fields = [pa.field(f.name, types.get(f.name, f.type)) for f in data.to_arrow().schema]
    return data.to_arrow().cast(pa.schema(fields))


def _write(path: Path, table: pa.Table, kv: Mapping[str, str] | None = None, *, statistics: bool = False) -> None:
    table = table.replace_schema_metadata(None)
    options: dict[str, Any] = {"compression": "zstd", "write_statistics": statistics, "store_schema": False}
    with pq.ParquetWriter(path, table.schema, **options) as writer:
        writer.write_table(table)
        if kv:
            writer.add_key_value_metadata(dict(kv))
