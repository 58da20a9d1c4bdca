"""Where something new may be written: refused before any work is done."""

import os
from pathlib import Path

from shoal.errors import OutputError

AnyPath = str | os.PathLike[str]


def clean(path: AnyPath, what: str) -> Path:
    text = os.fspath(path)
    if "\0" in text:
        raise _unusable(what, "a null character")
    clean = Path(os.path.realpath(text))
    if not text or not clean.name:
        raise _unusable(what, "no name")
    try:
        clean.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        raise _unusable(what, os.strerror(error.errno or 0).lower()) from error
    return clean


def _unusable(what: str, why: str) -> OutputError:
    return OutputError(
        f"no usable path for {what} ({why})", expected="the path of a directory", hint="give one, such as out/"
    )


def new_target(path: AnyPath, what: str = "the output") -> Path:
    """Return where something new is to be written; refuse what cannot be written, before the work."""
    target = clean(path, what)
    check_free(target, path, "`path`")
    return target


def secret_beside(release: AnyPath) -> Path:
    """Return where the secret directory of a release lies, unless somebody says otherwise."""
    path = Path(os.path.realpath(release))
    return path.with_name(path.name + ".secret")


def check_free(target: Path, given: AnyPath, option: str) -> None:
    # The given name too: a dangling link resolves to something that does not exist.
    if os.path.lexists(target) or os.path.lexists(Path(given)):
        raise OutputError(
            f"{target} exists already",
            expected="a name that is not taken: nothing is ever overwritten",
            hint=f"choose another name for {option}, or move the old one away",
        )
    parent = target.parent
    if not parent.is_dir():
        raise OutputError(
            f"{parent} is {'not a directory' if parent.exists() else 'missing'}",
            expected="an existing directory to write into",
            hint="create it first; it is not created here, because a misspelt path would pass unnoticed",
        )
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(
            f"{parent} is not writable",
            expected="a directory in which files may be created",
            hint="choose another place or change its permissions",
        )
