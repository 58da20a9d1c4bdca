"""Raw identifiers, plain or under a hash without a key, must be nowhere in the release."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, poisson_tail
from shoal.auditor.conditions import Finding, Hold
from shoal.auditor.needles import SHORTEST, Needles
from shoal.auditor.page import without_known_script
from shoal.auditor.registry import check
from shoal.contract.files import COUNTS, DATA, MANIFEST, MANIFEST_KEYS, PAGE, VERSIONS_OF
from shoal.contract.kinds import KINDS, PROFILES, TYPES
from shoal.contract.parameters import PARAMETERS

_TOKEN_CHARS = 32
_HEX = frozenset(b"0123456789abcdef")
_PLAIN_WORD = re.compile(rb"[0-9a-f]+|[A-Za-z]+")
"""Words that tokens, digests and ordinary sentences hold by chance."""

_OWN_WORDS = {"promise", "schema", "kind", "crs", "versions", "date", "sha256"}
"""Parts of the manifest whose text is the software's, not the publisher's."""

_LONG_ENOUGH_FOR_A_PAGE = 8
_WRITER = "parquet-cpp-arrow version"

_WORDS = {
    "footer": "in the footer of data.parquet",
    "pages": "in the packed pages of data.parquet",
    "values": "in values of data.parquet",
    "manifest": "in manifest.json",
    "page": "in report.html",
    "other_files": "in other files",
}
_FORMS = {
    "plain": "raw identifiers",
    "hashed": "hashes of raw identifiers",
    "short": "short raw identifiers",
    "words": "raw identifiers that are plain words",
}


class _Wanted:
    """What is looked for: long identifiers in any byte, hashes in any case of letters, short ones as whole values."""

    def __init__(self, names: list[bytes], own_words: bytes, places: frozenset[bytes]) -> None:
        self.plain = Needles(names)
        # Somebody may be called as a column or a word of the promise is: there it says nothing.
        self.own = frozenset(self.plain.hits(own_words))
        # Or as a municipality, where both are numbers: among municipalities it says nothing either.
        self.places, self.in_places = places, frozenset(self.plain.hits(b"\n".join(sorted(places))))
        self.hashed = Needles(_hashes(names))
        self.short = {name for name in names if len(name) < SHORTEST}

    def in_bytes(self, where: str, text: bytes) -> dict[str, int]:
        plain = sum(word not in self.own for word in self.plain.hits(text))
        return {f"{where}_plain": plain, f"{where}_hashed": len(self.hashed.hits(text.lower()))}


@check(
    "raw_ids",
    needs=("original",),
    conditions=(
        *(f"{where}_{form}" for where in _WORDS for form in ("plain", "hashed")),
        # Short ones are compared with whole values only: elsewhere they occur by chance.
        *("values_short", "manifest_short", "manifest_words"),
    ),
)
def raw_ids(case: Case, hold: Hold) -> Finding:
    """No identifier of the original occurs: long ones in any byte, short ones as whole values, and their hashes."""
    names = [name.encode() for name in case.people.names.to_list()]
    wanted = _Wanted(names, _own_words(case), _places(case))
    found: dict[str, int] = {}
    for path in sorted(case.path.iterdir()):
        if path.is_file():
            for name, count in _in_file(path, case.manifest, wanted).items():
                found[name] = found.get(name, 0) + count
    for name, count in found.items():
        where, _, form = name.rpartition("_")
        hold.none(name, count, f"{_FORMS[form]} {_WORDS[where]}")
    figures = {"identifiers": len(names), "found": found}
    return hold.passed("no raw identifier, plain or as md5, sha1 or sha256, in any byte", **figures)


def _own_words(case: Case) -> bytes:
    """What every release of this kind and claim says: keys, columns, the words of the promise, the writer's name."""
    kind, claim = case.kind, case.claim
    columns = [] if kind is None or case.table is None else [c.name for c in kind.columns_for(case.table.columns)]
    promise = "" if claim is None else json.dumps(claim.promise(case.parameters).to_dict(), ensure_ascii=False)
    fixed = (
        *MANIFEST_KEYS,
        *COUNTS,
        *VERSIONS_OF,
        *KINDS,
        *TYPES.values(),
        DATA,
        "schema",
        _WRITER,
    )
    known = (*PARAMETERS, *(name for listed in PARAMETERS.values() for name in listed))
    return "\n".join((*fixed, *known, *columns, promise)).encode()


def _places(case: Case) -> frozenset[bytes]:
    """The municipalities that the original has; of other kinds of releases none is published."""
    if case.kind is not PROFILES:
        return frozenset()
    return frozenset(name.encode() for name in pl.Series(case.profiles.municipalities).unique().to_list())


def _hashes(names: list[bytes]) -> Iterator[bytes]:
    """Return the digests without a key, cut to the length of a token: the longer ones start with that."""
    for name in names:
        for algorithm in ("md5", "sha1", "sha256"):
            yield hashlib.new(algorithm, name, usedforsecurity=False).hexdigest()[:_TOKEN_CHARS].encode()


