"""The container: columns, hidden metadata, stray files, digests. What forensics would look at first."""

import hashlib
import re
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.case import Case
from shoal.auditor.published import DATA, MANIFEST, PAGE, SCHEMAS, wrong_columns
from shoal.auditor.registry import Finding, check, failed, passed

_KEYS = {
    *("format_version", "mechanism", "parameters", "promise", "budgets", "kind", "schema", "crs", "grid", "base_grid"),
    *("sha256", "versions", "counts", "date"),
}
_OPTIONAL_KEYS = {"not_for_release"}
_COUNTS = {"people_published", "people_suppressed", "rows", "samples_suppressed"}
_PROMISE = {"name", "holds", "attacker", "unit", "not_covered", "budgets"}
_GRID = {"cell_m", "dt_s"}
_PACKAGES = {
    *("python", "shoal", "numpy", "numba", "pyarrow", "polars", "pyproj"),
    *("scipy", "scikit-learn", "opendp", "pyspark"),
}
_NEVER = {
    *("seed", "seeds", "rng", "random", "key", "keys", "path", "paths", "file", "files", "dir", "directory", "host"),
    *("user", "username", "secret", "ledger", "person", "out", "output", "original", "input", "engine", "master"),
}
"""Words in the names of parameters that strangers must not know."""
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}|unknown")
_WRITER = re.compile(r"parquet-cpp-arrow version \d{1,3}\.\d{1,3}\.\d{1,3}(-SNAPSHOT)?")
_LONG_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])")


@check("schema")
def schema(case: Case) -> Finding:
    """Columns and manifest keys are those of the contract and no others."""
    if not case.manifest:
        return failed("no readable manifest.json")
    kind = case.manifest.get("kind")
    wrong = _wrong_keys(case.manifest)
    if case.table is None:
        wrong.append("data.parquet cannot be read")
    elif kind not in SCHEMAS:
        wrong.append("a kind of release that is not known")
    else:
        wrong += wrong_columns(case.table, kind)
        said = [(e.get("name"), e.get("type")) for e in case.manifest.get("schema") or [] if isinstance(e, dict)]
        if said != [(field.name, _name_of(field.type)) for field in case.table.schema]:
            wrong.append("the manifest tells other columns than data.parquet has")
        if not case.table.num_rows:
            wrong.append("no rows")
    return failed("; ".join(wrong)) if wrong else passed("columns and manifest keys are those allowed")


def _wrong_keys(manifest: dict[str, Any]) -> list[str]:
    """Compare with the allow-list; unexpected names are counted, not repeated."""
    missing = sorted(_KEYS - manifest.keys())
    wrong = [f"no {name} in the manifest" for name in missing]
    extra = len(manifest.keys() - _KEYS - _OPTIONAL_KEYS)
    for name, allowed in (("counts", _COUNTS), ("promise", _PROMISE), ("versions", _PACKAGES)):
        part = manifest.get(name)
        extra += len(part.keys() - allowed) if isinstance(part, dict) else 0
    for name in ("grid", "base_grid"):
        part = manifest.get(name)
        extra += len(part.keys() - _GRID) if isinstance(part, dict) else 0
    if extra:
        wrong.append(f"{extra} manifest keys that do not belong there")
    parameters = manifest.get("parameters")
    names = [set(re.split(r"[_-]", name.lower())) for name in parameters] if isinstance(parameters, dict) else []
    never = sum(bool(words & _NEVER) for words in names)
    if never:
        wrong.append(f"{never} parameters in the manifest that strangers must not know")
    counts = manifest.get("counts")
    if isinstance(counts, dict) and any(not isinstance(n, int) or n % 10 for n in counts.values()):
        wrong.append("counts that are not rounded to 10")
    versions = manifest.get("versions")
    if isinstance(versions, dict) and not all(isinstance(v, str) and _VERSION.fullmatch(v) for v in versions.values()):
        wrong.append("versions that are none")
    return wrong


def _name_of(kind: pa.DataType) -> str:
    if pa.types.is_timestamp(kind):
        return f"timestamp[{kind.unit}, {kind.tz}]"
    return "float64" if pa.types.is_float64(kind) else str(kind)


@check("metadata", "table")
def metadata(case: Case) -> Finding:
    """The Parquet file holds values and nothing about where they came from."""
    file = pq.ParquetFile(case.path / DATA)
    meta, wrong = file.metadata, []
    if meta.metadata:
        wrong.append(f"{len(meta.metadata)} key-value entries")
    if file.schema_arrow.metadata:
        wrong.append("metadata of a frame")
    if any(field.metadata for field in file.schema_arrow):
        wrong.append("metadata of columns")
    if not _WRITER.fullmatch(meta.created_by or ""):
        wrong.append("a writer that is not the expected one")
    chunks = [meta.row_group(g).column(c) for g in range(meta.num_row_groups) for c in range(meta.num_columns)]
    for words, found in (
        ("statistics of row groups", any(chunk.is_stats_set or chunk.statistics is not None for chunk in chunks)),
        ("a page index", any(chunk.has_column_index or chunk.has_offset_index for chunk in chunks)),
        ("metadata of column chunks", any(chunk.metadata for chunk in chunks)),
        ("a path to another file", any(chunk.file_path for chunk in chunks)),
        ("a sorting order", any(meta.row_group(g).sorting_columns for g in range(meta.num_row_groups))),
    ):
        if found:
            wrong.append(words)
    return failed("data.parquet carries " + ", ".join(wrong)) if wrong else passed("the container holds values alone")


@check("files")
def files(case: Case) -> Finding:
    """Nothing lies in the directory but what is published on purpose."""
    entries = list(case.path.iterdir())
    odd = [entry for entry in entries if entry.name not in (DATA, MANIFEST, PAGE) or entry.is_symlink()]
    odd += [entry for entry in entries if entry not in odd and not entry.is_file()]
    missing = [name for name in (DATA, MANIFEST) if not (case.path / name).is_file()]
    figures = {"files": len(entries), "not_allowed": len(odd)}
    if missing:
        return failed(f"{' and '.join(missing)} missing", **figures)
    if odd:
        return failed(f"{len(odd)} entries of the directory that do not belong to a release", **figures)
    return passed("only the files of a release", **figures)


@check("digests")
def digests(case: Case) -> Finding:
    """The manifest's digests are those of the published files, and there is no digest of anything else."""
    said = case.manifest.get("sha256")
    if not isinstance(said, dict):
        return failed("the manifest has no digests")
    wrong = []
    if set(said) - {DATA, PAGE}:
        wrong.append("a digest of something that is not published")
    for name in (DATA, PAGE):
        path = case.path / name
        if not path.is_file():
            if name in said or name == DATA:
                wrong.append(f"{name} is missing")
            continue
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != said.get(name):
                wrong.append(f"{name} is not the file that the manifest describes")
    # A digest of the input lets strangers confirm a guess of it.
    path = case.path / MANIFEST
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    others = [found for found in _LONG_HEX.findall(text) if found not in said.values()]
    if others:
        wrong.append(f"{len(others)} more values that look like digests")
    return failed("; ".join(wrong)) if wrong else passed("the files are those that the manifest describes")
