"""The ledger's bytes: a line that names the format and the key's fingerprint, then one entry after the other.

An entry is a line of JSON, the sorted 16-byte hashes of its people, and a keyed checksum over both. Entries are
only ever added at the end, so the last one can be cut off again.
"""

import hashlib
import json
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.data.layout import Span
from shoal.errors import LedgerError
from shoal.release.tokens import TOKEN_BYTES, keyed_digests, order_of

Hashes = NDArray[np.bytes_]
"""Sorted values of 16 bytes."""

DEFAULT_POPULATION = "default"
"""Whose identifiers they are, where nobody says: identifiers of one population are compared with each other."""

_MAGIC = b"shoal-ledger 1 "
_LONGEST_LINE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One release: the day it was made, how, which time it covers, and who is in it, of which population."""

    date: str
    mechanism: str
    span_s: Span
    hashes: Hashes
    population: str = DEFAULT_POPULATION

    def overlaps(self, span_s: Span) -> bool:
        """Half-open spans overlap; an empty one overlaps with nothing."""
        return max(self.span_s[0], span_s[0]) < min(self.span_s[1], span_s[1])

    def knows(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Tell which of these hashes are in it."""
        if not self.hashes.size:
            return np.zeros(hashes.size, np.bool_)
        at = np.minimum(np.searchsorted(self.hashes, hashes), self.hashes.size - 1)
        return np.asarray(self.hashes[at] == hashes)


def hash_people(people: pa.Array, key: bytes, population: str = DEFAULT_POPULATION) -> Hashes:
    """Hash the distinct people, and sort: the order of the input is nobody's business.

    Equal identifiers of two populations have nothing to do with each other.
    """
    distinct = pc.unique(people)
    # Entries without a population are older than populations.
    named = [] if population == DEFAULT_POPULATION else [pa.repeat(pa.scalar(population), len(distinct))]
    digests = keyed_digests(key, *named, distinct)
    return digests[order_of(digests)].view(f"S{TOKEN_BYTES}").ravel()


def header(key: bytes) -> bytes:
    """Return the first line. A fingerprint of the key: under a wrong one, nobody would ever be found again."""
    fingerprint = hashlib.blake2b(digest_size=TOKEN_BYTES, key=key, person=b"shoal-key")
    return _MAGIC + fingerprint.hexdigest().encode() + b"\n"


def encode(entry: Entry, key: bytes) -> bytes:
    facts = {
        "date": entry.date,
        "mechanism": entry.mechanism,
        "span_s": entry.span_s,
        "people": entry.hashes.size,
        "population": entry.population,
    }
    line = json.dumps(facts).encode() + b"\n"
    body = entry.hashes.tobytes()
    return line + body + _checksum(line, body, key)


def decode(content: bytes, key: bytes) -> list[Entry]:
    """Read all entries; anything that does not fit to the byte is an error, never an empty ledger."""
    first = header(key)
    if not content.startswith(_MAGIC):
        raise fault("a file that is not a ledger", "check the path of the ledger")
    if not content.startswith(first):
        raise fault("a ledger that was written under another key", "restore the key's file from a backup")
    entries, at = [], len(first)
    if at == len(content):
        # The first line is never written without an entry.
        raise fault("a ledger that is damaged or cut short", "restore it from a backup")
    while at < len(content):
        entry, at = _decode_one(content, at, key)
        entries.append(entry)
    return entries


def _decode_one(content: bytes, at: int, key: bytes) -> tuple[Entry, int]:
    damaged = fault("a ledger that is damaged or cut short", "restore it from a backup")
    middle = content.find(b"\n", at, at + _LONGEST_LINE) + 1
    line = content[at:middle]
    try:
        facts = json.loads(line)
        end = middle + int(facts["people"]) * TOKEN_BYTES
        population = str(facts.get("population", DEFAULT_POPULATION))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise damaged from None
    body = content[middle:end]
    if content[end : end + TOKEN_BYTES] != _checksum(line, body, key):
        raise damaged
    start_s, end_s = facts["span_s"]
    hashes = np.frombuffer(body, f"S{TOKEN_BYTES}")
    return Entry(facts["date"], facts["mechanism"], (start_s, end_s), hashes, population), end + TOKEN_BYTES


def _checksum(line: bytes, body: bytes, key: bytes) -> bytes:
    checksum = hashlib.blake2b(line, digest_size=TOKEN_BYTES, key=key, person=b"shoal-entry")
    checksum.update(body)
    return checksum.digest()


def fault(found: str, hint: str) -> LedgerError:
    """Make the error for a ledger that cannot be trusted."""
    return LedgerError(
        found,
        expected="a ledger and the key that it was written with",
        hint=f"{hint}; a new one would forget every earlier release, so none is made",
    )
