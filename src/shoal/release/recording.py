"""The step that adds an entry to the ledger, and what becomes of it when the process dies in the middle.

The entry is written before the release becomes visible: the other order would leave a release that the ledger never
heard of. Between the two, a note beside the ledger says what is being renamed. Whoever finds such a note under the lock
knows that its run is dead, and whether its release ever became visible.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from shoal.files.durable import new_file, part_beside, sync_folder, whole_file
from shoal.files.publish import Move
from shoal.release.ledger_key import KeyFile


class Recording:
    """Made ready beside the ledger, then one rename, which can be taken back."""

    def __init__(self, path: Path, key: KeyFile, before: bytes | None, entry: bytes, first_line: bytes) -> None:
        self._path, self._key, self._before = path, key, before
        self._after = (first_line if before is None else before) + entry
        self._part = part_beside(path)
        self._done = False

    def prepare(self, moves: Sequence[Move] = ()) -> None:
        """Write the ledger with the new entry beside the old one, and a note of what will be renamed after it."""
        with new_file(self._part) as file:
            file.write(self._after)
        note = {"before": len(self._before or b""), "moves": [[str(part), str(target)] for part, target in moves]}
        with whole_file(_note(self._path), replace=True) as file:
            file.write(json.dumps(note).encode())

    def commit(self) -> None:
        self._part.replace(self._path)
        self._done = True
        sync_folder(self._path.parent)
        self._key.record_length(len(self._after))

    def undo(self) -> None:
        """Take the entry away again. Entries stand at the end, so this needs no space on a full disk."""
        if self._done:
            _cut(self._path, self._key, len(self._before or b""))
            self._done = False

    def settle(self) -> None:
        """Everything is in its place, or nothing is: the note has served."""
        _note(self._path).unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what was made ready and never used."""
        self._part.unlink(missing_ok=True)
        self.settle()


def take_back_what_died(path: Path, key: KeyFile) -> None:
    """Finish or undo the publication of a run that was killed between the ledger's entry and its release.

    A release whose last directory still has its hidden name never became visible: its entry is taken back, and what was
    renamed gets its hidden name back, for ``shoal clean``. In any other case the entry stays: it may have been seen.
    """
    try:
        note = json.loads(_note(path).read_bytes())
        moves = [(Path(part), Path(target)) for part, target in note["moves"]]
        before = int(note["before"])
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError):
        _note(path).unlink(missing_ok=True)
        return
    if moves and moves[-1][0].is_dir():
        for part, target in moves:
            if not os.path.lexists(part) and target.is_dir():
                target.rename(part)
        if path.exists() and path.stat().st_size > before:
            _cut(path, key, before)
    _note(path).unlink(missing_ok=True)


def _cut(path: Path, key: KeyFile, length: int) -> None:
    key.record_length(length)
    if length:
        os.truncate(path, length)
    else:
        path.unlink()
    sync_folder(path.parent)


def _note(path: Path) -> Path:
    return path.with_name(path.name + ".begun")
