"""The container: hidden metadata, stray files, digests. What forensics would look at first."""

import hashlib
import re
from typing import Any

import pyarrow.parquet as pq

from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.registry import check
from shoal.contract.files import DATA, MANIFEST, PAGE

_WRITER = re.compile(r"parquet-cpp-arrow version \d{1,3}\.\d{1,3}\.\d{1,3}(-SNAPSHOT)?")
_LONG_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])")


@check(
    "metadata",
    needs=("table",),
    conditions=(
        *("key_values", "column_metadata", "writer", "statistics", "page_index", "chunk_metadata", "chunk_path"),
        "sorting_order",
    ),
)
def metadata(case: Case, hold: Hold) -> Finding:
    """The Parquet file holds values and nothing about where they came from."""
    file = pq.ParquetFile(case.path / DATA)
    meta = file.metadata
    groups = [meta.row_group(number) for number in range(meta.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(meta.num_columns)]
    entries = len(meta.metadata or ())
    # Metadata of frames live in here too.
    hold("key_values", not entries, f"data.parquet carries {entries} key-value entries")
    found: dict[str, tuple[str, Any]] = {
        "column_metadata": ("metadata of columns", any(field.metadata for field in file.schema_arrow)),
        "statistics": ("statistics", any(chunk.is_stats_set or chunk.statistics is not None for chunk in chunks)),
        "page_index": ("a page index", any(chunk.has_column_index or chunk.has_offset_index for chunk in chunks)),
        "chunk_metadata": ("metadata of column chunks", any(chunk.metadata for chunk in chunks)),
        "chunk_path": ("a path to another file", any(chunk.file_path for chunk in chunks)),
        "sorting_order": ("a sorting order", any(group.sorting_columns for group in groups)),
    }
    for name, (words, there) in found.items():
        hold(name, not there, f"data.parquet carries {words}")
    hold("writer", bool(_WRITER.fullmatch(meta.created_by or "")), "data.parquet names an unexpected writer")
    return hold.passed("the container holds values alone")


@check("files", conditions=("present", "allowed", "plain"))
def files(case: Case, hold: Hold) -> Finding:
    """Nothing lies in the directory but what is published on purpose."""
    entries = list(case.path.iterdir())
    allowed = [entry for entry in entries if entry.name in (DATA, MANIFEST, PAGE)]
    odd = len(entries) - len(allowed)
    missing = [name for name in (DATA, MANIFEST) if not (case.path / name).is_file()]
    links = sum(entry.is_symlink() or not entry.is_file() for entry in allowed)
    hold("present", not missing, f"{' and '.join(missing)} missing")
    hold.none("allowed", odd, "entries of the directory that do not belong to a release")
    hold.none("plain", links, "files of the release that are links or directories")
    return hold.passed("only the files of a release", files=len(entries), not_allowed=odd)


@check("digests", conditions=("named", "nothing_else", "data", "page", "no_others"))
def digests(case: Case, hold: Hold) -> Finding:
    """The manifest's digests are those of the published files, and there is no digest of anything else."""
    said = case.manifest.get("sha256")
    if not hold("named", isinstance(said, dict), "the manifest has no digests"):
        return hold.stopped()
    assert isinstance(said, dict)
    hold("nothing_else", not set(said) - {DATA, PAGE}, "a digest of something that is not published")
    data = _digest(case, DATA)
    hold("data", data is not None and data == said.get(DATA), f"{DATA} is not the file that the manifest describes")
    hold("page", _digest(case, PAGE) == said.get(PAGE), f"{PAGE} is not the page that the manifest describes")
    # A digest of the input lets strangers confirm a guess of it.
    path = case.path / MANIFEST
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    others = sum(found not in said.values() for found in _LONG_HEX.findall(text))
    hold.none("no_others", others, "more values in the manifest that look like digests")
    return hold.passed("the files are those that the manifest describes")


def _digest(case: Case, name: str) -> str | None:
    path = case.path / name
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
