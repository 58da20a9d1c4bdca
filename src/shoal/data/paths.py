"""From what somebody named, a path, a pattern or several of them, to the files to read, each of them once."""

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from shoal.data.words import told
from shoal.errors import DataError

_PASSED_OVER = (".", "_")
"""How names begin that are no data: hidden files, marks of success, logs of tables."""

_SIGNS = "*?["
"""What makes a pattern of a name."""


def paths_in(source: Any) -> tuple[Path, ...] | None:
    """Return the paths that a source names: one, or a list of them; None for what is a frame.

    >>> [path.name for path in paths_in("a.csv")], paths_in({"uid": ["a"]})
    (['a.csv'], None)
    """
    if isinstance(source, str | os.PathLike):
        return (Path(source),)
    if not (isinstance(source, list | tuple) and source and all(isinstance(one, str | os.PathLike) for one in source)):
        return None
    for number, one in enumerate(source, 1):
        # Not by its name: a list of words may be a column of somebody's table.
        if not _holds(Path(one).exists) and not _is_pattern(one):
            raise DataError(
                f"no file or directory at path {number:,} of {len(source):,}",
                expected="a list of existing paths",
                hint="check the spelling",
            )
    return tuple(map(Path, source))


def inputs_in(source: Any) -> list[Path]:
    """Return the files and directories that a source names, patterns written out; none where there is none.

    >>> inputs_in({"uid": ["a"]}), inputs_in("nowhere-*.csv")
    ([], [])
    """
    try:
        return [one for path in paths_in(source) or () for one in _expanded(path)]
    except DataError:
        return []


def files_at(paths: Iterable[Path], wanted: Callable[[str], bool]) -> list[Path]:
    """Find the files at some paths: files, patterns such as ``events-*.csv``, directories with all that is in them.

    Links are followed. A file is taken once, however many ways lead to it, and the order is that of the names.

    Parameters
    ----------
    paths
        What was named.
    wanted
        Tells by its name whether a file inside a directory is to be taken; one that was named itself always is.
    """
    found: list[Path] = []
    seen: set[tuple[int, int]] = set()
    for path in paths:
        for one in _expanded(path):
            if _holds(one.is_file):
                found.append(one)
            elif _holds(one.is_dir):
                found += (file for file in _walk(one, seen) if wanted(file.name) and _is_data(file))
            else:
                raise DataError(
                    f"{_quoted(one)}, which is neither a file nor a directory",
                    expected="files, or directories of files",
                    hint="pipes and devices cannot be read; write what they give to a file",
                )
    return _each_once(found)


def _holds(question: Callable[[], bool]) -> bool:
    """Ask a path something; what cannot be asked, such as one that is too long to exist, does not hold."""
    try:
        return question()
    except (OSError, ValueError):
        return False


def _is_pattern(path: str | os.PathLike[str]) -> bool:
    return any(sign in os.fspath(path) for sign in _SIGNS)


def _expanded(path: Path) -> Sequence[Path]:
    """Return the path, or what fits it where it is a pattern."""
    if _holds(path.exists):
        return (path,)
    text = os.fspath(path)
    if not _is_pattern(text):
        raise DataError(f"no file or directory {_quoted(path)}", expected="an existing path", hint="check the spelling")
    if "**" in text:
        raise DataError(
            f"a pattern with ** ({_quoted(path)})",
            expected="a pattern for names, such as events-*.parquet",
            hint="give the directory: its subdirectories are looked through",
        )
    matches = [match for match in map(Path, glob.glob(text)) if _is_meant(match, path)]  # noqa: PTH207 (hidden ones)
    if not matches:
        raise DataError(
            f"nothing that fits {_quoted(path)}", expected="at least one file", hint="check the spelling of the pattern"
        )
    return matches


def _is_meant(match: Path, pattern: Path) -> bool:
    """Tell what fits a pattern and is data, or was asked for by the first letter of its name."""
    named = zip(match.parts, pattern.parts, strict=True)
    return not any(part.startswith(_PASSED_OVER) and part[0] != asked[0] for part, asked in named)


def _quoted(path: Path) -> str:
    """Name a path by its last part, in quotes; what looks like the text of a table is not shown."""
    name = path.name
    return repr(name) if len(name) <= 100 and "\n" not in name else f"with a name of {len(name):,} characters"


def _walk(top: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """Go through a directory: first what lies there, then what links lead to, and no directory twice."""
    links = [top]
    while links:
        folders = [links.pop(0)]
        while folders:
            folder = folders.pop()
            try:
                here = folder.stat()
                if (here.st_dev, here.st_ino) in seen:
                    continue
                seen.add((here.st_dev, here.st_ino))
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                raise DataError(
                    "a directory that cannot be opened", expected="permission to read it", hint="check its permissions"
                ) from None
            for entry in entries:
                if entry.name.startswith(_PASSED_OVER):
                    continue
                if not _holds(entry.is_dir):
                    yield folder / entry.name
                elif entry.is_symlink():
                    links.append(folder / entry.name)
                else:
                    folders.append(folder / entry.name)


def _is_data(file: Path) -> bool:
    """Tell files from pipes and the like; refuse a link to nothing, where there should be data."""
    if not _holds(file.exists):
        raise DataError(
            f"a link that leads nowhere ({told(file.name)})",
            expected="files that exist",
            hint="mend or remove the link",
        )
    return _holds(file.is_file)


def _each_once(files: Iterable[Path]) -> list[Path]:
    # Where a file and a link to it are both there, the file's own path is the one that counts.
    ways = sorted(files, key=lambda path: (path.is_symlink(), path))
    real: dict[str, Path] = {}
    for path in ways:
        real.setdefault(os.path.realpath(path), path)
    return sorted(real.values())
