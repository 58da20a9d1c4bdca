"""A release in the making: tables that can be broken, and a plain writer that shares nothing with the real one."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.opened import columns_of
from shoal.auditor.versions import installed
from shoal.contract.claims import Claim
from shoal.contract.files import (
    COUNTS,
    DATA,
    FORMAT_VERSION,
    MANIFEST,
    MANIFEST_DIGEST,
    MAPPING,
    PAGE,
    SUPPRESSED,
    SUPPRESSED_COLUMNS,
    SUPPRESSED_PROFILES_COLUMNS,
    VERSIONS_OF,
    spelled,
)
from shoal.contract.kinds import PROFILES, Kind
from shoal.contract.parquet import COMPRESSION, ROWS_PER_GROUP, WRITER

_ARROW = {
    "string": pa.string(),
    "timestamp[us, UTC]": pa.timestamp("us", "UTC"),
    "int32": pa.int32(),
    "float64": pa.float64(),
}
BESIDE = ("group", "member")
"""Columns of a draft's rows that say what belongs together, and are not written."""


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
    kind
        What its rows are, before anything is broken.
    raw
        The original: ``uid, datetime, lat, lng``, or profiles.
    data
        Rows of the release, with ``group`` and ``member`` beside the contract's columns.
    mapping, suppressed, manifest
        As in the contract; the digests are filled in.
    kv, options
        Key-value metadata of data.parquet, and options of its writer that are not the contract's.
    tables
        Further tables of the secret directory, by name.
    page
        A page to be published along with it, or what makes one of the manifest.
    in_order
        Whether rows are sorted as the kind demands.
    forged
        Changes the bytes of data.parquet before their digest is taken.
    """

    kind: Kind
    raw: pl.DataFrame
    data: pl.DataFrame
    mapping: pl.DataFrame
    suppressed: pl.DataFrame
    manifest: dict[str, Any]
    kv: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    page: bytes | Callable[[Mapping[str, Any]], bytes] | None = None
    in_order: bool = True
    forged: Callable[[bytes], bytes] | None = None

    def write(self, folder: Path) -> Written:
        """Write the release, its secret directory and the original below a folder."""
        release, secret, original = folder / "release", folder / "secret", folder / "events.parquet"
        release.mkdir(parents=True)
        secret.mkdir()
        self.raw.write_parquet(original)
        _write(release / DATA, self.rows(), self.kv, **self.options)
        if self.forged is not None:
            (release / DATA).write_bytes(self.forged((release / DATA).read_bytes()))
        if self.page is not None:
            content = self.page if isinstance(self.page, bytes) else self.page(self._with_digests(release))
            (release / PAGE).write_bytes(content)
        text = spelled(self._with_digests(release))
        (release / MANIFEST).write_bytes(text)
        (secret / MANIFEST_DIGEST).write_text(f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n")
        _write(secret / f"{MAPPING}.parquet", self.mapping.to_arrow())
        _write(secret / f"{SUPPRESSED}.parquet", self._withheld())
        for name, table in self.tables.items():
            _write(secret / f"{name}.parquet", table.to_arrow())
        return Written(release, secret, original)

    def rows(self) -> pa.Table:
        """The table to be published: in order, and with the contract's types where it knows the column."""
        data = self.data.drop(BESIDE, strict=False)
        if self.in_order and set(self.kind.order) <= set(data.columns):
            data = data.sort(self.kind.order)
        types = {column.name: _ARROW[column.type] for column in self.kind.columns_for(data.columns)}
        table = data.to_arrow()
        return table.cast(pa.schema([(f.name, types.get(f.name, f.type)) for f in table.schema]))

    def _withheld(self) -> pa.Table:
        columns = SUPPRESSED_PROFILES_COLUMNS if self.kind is PROFILES else SUPPRESSED_COLUMNS
        listed = self.suppressed
        if self.kind is PROFILES and "municipality" not in listed.columns:
            listed = listed.with_columns(municipality=pl.lit(None, pl.String))
        schema = pa.schema([(column.name, _ARROW[column.type]) for column in columns])
        return listed.select(schema.names).to_arrow().cast(schema)

    def _with_digests(self, release: Path) -> dict[str, Any]:
        said = self.manifest.get("sha256")
        if not isinstance(said, dict):
            return self.manifest
        found = {name: release / name for name in (DATA, PAGE) if (release / name).exists()}
        digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found.items()}
        return {**self.manifest, "sha256": {**digests, **said}}


def replaced(draft: Draft, other: Draft) -> None:
    """Let a draft be another one."""
    for one in fields(Draft):
        setattr(draft, one.name, getattr(other, one.name))


def manifest_of(draft: Draft, claim: Claim, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Describe a draft whose tables are complete."""
    published = draft.mapping["original_uid"].n_unique()
    gone = set(draft.suppressed["original_uid"]) - set(draft.mapping["original_uid"])
    samples = draft.suppressed["t"].drop_nulls().len()
    counts = (published, len(gone), draft.data.height, samples)
    return {
        "format_version": FORMAT_VERSION,
        "mechanism": "made-up",
        "parameters": parameters,
        "promise": claim.promise(parameters).to_dict(),
        "budgets": {},
        "kind": draft.kind.name,
        "schema": [{"name": name, "type": type_} for name, type_ in columns_of(draft.rows().schema)],
        "crs": None,
        "grid": None,
        "base_grid": None,
        "sha256": {},
        "versions": {name: installed(name) for name in VERSIONS_OF},
        "counts": {name: (count + 5) // 10 * 10 for name, count in zip(COUNTS, counts, strict=True)},
        "date": "2024-01-01",
        **more,
    }


def _write(
    path: Path,
    table: pa.Table,
    kv: Mapping[str, str] | None = None,
    *,
    row_group_size: int = ROWS_PER_GROUP,
    **options: Any,
) -> None:
    table = table.replace_schema_metadata(None).combine_chunks()
    with pq.ParquetWriter(path, table.schema, **{"compression": COMPRESSION, **WRITER, **options}) as writer:
        writer.write_table(table, row_group_size=row_group_size)
        if kv:
            writer.add_key_value_metadata(dict(kv))
