"""The container: hidden metadata, stray files, digests. What forensics would look at first."""

import hashlib
import os
import re
import stat
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from shoal.auditor import parquet_account as account
from shoal.auditor.case import Case
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.parquet_again import written_again
from shoal.auditor.registry import check
from shoal.auditor.versions import is_possible
from shoal.contract.files import DATA, MANIFEST, PAGE
from shoal.contract.parquet import ROWS_PER_GROUP

AGAIN, ACCOUNT = "written again", "accounted for"
"""The two ways to look at the bytes of the data: compared with the same table written again, or one by one."""

WRITER_HERE = f"parquet-cpp-arrow version {pa.cpp_version}"

_ODD_MODES = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_LONG_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])")


@check(
    "metadata",
    needs=("table",),
    conditions=(*account.FOOTER, "writer_version", "writer_possible", *account.COLUMNS, *account.PAGES, "canonical"),
)
def metadata(case: Case, hold: Hold) -> Finding:
    """The Parquet file is what its writer makes of the table in it: nothing in it is free to carry anything."""
    assert case.table is not None
    text = memoryview(pa.memory_map(str(case.path / DATA)).read_buffer()).cast("B")
    footer = account.footer_of(text, hold)
    if footer is None:
        return hold.stopped()
    writer = account.writer_of(footer, hold)
    if writer is not None:
        version = account.version_in(writer)
        words = "data.parquet was written by another version of pyarrow than the manifest says"
        hold("writer_version", version == _version_said(case), words)
        words = "data.parquet names a version of its writer that never wrote a release, or is newer than the one here"
        hold("writer_possible", is_possible("pyarrow", version, datetime.now(UTC).date()), words)
    known = account.columns(footer, case.table, hold)
    groups = account.pages(text, footer, case.table, hold) if known else None
    again = writer == WRITER_HERE and written_again(case.table.schema, case.table.in_groups(ROWS_PER_GROUP), text)
    if again:
        return hold.passed("the container holds values alone: written again, every byte is the same", way=AGAIN)
    found = None if groups is None else account.contents(text, case.table, groups, hold)
    other = found.compressed_otherwise if found else 0
    words = "data.parquet is not, byte for byte, what its writer makes of the table"
    hold("canonical", writer != WRITER_HERE, f"{words}: {other:,} pages are compressed otherwise" if other else words)
    if writer is None or found is None:
        return hold.stopped(way=ACCOUNT)
    words = f"written by pyarrow {account.version_in(writer)}, here is {pa.cpp_version}; every byte is accounted for"
    words += f", except for how {other:,} of {found.pages:,} pages are compressed" if other else ""
    figures = {"pages": found.pages, "compressed_otherwise": other}
    return hold.passed(f"the container holds values alone: {words}", way=ACCOUNT, **figures)


def _version_said(case: Case) -> str | None:
    """The version of pyarrow that the manifest names, without what follows its three numbers."""
    versions = case.manifest.get("versions")
    said = versions.get("pyarrow") if isinstance(versions, dict) else None
    match = _VERSION.match(said) if isinstance(said, str) else None
    return match and match.group()


@check("files", conditions=("present", "allowed", "plain", "modes", "attributes"))
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
    odd_modes = sum(bool(entry.lstat().st_mode & _ODD_MODES) for entry in allowed)
    hold.none("modes", odd_modes, "files of the release with modes that data do not have")
    hold.none("attributes", sum(map(_attributes, (case.path, *allowed))), "extended attributes, which carry anything")
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


def _attributes(path: Path) -> int:
    """Count the extended attributes that somebody gave a file, where the system has such."""
    if not hasattr(os, "listxattr"):
        return 0
    try:
        return sum(name.startswith("user.") for name in os.listxattr(path, follow_symlinks=False))
    except OSError:
        return 0  # this file system has none


def _digest(case: Case, name: str) -> str | None:
    path = case.path / name
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
