"""The manifest: what a stranger may know about a release.

An allow-list in both senses: the keys below and no others, and of the parameters only those of the mechanism.
A seed would undo the randomness, a path or a host would tell about the publisher, a digest of the input or an
exact count would let strangers confirm a guess about it.
"""

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.contract.claims import Claim
from shoal.contract.files import COUNTS, DATA, FORMAT_VERSION, MANIFEST_KEYS, PAGE, STAMP, VERSIONS_OF
from shoal.contract.kinds import Kind, kind_of, type_name
from shoal.contract.parameters import odd_parameters, publishable, shortened
from shoal.data.grid import Grid
from shoal.release.spool import Rows

_NEVER = (
    *("seed", "seeds", "random_state", "rng", "key", "keys", "not_for_release", "again"),
    *("threads", "workers", "engine", "master", "host", "hosts", "user", "username", "progress"),
    *("path", "paths", "file", "directory", "data", "input", "inputs", "original", "cells", "columns"),
    *("person", "out", "output", "release", "secret", "ledger"),
)
_NEVER_ENDINGS = ("_dir", "_file", "_host", "_key", "_path", "_paths", "_seed", "_threads")


def build_manifest(
    data: Rows,
    mapping: pa.Table,
    suppressed: pa.Table,
    *,
    kind: Kind,
    mechanism: str,
    parameters: Mapping[str, object],
    claim: Claim,
    budgets: Mapping[str, float],
    crs: str | None,
    grid: Grid | None,
    base_grid: Grid | None,
    not_for_release: bool,
) -> dict[str, Any]:
    """Describe a release whose bytes are not written yet; the digest comes with :func:`with_digest`.

    Parameters
    ----------
    data, mapping, suppressed
        What is published, who is who, and what was withheld: counted, rounded.
    kind, claim
        What the table is, and what is promised about it.
    mechanism, parameters, budgets
        How it was made; of the parameters only those that may be public.
    crs, grid, base_grid
        The map, where there is one.
    not_for_release
        Whether to stamp it.
    """
    columns = [(field.name, type_name(field.type)) for field in data.schema]
    assert kind_of(columns) is kind, "a table that is not of its kind"
    public = publishable(mechanism, public_parameters(parameters))
    assert not odd_parameters(mechanism, public), "parameters that the contract has no place for"
    manifest: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "mechanism": mechanism,
        "parameters": public,
        "promise": claim.promise(public).to_dict(),
        "budgets": {name: shortened(value) for name, value in budgets.items()},
        "kind": kind.name,
        "schema": [{"name": name, "type": type_} for name, type_ in columns],
        "crs": crs,
        "grid": grid.to_dict() if grid else None,
        "base_grid": base_grid.to_dict() if base_grid else None,
        "sha256": {},
        "versions": versions(),
        "counts": _counts(data, mapping, suppressed),
        "date": datetime.now(UTC).date().isoformat(),
    }
    assert tuple(manifest) == MANIFEST_KEYS
    if not_for_release:
        manifest[STAMP] = True
    return manifest


def with_digest(manifest: Mapping[str, Any], name: str, sha256: str) -> dict[str, Any]:
    """Return the manifest with one more published file; only the data and the page have a place in it."""
    assert name in (DATA, PAGE)
    return {**manifest, "sha256": {**manifest["sha256"], name: sha256}}


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
    return {name: _version(name) for name in VERSIONS_OF}


def _version(package: str) -> str:
    try:
        return platform.python_version() if package == "python" else version(package)
    except PackageNotFoundError:
        return "unknown"


def _plain(value: object) -> Any:
    """Turn numpy scalars, tuples and grids into what JSON knows; refuse anything else."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return shortened(float(value))
    if isinstance(value, Grid):
        return value.to_dict()
    if isinstance(value, Mapping):
        return public_parameters({str(name): inner for name, inner in value.items()})
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value if not isinstance(item, PurePath)]
    if type(value).__name__ == "bool":  # numpy's own
        return bool(value)
    raise AssertionError(f"a parameter of type {type(value).__name__} has no place in a manifest")


def _counts(data: Rows, mapping: pa.Table, suppressed: pa.Table) -> dict[str, int]:
    published = pc.unique(mapping["original_uid"])
    withheld = pc.unique(suppressed["original_uid"])
    missing = pc.invert(pc.is_in(withheld, value_set=published))
    samples = suppressed.num_rows - suppressed["t"].null_count
    found = (len(published), pc.sum(missing).as_py() or 0, data.num_rows, samples)
    return {name: rounded(count) for name, count in zip(COUNTS, found, strict=True)}
