"""All or nothing: several directories and a record become visible together, or none of them does.

Everything is written to hidden directories beside the targets, on the same file systems, and synced; then the
record is made (for a release the ledger's entry), and the directories are renamed into place in the order given
(``docs/adr/0004-atomic-publication.md``).
"""

import errno
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from shoal.errors import OutputError
from shoal.files import signals
from shoal.files.durable import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    PUBLIC_FILE,
    PUBLIC_FOLDER,
    errors_told,
    part_beside,
    seal,
    sync_folder,
)
from shoal.files.leftovers import in_use


class Folder(NamedTuple):
    """A directory to come into being, for everybody to read or for the owner alone."""

    target: Path
    public: bool


class Move(NamedTuple):
    """A rename: from the hidden name to the final one."""

    part: Path
    target: Path


class Record(Protocol):
    """What the ledger contributes: a step that can be made ready, taken, taken back, and settled once all are taken."""

    def prepare(self, moves: Sequence[Move]) -> None: ...
    def commit(self) -> None: ...
    def undo(self) -> None: ...
    def settle(self) -> None: ...
    def discard(self) -> None: ...


def publish(folders: Sequence[Folder], fill: Callable[..., None], record: Record | None = None) -> None:
    """Let ``fill`` write into fresh directories, one for each folder, and rename them to their targets.

    On any exception, on Ctrl-C and on SIGTERM nothing is published and nothing is left behind. A signal that
    comes during the final renames waits until they are done.
    """
    # Named before they exist: whatever interrupts, the clean-up knows what to look for.
    moves = [Move(part_beside(folder.target), folder.target) for folder in folders]
    with errors_told(), signals.raising(), ExitStack() as alive:
        try:
            for move in moves:
                move.part.mkdir(PRIVATE_FOLDER)
                alive.enter_context(in_use(move.part))
            fill(*(move.part for move in moves))
            for move, (_, public) in zip(moves, folders, strict=True):
                files, itself = (PUBLIC_FILE, PUBLIC_FOLDER) if public else (PRIVATE_FILE, PRIVATE_FOLDER)
                seal(move.part, files=files, itself=itself)
            if record:
                record.prepare(moves)
            with signals.deferred():
                _commit(moves, record)
        except BaseException:
            with signals.deferred():
                for move in moves:
                    shutil.rmtree(move.part, ignore_errors=True)
                if record:
                    record.discard()
            raise


def _commit(moves: list[Move], record: Record | None) -> None:
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
        if record:
            record.settle()
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
