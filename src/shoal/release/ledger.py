"""The ledger: who was published before, for which time. Two releases of one person can be intersected.

It holds keyed hashes of people, the time span, the date and the mechanism of each release, and nothing else. A
digest of the input would miss a second release with one row more; the hashes see each person. The key lies
beside the ledger and is as secret as the people are (``docs/adr/0003-ledger.md``).
"""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.errors import LedgerError
from shoal.files.durable import PRIVATE_FILE, PRIVATE_FOLDER, new_file, sync_folder
from shoal.files.paths import AnyPath
from shoal.release.ledger_file import Entry, Hashes, Span, decode, encode, fault, hash_people, header

ALWAYS: Span = (-(2**62), 2**62)
"""The time span of data that do not say when they are from: it overlaps with every other."""

_KEY_BYTES = 32


def default_path() -> Path:
    """``$XDG_STATE_HOME/shoal/ledger``, or below ``~/.local/state``; a relative value counts as unset."""
    home = Path(os.environ.get("XDG_STATE_HOME", ""))
    base = home if home.is_absolute() else Path.home() / ".local" / "state"
    return base / "shoal" / "ledger"


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

    def count(self) -> int:
        """Count the releases it knows."""
        if not self.path.exists():
            return 0
        with self._locked(create=False) as key:
            return len(self._entries(key))

    def check(self, people: pa.Array, span_s: Span) -> None:
        """Raise where one of these people is known with an overlapping time."""
        if not self.path.exists():
            return
        with self._locked(create=False) as key:
            _refuse_known(self._entries(key), hash_people(people, key), span_s)

    @contextmanager
    def recording(self, people: pa.Array, span_s: Span, mechanism: str, *, again: bool) -> Iterator["Recording"]:
        """Lock the ledger, check it, and hand out the step that adds the release.

        The lock is held until the block ends, so that of two runs at once the second sees the first.
        """
        with self._locked(create=True) as key:
            content = self._read()
            entries = [] if content is None else decode(content, key)
            hashes = hash_people(people, key)
            if not again:
                _refuse_known(entries, hashes, span_s)
            entry = Entry(datetime.now(UTC).date().isoformat(), mechanism, span_s, hashes)
            yield Recording(self.path, content, encode(entry, key), header(key))

    def _entries(self, key: bytes) -> list[Entry]:
        content = self._read()
        return [] if content is None else decode(content, key)

    def _read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(error) from error

    @contextmanager
    def _locked(self, *, create: bool) -> Iterator[bytes]:
        """Lock the key's file, which unlike the ledger is never replaced, and read the key.

        A run that drew the first key and then failed takes it away again.
        """
        while True:
            handle = self._open_key(create=create)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if not self._is_current(handle):
                    continue
                fresh = create and not self.path.exists() and os.fstat(handle).st_size == 0
                try:
                    yield self._key(handle, draw=fresh)
                finally:
                    if fresh and not self.path.exists():
                        self.key_path.unlink(missing_ok=True)
                return
            finally:
                os.close(handle)

    def _open_key(self, *, create: bool) -> int:
        try:
            if create:
                _make_folder(self.path.parent)
            if self.path.exists() and not self.key_path.exists():
                raise fault("a ledger without its key", "restore the key's file from a backup")
            flags = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
            handle = os.open(self.key_path, flags | os.O_CLOEXEC, PRIVATE_FILE)
            if stat.S_IMODE(os.fstat(handle).st_mode) & ~PRIVATE_FILE:
                os.fchmod(handle, PRIVATE_FILE)
            return handle
        except OSError as error:
            raise _unreadable(error) from error

    def _is_current(self, handle: int) -> bool:
        """Whoever waited for the lock of a key that was then taken away must look anew."""
        try:
            return os.path.samestat(os.fstat(handle), self.key_path.stat())
        except FileNotFoundError:
            return False

    def _key(self, handle: int, *, draw: bool) -> bytes:
        if draw:
            os.pwrite(handle, secrets.token_bytes(_KEY_BYTES), 0)
            os.fsync(handle)
            sync_folder(self.path.parent)
        key = os.pread(handle, _KEY_BYTES + 1, 0)
        if len(key) != _KEY_BYTES:
            raise fault("a ledger's key of the wrong length", "restore the key's file from a backup")
        return key


class Recording:
    """The step that adds an entry: made ready beside the ledger, then one rename, which can be taken back."""

    def __init__(self, path: Path, before: bytes | None, entry: bytes, first_line: bytes) -> None:
        self._path = path
        self._before = before
        self._after = (first_line if before is None else before) + entry
        self._part = path.with_name(f".shoal-{secrets.token_hex(8)}.part")
        self._done = False

    def prepare(self) -> None:
        """Write the ledger with the new entry beside the old one, and sync it."""
        with new_file(self._part) as file:
            file.write(self._after)

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
    for folder in reversed([path, *path.parents]):
        if not folder.exists():
            folder.mkdir(PRIVATE_FOLDER, exist_ok=True)


def _refuse_known(entries: list[Entry], hashes: Hashes, span_s: Span) -> None:
    known, dates = np.zeros(hashes.size, np.bool_), set()
    for entry in entries:
        if entry.overlaps(span_s):
            here = entry.knows(hashes)
            if here.any():
                known |= here
                dates.add(entry.date)
    if dates:
        share = _in_words(float(known.mean()))
        raise LedgerError(
            f"{share} of these people published before for an overlapping time ({', '.join(sorted(dates))})",
            expected="people or times that no earlier release holds: two releases can be intersected",
            hint="publish other days or other people; --again allows it, records it, and weakens both",
        )


def _in_words(share: float) -> str:
    """Give a share in whole per cent: an exact count would answer questions about single people.

    >>> _in_words(1.0), _in_words(0.999), _in_words(0.25), _in_words(0.001)
    ('all', 'nearly all', 'about 25 %', 'less than 1 %')
    """
    if share == 1:
        return "all"
    per_cent = round(100 * share)
    return {0: "less than 1 %", 100: "nearly all"}.get(per_cent, f"about {per_cent} %")


def _unreadable(error: OSError) -> LedgerError:
    reason = os.strerror(error.errno).lower() if error.errno else "the system gave no reason"
    return fault(f"a ledger that cannot be opened ({reason})", "check its permissions")
