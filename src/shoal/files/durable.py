"""Files that are really on the disk: created afresh, for the owner alone, synced before they are relied on."""

import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from shoal.errors import OutputError
from shoal.files import signals

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
PUBLIC_FILE, PUBLIC_FOLDER = 0o644, 0o755

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def whole_file(path: Path, mode: int = PRIVATE_FILE, *, replace: bool = False) -> Iterator[BinaryIO]:
    """Write a file that appears whole or not at all: beside its place first, synced, then renamed.

    On any exception, on Ctrl-C and on SIGTERM nothing is left behind, and an older file stays as it was.

    Parameters
    ----------
    path
        Where the file is to be. Where that is a link, the link is replaced, never followed.
    mode
        The file's mode from its first byte on, whatever the umask.
    replace
        Take the place of an older file; otherwise a name that is taken is an error.
    """
    part = part_beside(path)
    with errors_told(), signals.raising():
        try:
            with new_file(part, mode) as file:
                yield file
            with signals.deferred():
                # Renaming would silently replace a file that came up meanwhile.
                if not replace and os.path.lexists(path):
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
                part.replace(path)
                sync_folder(path.parent)
        finally:
            part.unlink(missing_ok=True)


def part_beside(target: Path) -> Path:
    """Name what becomes the target once it is complete: hidden, on the same file system, free of collisions."""
    return target.with_name(f".shoal-{secrets.token_hex(8)}.part")


@contextmanager
def new_file(path: Path, mode: int = PRIVATE_FILE) -> Iterator[BinaryIO]:
    """Open a file that must not exist yet, and sync it at the end; nothing may follow a planted link."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(handle, "wb") as file:
        fcntl.flock(handle, fcntl.LOCK_SH)  # somebody lives who writes this: see `shoal.files.leftovers`
        os.fchmod(handle, mode)
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


@contextmanager
def errors_told() -> Iterator[None]:
    """Turn the system's errors into ours; inside one another, the innermost speaks."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise OutputError(
                "the disk is full, or a file would grow beyond what is allowed",
                expected="room for everything that is written, and for the ledger where there is one",
                hint="free some space or choose another place; nothing was published, nothing is left",
            ) from error
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
            raise OutputError(
                "the output came into being while it was being written",
                expected="a name that stays free",
                hint="another run may write to the same place; choose another name",
            ) from error
        reason = os.strerror(error.errno) if error.errno else "the system gave no reason"
        raise OutputError(
            f"writing failed ({reason.lower()})",
            expected="a place where files can be created, synced and renamed",
            hint="nothing was published and nothing was left behind; check the disk and the permissions",
        ) from error
