"""The key's file: the key, and how long the ledger is that was written with it.

The ledger is replaced as a whole, so that its file cannot be locked; the key's file is never replaced, and is the lock.
The length tells a ledger that was cut or lost from one that never was: each is as long as recorded, or longer by an
entry whose length a crash kept from being recorded.
"""

import os
import secrets
from pathlib import Path

from shoal.files.durable import sync_folder
from shoal.release.ledger_file import fault

KEY_BYTES = 32
_LENGTH_BYTES = 8


class KeyFile:
    """A key's file that is open and locked.

    Parameters
    ----------
    handle
        The open file.
    ledger
        Where the ledger is.
    """

    def __init__(self, handle: int, ledger: Path) -> None:
        self._handle, self._ledger = handle, ledger

    @property
    def is_new(self) -> bool:
        """Whether no key was drawn yet, or one that nothing was ever written with."""
        content = self._content()
        return not self._ledger.exists() and (not content or (len(content) > KEY_BYTES and not _length(content)))

    def draw(self) -> bytes:
        """Draw a key, for a ledger that has nothing in it yet."""
        key = secrets.token_bytes(KEY_BYTES)
        os.pwrite(self._handle, key + bytes(_LENGTH_BYTES), 0)
        os.fsync(self._handle)
        sync_folder(self._ledger.parent)
        return key

    def read(self) -> bytes:
        """Return the key; refuse where the ledger cannot be the one that was written with it."""
        content = self._content()
        if len(content) not in (KEY_BYTES, KEY_BYTES + _LENGTH_BYTES):
            raise fault("a ledger's key of the wrong length", "restore the key's file from a backup")
        if not self._ledger.exists():
            raise fault("a key whose ledger is gone", "restore the ledger from a backup")
        if self._ledger.stat().st_size < _length(content):
            raise fault("a ledger that is damaged or cut short", "restore it from a backup")
        return content[:KEY_BYTES]

    def record_length(self, length: int) -> None:
        """Note how long the ledger is."""
        os.pwrite(self._handle, length.to_bytes(_LENGTH_BYTES, "little"), KEY_BYTES)
        os.fsync(self._handle)

    def _content(self) -> bytes:
        return os.pread(self._handle, KEY_BYTES + _LENGTH_BYTES + 1, 0)


def _length(content: bytes) -> int:
    return int.from_bytes(content[KEY_BYTES:], "little")
