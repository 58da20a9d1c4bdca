"""The ledger: who was published before, for which time. Two releases of one person can be intersected.

It holds keyed hashes of people, the time span, the date and the mechanism of each release, and nothing else. A
digest of the input would miss a second release with one row more; the hashes see each person. The key lies beside
the ledger and is as secret as the people are (``docs/adr/0003-ledger.md``).

The file is a line that names the format and the key's fingerprint, then one entry after the other: a line of JSON
and the sorted 16-byte hashes, the whole under a keyed checksum. An entry is only ever added at the end.
"""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.errors import LedgerError
from shoal.release.durable import PRIVATE_FILE, PRIVATE_FOLDER, new_file, sync_folder
from shoal.release.targets import AnyPath
from shoal.release.tokens import TOKEN_BYTES, keyed_digests

ALWAYS = (-(2**62), 2**62)
"""The time span of data that do not say when they are from: it overlaps with every other."""

_MAGIC = "shoal-ledger 1"
_KEY_BYTES = 32
_LONGEST_LINE = 4096

Span = tuple[int, int]
Hashes = NDArray[np.uint8]


def default_path() -> Path:
    """``$XDG_STATE_HOME/shoal/ledger``, or below ``~/.local/state``; a relative value counts as unset."""
    home = os.environ.get("XDG_STATE_HOME", "")
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state"
    return base / "shoal" / "ledger"


@dataclass(frozen=True, slots=True)
class Entry:
    """One release."""

    date: str
    mechanism: str
    span_s: Span
    hashes: Hashes

    def overlaps(self, span_s: Span) -> bool:
        """Half-open spans overlap; an empty one overlaps with nothing."""
        return max(self.span_s[0], span_s[0]) < min(self.span_s[1], span_s[1])


class Ledger:
    """A ledger on disk. Looking at one that is not there creates nothing.

    Parameters
    ----------
    path
        The ledger's file; its key is ``<path>.key``. ``None`` is the user's own ledger.
    """

    def __init__(self, path: AnyPath | None = None) -> None:
        self.path = Path(os.path.realpath(default_path() if path is None else path))
        self.key_path = self.path.with_name(self.path.name + ".key")

    def __repr__(self) -> str:
        return "Ledger()"

    def count(self) -> int:
        """Count the releases it knows."""
        if not self._exists():
            return 0
        with self._locked(create=False) as key:
            return len(_parse(self._read(), key))

    def check(self, people: pa.Array, span_s: Span) -> None:
        """Raise where one of these people is known with an overlapping time."""
        if not self._exists():
            return
        with self._locked(create=False) as key:
            _refuse_known(_parse(self._read(), key), _hashes(people, key), span_s)

    @contextmanager
    def recording(
        self, people: pa.Array, span_s: Span, mechanism: str, *, again: bool
    ) -> Iterator["Recording"]:
        """Lock the ledger, check it, and hand out the step that adds the release.

        The lock is held until the block ends, so that of two runs at once the second sees the first.
        """
        made_key = not self.key_path.exists()
        with self._locked(create=True) as key:
            content = self._read()
            entries = _parse(content, key) if content is not None else []
            hashes = _hashes(people, key)
            recording = Recording(self.path, content, _encode(hashes, span_s, mechanism, key), key)
            try:
                if not again:
                    _refuse_known(entries, hashes, span_s)
                yield recording
            finally:
                if made_key and not self.path.exists():
                    self.key_path.unlink(missing_ok=True)

    def _exists(self) -> bool:
        return self.path.exists() or self.key_path.exists()

    def _read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    @contextmanager
    def _locked(self, *, create: bool) -> Iterator[bytes]:
        """Lock the key's file, which unlike the ledger is never replaced, and read the key."""
        if create:
            _make_folder(self.path.parent)
        while True:
            if self.path.exists() and not self.key_path.exists():
                raise _fault("a ledger without its key", "restore the key's file from a backup")
            flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
            handle = os.open(self.key_path, flags, PRIVATE_FILE)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if not self._is_current(handle):
                    continue
                yield self._key(handle, create=create)
                return
            finally:
                os.close(handle)

    def _is_current(self, handle: int) -> bool:
        """A failed first run takes its key away again; whoever waited for the lock must then look anew."""
        try:
            return os.path.samestat(os.fstat(handle), self.key_path.stat())
        except FileNotFoundError:
            return False

    def _key(self, handle: int, *, create: bool) -> bytes:
        os.fchmod(handle, PRIVATE_FILE)
        key = os.pread(handle, _KEY_BYTES + 1, 0)
        if not key and create and not self.path.exists():
            key = secrets.token_bytes(_KEY_BYTES)
            os.pwrite(handle, key, 0)
            os.fsync(handle)
            sync_folder(self.path.parent)
        if len(key) != _KEY_BYTES:
            raise _fault("a ledger's key of the wrong length", "restore the key's file from a backup")
        return key


