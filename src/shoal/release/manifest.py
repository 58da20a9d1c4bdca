"""The manifest: what a stranger may know about a release.

An allow-list in both senses: the keys below and no others, and of the parameters only those of the mechanism.
A seed would undo the randomness, a path or a host would tell about the publisher, a digest of the input or an
exact count would let strangers confirm a guess about it.
"""

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.grid import Grid
from shoal.release.promise import Promise

FORMAT_VERSION = 1

Kind = Literal["boxes", "points", "profiles"]

_VERSIONS_OF = ("shoal", "numpy", "numba", "pyarrow", "polars", "pyproj")

_NEVER = (
    *("seed", "seeds", "random_state", "rng", "key", "keys", "not_for_release", "again"),
    *("threads", "workers", "engine", "master", "host", "hosts", "user", "username", "progress"),
    *("path", "paths", "file", "directory", "data", "input", "inputs", "original", "cells", "columns"),
    *("person", "out", "output", "release", "secret", "ledger"),
)
_NEVER_ENDINGS = ("_dir", "_file", "_host", "_key", "_path", "_paths", "_seed", "_threads")


def build_manifest(
    data: pa.Table,
    mapping: pa.Table,
    suppressed: pa.Table,
    *,
    kind: Kind,
    mechanism: str,
    parameters: Mapping[str, object],
    promise: Promise,
    crs: str | None,
    grid: Grid | None,
    base_grid: Grid | None,
    not_for_release: bool,
) -> dict[str, Any]:
    """Describe a release whose bytes are not written yet; the digest comes with :func:`with_digest`."""
    manifest: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "mechanism": mechanism,
        "parameters": public_parameters(parameters),
        "promise": promise.to_dict(),
        "budgets": dict(promise.budgets),
        "kind": kind,
        "schema": [{"name": field.name, "type": _type_name(field.type)} for field in data.schema],
        "crs": crs,
        "grid": grid.to_dict() if grid else None,
        "base_grid": base_grid.to_dict() if base_grid else None,
        "sha256": {},
        "versions": versions(),
        "counts": _counts(data, mapping, suppressed),
        "date": datetime.now(UTC).date().isoformat(),
    }
    if not_for_release:
        manifest["not_for_release"] = True
    return manifest


def with_digest(manifest: Mapping[str, Any], name: str, sha256: str) -> dict[str, Any]:
    """Return the manifest with one more published file; only the data and the page have a place in it."""
    assert name in ("data.parquet", "report.html")
    return {**manifest, "sha256": {**manifest["sha256"], name: sha256}}


def to_bytes(manifest: Mapping[str, Any]) -> bytes:
    """Return the bytes of ``manifest.json``: sorted keys, two spaces, a final newline."""
    text = json.dumps(manifest, sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode()


def rounded(count: int) -> int:
    """Round to 10, halves up.

    >>> rounded(0), rounded(4), rounded(5), rounded(1234)
    (0, 0, 10, 1230)
    """
    return (count + 5) // 10 * 10


def public_parameters(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Keep what describes the mechanism: no seeds, threads, paths and the like by name, and no path by type.

    >>> public_parameters({"k": 2, "seed": 7, "threads": 4})
    {'k': 2}
    """
    return {
        name: _plain(value)
        for name, value in parameters.items()
        if name.lower().replace("-", "_") not in _NEVER
        and not name.lower().replace("-", "_").endswith(_NEVER_ENDINGS)
        and not isinstance(value, PurePath)
    }


def versions() -> dict[str, str]:
    """Return the versions that a result may depend on; nothing about the machine."""
    return {"python": platform.python_version(), **{name: _version(name) for name in _VERSIONS_OF}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _plain(value: object) -> Any:
    """Turn numpy scalars, tuples and grids into what JSON knows; refuse anything else."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, Grid):
        return value.to_dict()
    if isinstance(value, Mapping):
        return public_parameters({str(name): inner for name, inner in value.items()})
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value if not isinstance(item, PurePath)]
    if type(value).__name__ == "bool":  # numpy's own
        return bool(value)
    raise AssertionError(f"a parameter of type {type(value).__name__} has no place in a manifest")


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return f"timestamp[{kind.unit}, {kind.tz}]"
    return "float64" if pa.types.is_float64(kind) else str(kind)


def _counts(data: pa.Table, mapping: pa.Table, suppressed: pa.Table) -> dict[str, int]:
    published = pc.unique(mapping["original_uid"])
    withheld = pc.unique(suppressed["original_uid"])
    missing = pc.invert(pc.is_in(withheld, value_set=published))
    return {
        "people_published": rounded(len(published)),
        "people_suppressed": rounded(pc.sum(missing).as_py() or 0),
        "rows": rounded(data.num_rows),
        "samples_suppressed": rounded(suppressed.num_rows - suppressed["t"].null_count),
    }
