"""What runs leave behind that were killed before they could clean up: ``.shoal-….part``, hidden, for the owner alone.

A run that lives holds a lock on each of its parts; the lock goes with the process, however it ends. So a part that
can be locked belongs to nobody any more.
"""

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.files.durable import errors_told

_PART = re.compile(r"\.shoal-[0-9a-f]{16}\.part")


@contextmanager
def in_use(part: Path) -> Iterator[None]:
    """Hold the lock that says that a part is being written."""
    handle = os.open(part, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def left_behind(folder: Path) -> list[Path]:
    """Find the parts in a directory whose runs are dead."""
    try:
        found = sorted(path for path in folder.iterdir() if _PART.fullmatch(path.name) and not path.is_symlink())
    except OSError:
        return []
    return [path for path in found if _is_dead(path)]


def remove_all(parts: list[Path]) -> list[Path]:
    """Remove what dead runs left, and tell what was removed."""
    with errors_told():
        for part in parts:
            shutil.rmtree(part) if part.is_dir() else part.unlink()
    return parts


def _is_dead(part: Path) -> bool:
    try:
        handle = os.open(part, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
