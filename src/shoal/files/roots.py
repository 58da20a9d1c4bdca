"""Folders for what work needs on the disk and nobody may keep: for the owner alone, removed at the end.

A run that is killed cannot remove its own. So each is locked as long as its run lives (:mod:`shoal.files.leftovers`),
they all lie in one place, and the next run removes those that nobody holds any more.
"""

import os
import shutil
import stat
import tempfile
import weakref
from contextlib import ExitStack
from pathlib import Path

from shoal.errors import OutputError
from shoal.files.durable import PRIVATE_FOLDER, errors_told, part_beside
from shoal.files.leftovers import in_use, left_behind, remove_all


class Root:
    """A folder of one run; it goes with :meth:`remove`, with the object, or with the process.

    Parameters
    ----------
    place
        Where such folders lie; one for each user in the folder for temporary files by default.

    Examples
    --------
    >>> root = Root()
    >>> path = root.path
    >>> root.remove()
    >>> path.exists()
    False
    """

    def __init__(self, place: Path | None = None) -> None:
        with errors_told():
            place = place or default_place()
            make_private(place)
            remove_all(left_behind(place))
            self.path = part_beside(place / "root")
            self.path.mkdir(PRIVATE_FOLDER)
            held = ExitStack()
            held.enter_context(in_use(self.path))
        self._end = weakref.finalize(self, _remove, self.path, held)

    def remove(self) -> None:
        """Remove it with all that is in it; a second time does nothing."""
        self._end()


def default_place() -> Path:
    """Where the folders of this user's runs lie."""
    return Path(tempfile.gettempdir()) / f"shoal-{os.getuid()}"


def make_private(place: Path) -> None:
    """Make a folder for the owner alone; refuse one that somebody else planted there, or can look into."""
    place.mkdir(PRIVATE_FOLDER, exist_ok=True)
    found = place.lstat()
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077:
        return
    raise OutputError(
        f"{place}, which others can use too",
        expected="a folder of yours alone for what work leaves on the disk meanwhile",
        hint="remove it, or name another place with TMPDIR",
    )


def _remove(path: Path, held: ExitStack) -> None:
    shutil.rmtree(path, ignore_errors=True)
    held.close()
