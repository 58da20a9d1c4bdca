"""Files that are really on the disk: created afresh, for the owner alone, synced before they are relied on."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
PUBLIC_FILE, PUBLIC_FOLDER = 0o644, 0o755


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that must not exist yet, and sync it at the end; nothing may follow a planted link."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    with os.fdopen(handle, "wb") as file:
        yield file
        file.flush()
        os.fsync(handle)


def write_bytes(path: Path, content: bytes) -> None:
    with new_file(path) as file:
        file.write(content)


def sync_folder(path: Path) -> None:
    """Make names in a directory survive a crash; some file systems cannot, and say so."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS):
            raise
    finally:
        os.close(handle)


def seal(folder: Path, *, files: int, itself: int) -> None:
    """Give a finished directory of plain files its modes, whatever the umask, and sync it."""
    for path in folder.iterdir():
        path.chmod(files)
    folder.chmod(itself)
    sync_folder(folder)
