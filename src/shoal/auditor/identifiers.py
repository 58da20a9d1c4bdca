"""Raw identifiers, plain or under a hash without a key, must be nowhere in the release."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.auditor.case import Case
from shoal.auditor.chance import SURE, poisson_tail
from shoal.auditor.needles import SHORTEST, Needles
from shoal.auditor.published import DATA, MANIFEST, PAGE
from shoal.auditor.registry import Finding, check, failed, passed

_TOKEN_CHARS = 32
_HEX = frozenset(b"0123456789abcdef")
_PLAIN_WORD = re.compile(rb"[0-9a-f]+|[A-Za-z]+")
"""Words that tokens, digests and ordinary sentences hold by chance."""

_OWN_WORDS = {"promise", "schema", "kind", "mechanism", "crs", "versions", "date", "sha256"}
"""Parts of the manifest whose text is the software's, not the publisher's."""

_LONG_ENOUGH_FOR_A_PAGE = 8


@check("raw_ids", "original")
def raw_ids(case: Case) -> Finding:
    """No identifier of the original occurs: long ones in any byte, short ones as whole values, and their hashes."""
    names = [name.encode() for name in case.people.names.to_list()]
    plain, short = Needles(names), {name for name in names if len(name) < SHORTEST}
    hashed = Needles(_hashes(names))
    where: dict[str, int] = {}
    for path in sorted(case.path.iterdir()):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if path.name == DATA:
            where |= _in_data(path, content, plain, hashed, short)
        elif path.name == MANIFEST:
            where["manifest.json"] = _in_manifest(content, case.manifest, plain, hashed, short)
        elif path.name == PAGE:
            where["report.html"] = _in_page(content, plain, hashed)
        else:
            where["other_files"] = (
                where.get("other_files", 0) + len(plain.hits(content)) + len(_any_case(hashed, content))
            )
    figures = {"identifiers": len(names), "found": where}
    total = sum(where.values())
    if total:
        places = ", ".join(name.replace("_", " ") for name, count in where.items() if count)
        return failed(f"{total:,} raw identifiers, or hashes of them, in {places}", **figures)
    return passed("no raw identifier, plain, md5, sha1 or sha256, in any byte", **figures)


def _hashes(names: list[bytes]) -> Iterator[bytes]:
    """Return the digests without a key, cut to the length of a token: the longer ones start with that."""
    for name in names:
        for algorithm in ("md5", "sha1", "sha256"):
            yield hashlib.new(algorithm, name, usedforsecurity=False).hexdigest()[:_TOKEN_CHARS].encode()


def _any_case(hashed: Needles, text: bytes) -> list[bytes]:
    return hashed.hits(text.lower())


def _in_data(path: Path, content: bytes, plain: Needles, hashed: Needles, short: set[bytes]) -> dict[str, int]:
    """Search the footer, the packed pages, and all text values, those that no row uses any more included."""
    size = int.from_bytes(content[-8:-4], "little") + 8
    footer, pages = content[-size:], content[:-size]
    found = {"footer": len(plain.hits(footer)) + len(_any_case(hashed, footer))}
    in_pages = plain.hits(pages)
    # Packed bytes are as good as random: a short word may occur in them.
    likely_chance = poisson_tail(len(in_pages), plain.by_chance(len(pages), 256)) >= SURE
    found["pages"] = (0 if likely_chance else len(in_pages)) + len(hashed.hits(pages))
    values = _text_values(path)
    text = b"\n".join(values)
    in_values = plain.hits(text)
    like_tokens = [word for word in in_values if _HEX.issuperset(word)]
    expected = plain.by_chance(len(text), 16, _HEX)
    if poisson_tail(len(like_tokens), expected) >= SURE:
        in_values = [word for word in in_values if not _HEX.issuperset(word)]
    found["values"] = len(in_values) + len(_any_case(hashed, text)) + sum(value in short for value in values)
    return found


def _text_values(path: Path) -> list[bytes]:
    """Return the distinct values of all text columns, whole dictionaries included."""
    try:
        schema = pq.read_schema(path)
        columns = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_binary(field.type)]
        table = pq.ParquetFile(path, read_dictionary=columns).read(columns=columns)
    except (OSError, ValueError, pa.ArrowException):
        return []
    parts = []
    for column in table.columns:
        for chunk in column.chunks:
            values = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
            parts.append(pl.Series(values.cast(pa.large_binary())).drop_nulls())
    return pl.concat(parts).unique().to_list() if parts else []


def _in_manifest(content: bytes, manifest: dict[str, Any], plain: Needles, hashed: Needles, short: set[bytes]) -> int:
    """Search all bytes; words that sentences, numbers and digests hold by chance only in values of the publisher's."""
    found = sum(not _PLAIN_WORD.fullmatch(word) for word in plain.hits(content))
    found += len(_any_case(hashed, content))
    own = [value for key, part in manifest.items() if key not in _OWN_WORDS for value in _strings(part)]
    found += sum(bool(_PLAIN_WORD.fullmatch(word)) for word in plain.hits(b"\n".join(own)))
    return found + sum(value in short for value in own)


def _strings(part: Any) -> Iterator[bytes]:
    if isinstance(part, str):
        yield part.encode()
    elif isinstance(part, dict):
        for value in part.values():
            yield from _strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from _strings(value)


def _in_page(content: bytes, plain: Needles, hashed: Needles) -> int:
    """Search all bytes; short plain words occur by chance in scripts and numbers."""
    hits = [w for w in plain.hits(content) if len(w) >= _LONG_ENOUGH_FOR_A_PAGE or not _PLAIN_WORD.fullmatch(w)]
    return len(hits) + len(_any_case(hashed, content))
