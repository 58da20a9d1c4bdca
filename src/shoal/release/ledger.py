"""The ledger: who was published before, for which time. Two releases of one person can be intersected.

It holds keyed hashes of people within a named population, the time span, the date and the mechanism of each release,
and nothing else. A digest of the input would miss a second release with one row more; the hashes see each person. The
key lies beside the ledger and is as secret as the people are (``docs/adr/0003-ledger.md``).
"""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.data.layout import Span
from shoal.errors import LedgerError, ParameterError, given
from shoal.files.durable import PRIVATE_FILE, PRIVATE_FOLDER
from shoal.files.leftovers import left_behind, remove_all
from shoal.files.paths import AnyPath
from shoal.release.ledger_file import DEFAULT_POPULATION, Entry, Hashes, decode, encode, fault, hash_people, header
from shoal.release.ledger_key import KeyFile
from shoal.release.recording import Recording, take_back_what_died

_LONGEST_POPULATION = 200


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
    population
        Whose identifiers these are: identifiers of other populations are other people's, even where they are equal.
    """

    def __init__(self, path: AnyPath | None = None, population: str = DEFAULT_POPULATION) -> None:
        if not isinstance(population, str) or not 0 < len(population.strip()) <= _LONGEST_POPULATION:
            raise ParameterError(
                given("population", population),
                expected=f"a name of at most {_LONGEST_POPULATION} characters",
                hint="name the operator or the study whose identifiers these are",
            )
        self.path = Path(os.path.realpath(default_path() if path is None else path))
        self.key_path = self.path.with_name(self.path.name + ".key")
        self.population = population

    def count(self) -> int:
        """Count the releases it knows, of all populations."""
        with self._reading() as (entries, _):
            return len(entries)

    def others(self, people: pa.Array) -> int:
        """Count the releases that hold any of these people, less the one that holds exactly them."""
        with self._reading() as (entries, key):
            if not entries:
                return 0
            hashes = hash_people(people, key, self.population)
            holding = [entry for entry in self._own(entries) if entry.knows(hashes).any()]
            exactly = any(np.array_equal(entry.hashes, hashes) for entry in holding)
            return len(holding) - exactly

    def take_back(self) -> None:
        """Take back what a killed run left half done: it may have taken the place where the next one wants to write."""
        if self.key_path.exists():
            with self._locked(create=False):
                pass  # whoever has the lock does it

    def clean(self) -> list[Path]:
        """Take back what killed runs left half done, and remove their files beside the ledger; tell which."""
        if not self.path.parent.is_dir():
            return []
        if not self.key_path.exists():
            return remove_all(left_behind(self.path.parent))
        with self._locked(create=False):
            return remove_all(left_behind(self.path.parent))

    def check(self, people: pa.Array, span_s: Span) -> None:
        """Raise where one of these people is known with an overlapping time."""
        with self._reading() as (entries, key):
            if entries:
                self._refuse_known(entries, hash_people(people, key, self.population), span_s)

    @contextmanager
    def recording(self, people: pa.Array, span_s: Span, mechanism: str, *, again: bool) -> Iterator[Recording]:
        """Lock the ledger, check it, and hand out the step that adds the release.

        The lock is held until the block ends, so that of two runs at once the second sees the first.
        """
        with self._locked(create=True) as (key, file):
            content = self._read()
            entries = [] if content is None else decode(content, key)
            hashes = hash_people(people, key, self.population)
            if not again:
                self._refuse_known(entries, hashes, span_s)
            today = datetime.now(UTC).date().isoformat()
            entry = Entry(today, mechanism, span_s, hashes, self.population)
            yield Recording(self.path, file, content, encode(entry, key), header(key))

    def _own(self, entries: list[Entry]) -> Iterator[Entry]:
        return (entry for entry in entries if entry.population == self.population)

    def _refuse_known(self, entries: list[Entry], hashes: Hashes, span_s: Span) -> None:
        known, dates = np.zeros(hashes.size, np.bool_), set()
        for entry in self._own(entries):
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
                hint="publish other days or other people; `again=True` allows it, records it, and weakens both. "
                f"People are told by their identifiers within a population, here '{self.population}': where these are "
                "other people with equal identifiers, name them with `population`, or keep another `ledger`",
            )

    @contextmanager
    def _reading(self) -> Iterator[tuple[list[Entry], bytes]]:
        """Look at the ledger as it is; there may be none."""
        if not self.path.exists() and not self.key_path.exists():
            yield [], b""
            return
        with self._locked(create=False) as (key, _):
            content = self._read()
            yield [] if content is None else decode(content, key), key

    def _read(self) -> bytes | None:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _unreadable(error) from error

    @contextmanager
    def _locked(self, *, create: bool) -> Iterator[tuple[bytes, KeyFile]]:
        """Lock the key's file, which unlike the ledger is never replaced, and read the key.

        A run that drew the first key and then failed takes it away again. What a killed run left half done is taken
        back first: whoever has the lock knows that it is dead.
        """
        while True:
            handle = self._open_key(create=create)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if not self._is_current(handle):
                    continue
                file = KeyFile(handle, self.path)
                take_back_what_died(self.path, file)
                new = file.is_new
                try:
                    yield (file.draw() if new and create else b"" if new else file.read()), file
                finally:
                    if create and new and not self.path.exists():
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
            flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
            handle = os.open(self.key_path, flags, PRIVATE_FILE)
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


def _make_folder(path: Path) -> None:
    for folder in reversed([path, *path.parents]):
        if not folder.exists():
            folder.mkdir(PRIVATE_FOLDER, exist_ok=True)


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