def _in_file(path: Path, manifest: dict[str, Any], wanted: _Wanted) -> dict[str, int]:
    if path.name == DATA:
        return _in_data(path, wanted)
    content = path.read_bytes()
    if path.name == MANIFEST:
        return _in_manifest(content, manifest, wanted)
    return _in_page(content, wanted) if path.name == PAGE else wanted.in_bytes("other_files", content)


def _in_data(path: Path, wanted: _Wanted) -> dict[str, int]:
    """Search the footer, the packed pages, and all text values, those that no row uses any more included."""
    with path.open("rb") as file:
        pages = _footer_at(file)
        file.seek(pages)
        footer = file.read()
        in_pages = [word for word in wanted.plain.hits_in(file, pages) if word not in wanted.in_places]
        hashed_in_pages = len(wanted.hashed.hits_in(file, pages))
    # Packed bytes are as good as random: a short word may occur in them.
    likely_chance = poisson_tail(len(in_pages), wanted.plain.by_chance(pages, 256)) >= SURE
    values = _text_values(path, wanted.places)
    text = b"\n".join(values)
    in_values = wanted.plain.hits(text)
    like_tokens = [word for word in in_values if _HEX.issuperset(word)]
    expected = wanted.plain.by_chance(len(text), 16, _HEX)
    if poisson_tail(len(like_tokens), expected) >= SURE:
        in_values = [word for word in in_values if not _HEX.issuperset(word)]
    return wanted.in_bytes("footer", footer) | {
        "pages_plain": 0 if likely_chance else len(in_pages),
        "pages_hashed": hashed_in_pages,
        "values_plain": len(in_values),
        "values_hashed": len(wanted.hashed.hits(text.lower())),
        "values_short": sum(value in wanted.short for value in values),
    }


def _footer_at(file: BinaryIO) -> int:
    """Return where the pages of a file end, by its last bytes; whatever they say, it is within the file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 8, 0))
    return max(size - 8 - int.from_bytes(file.read()[-8:-4], "little"), 0)


def _text_values(path: Path, places: frozenset[bytes]) -> list[bytes]:
    """Return the distinct values of all text columns, whole dictionaries included, without municipalities that are."""
    found: set[bytes] = set()
    for table in _text_columns(path):
        if table is None:
            return []
        for name in table.column_names:
            chunks = table[name].chunks
            parts = (chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk for chunk in chunks)
            values = [pl.Series(part.cast(pa.large_binary())).drop_nulls().unique() for part in parts]
            distinct = set(pl.concat(values).unique().to_list()) if values else set()
            found |= distinct - places if name == "municipality" else distinct
    return list(found)


def _text_columns(path: Path) -> Iterator[pa.Table | None]:
    """Read the text columns, a row group at a time; None where they cannot be read."""
    try:
        schema = pq.read_schema(path)
        columns = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_binary(field.type)]
        file = pq.ParquetFile(path, read_dictionary=columns)
        groups = file.num_row_groups
    except (OSError, ValueError, pa.ArrowException):
        yield None
        return
    for number in range(groups):
        try:
            table = file.read_row_group(number, columns=columns)
        except (OSError, ValueError, pa.ArrowException):
            table = None
        yield table


def _in_manifest(content: bytes, manifest: dict[str, Any], wanted: _Wanted) -> dict[str, int]:
    """Search all bytes; words that sentences, numbers and digests hold by chance only in values of the publisher's."""
    own = [value for key, part in manifest.items() if key not in _OWN_WORDS for value in _strings(part)]
    parameters = manifest.get("parameters")
    own += [str(name).encode() for name in parameters] if isinstance(parameters, dict) else []
    hits = [word for word in wanted.plain.hits(content) if word not in wanted.own]
    odd = sum(not _PLAIN_WORD.fullmatch(word) for word in hits)
    words = sum(word not in wanted.own for word in wanted.plain.hits(b"\n".join(own)))
    return wanted.in_bytes("manifest", content) | {
        "manifest_plain": odd,
        "manifest_words": words,
        "manifest_short": sum(value in wanted.short for value in own),
    }


def _strings(part: Any) -> Iterator[bytes]:
    if isinstance(part, str):
        yield part.encode()
    elif isinstance(part, dict):
        for value in part.values():
            yield from _strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from _strings(value)


def _in_page(content: bytes, wanted: _Wanted) -> dict[str, int]:
    """Search all bytes but those of the script that is known; short plain words occur by chance in numbers."""
    content = without_known_script(content)
    hits = wanted.plain.hits(content)
    odd = [word for word in hits if len(word) >= _LONG_ENOUGH_FOR_A_PAGE or not _PLAIN_WORD.fullmatch(word)]
    return wanted.in_bytes("page", content) | {"page_plain": len(odd)}
