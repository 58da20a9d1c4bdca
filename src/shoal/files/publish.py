"""All or nothing: several directories and a record become visible together, or none of them does.

Everything is written to hidden directories beside the targets, on the same file systems, and synced; then the
record is made (for a release the ledger's entry), and the directories are renamed into place in the order given
(``docs/adr/0004-atomic-publication.md``).
"""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from shoal.errors import OutputError
from shoal.files import signals
from shoal.files.durable import PRIVATE_FILE, PRIVATE_FOLDER, PUBLIC_FILE, PUBLIC_FOLDER, seal, sync_folder


class Folder(NamedTuple):
    """A directory to come into being, for everybody to read or for the owner alone."""

    target: Path
    public: bool


class Record(Protocol):
    """What the ledger contributes: a step that can be made ready, taken, and taken back."""

    def prepare(self) -> None: ...
    def commit(self) -> None: ...
    def undo(self) -> None: ...
    def discard(self) -> None: ...


def publish(folders: Sequence[Folder], fill: Callable[..., None], record: Record | None = None) -> None:
    """Let ``fill`` write into fresh directories, one for each folder, and rename them to their targets.

    On any exception, on Ctrl-C and on SIGTERM nothing is published and nothing is left behind. A signal that
    comes during the final renames waits until they are done.
    """
    # Named before they exist: whatever interrupts, the clean-up knows what to look for.
    parts = [folder.target.parent / f".shoal-{secrets.token_hex(8)}.part" for folder in folders]
    with errors_told(), signals.raising():
        try:
            for part in parts:
                part.mkdir(PRIVATE_FOLDER)
            fill(*parts)
            for part, (_, public) in zip(parts, folders, strict=True):
                files, itself = (PUBLIC_FILE, PUBLIC_FOLDER) if public else (PRIVATE_FILE, PRIVATE_FOLDER)
                seal(part, files=files, itself=itself)
            if record:
                record.prepare()
            with signals.deferred():
                _commit([(part, folder.target) for part, folder in zip(parts, folders, strict=True)], record)
        except BaseException:
            with signals.deferred():
                for part in parts:
                    shutil.rmtree(part, ignore_errors=True)
                if record:
                    record.discard()
            raise


def _commit(moves: list[tuple[Path, Path]], record: Record | None) -> None:
    """Take all steps, or take back those already taken. Nothing in here needs space on the disk."""
    undo: list[Callable[[], object]] = []
    try:
        if record:
            undo.append(record.undo)
            record.commit()
        for source, target in moves:
            # Renaming a directory would silently replace an empty one that came up meanwhile.
            if os.path.lexists(target):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            source.rename(target)
            undo.append(partial(target.rename, source))
            sync_folder(target.parent)
    except BaseException:
        _take_back(undo)
        raise


def _take_back(steps: list[Callable[[], object]]) -> None:
    """Last step first. Where one fails the rest stays: the ledger never forgets what is still visible."""
    try:
        for step in reversed(steps):
            step()
    except OSError as error:
        raise OutputError(
            "a publication that failed halfway and could not be taken back",
            expected="a disk that answers",
            hint="remove what was written by hand before anybody reads it",
        ) from error


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def errors_told() -> Iterator[None]:
    """Turn the system's errors into ours; inside one another, the innermost speaks."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise OutputError(
                "the disk is full, or a file would grow beyond what is allowed",
                expected="room for the release, its secret directory and the ledger",
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