class Recording:
    """The step that adds an entry: made ready beside the ledger, then one rename, which can be taken back."""

    def __init__(self, path: Path, before: bytes | None, entry: bytes, key: bytes) -> None:
        self._path = path
        self._before = before
        self._entry = entry
        self._header = _header(key)
        self._part = path.with_name(f".shoal-{secrets.token_hex(8)}.part")
        self._done = False

    def prepare(self) -> None:
        """Write the ledger with the new entry beside the old one, and sync it."""
        with new_file(self._part) as file:
            file.write(self._header if self._before is None else self._before)
            file.write(self._entry)

    def commit(self) -> None:
        self._part.replace(self._path)
        self._done = True
        sync_folder(self._path.parent)

    def undo(self) -> None:
        """Take the entry away again. Entries stand at the end, so this needs no space on a full disk."""
        if not self._done:
            return
        if self._before is None:
            self._path.unlink()
        else:
            os.truncate(self._path, len(self._before))
        self._done = False
        sync_folder(self._path.parent)

    def discard(self) -> None:
        """Remove what was made ready and never used."""
        self._part.unlink(missing_ok=True)


def _make_folder(path: Path) -> None:
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(PRIVATE_FOLDER, exist_ok=True)


def _hashes(people: pa.Array, key: bytes) -> Hashes:
    """Hash the distinct people, and sort: the order of the input is nobody's business."""
    digests = keyed_digests(key, pc.unique(people))
    halves = digests.view(">u8")
    return digests[np.lexsort((halves[:, 1], halves[:, 0]))]


def _common(known: Hashes, new: Hashes) -> int:
    """Count the rows of ``new`` that are in ``known``; both sorted and distinct."""
    if not len(known) or not len(new):
        return 0
    known_pairs, new_pairs = known.view(">u8"), new.view(">u8")
    at = np.searchsorted(known_pairs[:, 0], new_pairs[:, 0])
    at = np.minimum(at, len(known) - 1)
    return int((known_pairs[at] == new_pairs).all(axis=1).sum())


def _refuse_known(entries: list[Entry], hashes: Hashes, span_s: Span) -> None:
    shares = [(e.date, _common(e.hashes, hashes)) for e in entries if e.overlaps(span_s)]
    hits = [(date, count) for date, count in shares if count]
    if not hits:
        return
    share = max(count for _, count in hits) / len(hashes)
    dates = sorted({date for date, _ in hits})
    raise LedgerError(
        f"{_share_in_words(share)} of these people published before for an overlapping time ({', '.join(dates)})",
        expected="people or times that no earlier release holds: two releases can be intersected",
        hint="publish other days or other people; --again allows it, records it, and weakens both releases",
    )


def _share_in_words(share: float) -> str:
    if share < 0.01:
        return "less than 1 %"
    return "all" if share == 1 else f"about {share:.0%}".replace("%", " %")


def _header(key: bytes) -> bytes:
    fingerprint = hashlib.blake2b(b"fingerprint", digest_size=16, key=key).hexdigest()
    return f"{_MAGIC} {fingerprint}\n".encode()


def _encode(hashes: Hashes, span_s: Span, mechanism: str, key: bytes) -> bytes:
    facts = {
        "date": datetime.now(UTC).date().isoformat(),
        "mechanism": mechanism,
        "span_s": list(span_s),
        "people": len(hashes),
    }
    line = json.dumps(facts).encode() + b"\n"
    body = hashes.tobytes()
    return line + body + _checksum(line, body, key)


def _checksum(line: bytes, body: bytes, key: bytes) -> bytes:
    checksum = hashlib.blake2b(line, digest_size=TOKEN_BYTES, key=key)
    checksum.update(body)
    return checksum.digest()


def _parse(content: bytes | None, key: bytes) -> list[Entry]:
    """Read all entries; anything that does not fit to the byte is an error, never an empty ledger."""
    if content is None:
        return []
    header = _header(key)
    if not content.startswith(_MAGIC.encode()):
        raise _fault("a file that is not a ledger", "check the path given with --ledger")
    if not content.startswith(header):
        raise _fault("a ledger whose key is another one's", "restore the key's file from a backup")
    entries, at = [], len(header)
    while at < len(content):
        end = content.find(b"\n", at, at + _LONGEST_LINE) + 1
        line = content[at:end]
        try:
            facts = json.loads(line)
            stop = end + facts["people"] * TOKEN_BYTES
            body = content[end:stop]
            start_s, end_s = facts["span_s"]
            date, mechanism = facts["date"], facts["mechanism"]
        except (ValueError, KeyError, TypeError):
            raise _damaged() from None
        if content[stop : stop + TOKEN_BYTES] != _checksum(line, body, key):
            raise _damaged()
        hashes = np.frombuffer(body, np.uint8).reshape(-1, TOKEN_BYTES)
        entries.append(Entry(date, mechanism, (start_s, end_s), hashes))
        at = stop + TOKEN_BYTES
    return entries


def _damaged() -> LedgerError:
    return _fault("a ledger that is damaged or cut short", "restore it from a backup")


def _fault(found: str, hint: str) -> LedgerError:
    return LedgerError(
        found,
        expected="a ledger and the key that it was written with",
        hint=f"{hint}; a new one would forget every earlier release, so none is made",
    )
