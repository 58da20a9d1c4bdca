"""Where a release may be written: everything that can be refused is refused before any work is done."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import OutputError

AnyPath = str | os.PathLike[str]


class Targets(NamedTuple):
    """The two directories of a publication, free of links and of ``..``."""

    release: Path
    secret: Path


def check_targets(
    path: AnyPath,
    secret: AnyPath | None = None,
    *,
    inputs: Iterable[Any] = (),
    ledger: AnyPath | None = None,
) -> Targets:
    """Refuse what cannot be written safely; return where the release and the secret go.

    Parameters
    ----------
    path
        The release directory. It must not exist, not even empty, and its parent must.
    secret
        The secret directory; ``None`` is ``<path>.secret`` beside it.
    inputs
        What is read; frames and other things that are no paths are passed over.
    ledger
        The ledger's file, which must lie outside both directories.
    """
    release = _clean(path, "the output")
    beside = release.with_name(release.name + ".secret") if release.name else release
    hidden = beside if secret is None else _clean(secret, "the secret directory")
    for input_ in inputs:
        if isinstance(input_, str | os.PathLike):
            _apart_from_input(release, hidden, Path(os.path.realpath(input_)))
    _apart_from_each_other(release, hidden)
    if ledger is not None and {release, hidden} & _self_and_parents(Path(os.path.realpath(ledger))):
        raise OutputError(
            "a ledger inside the directories that are about to be written",
            expected="a ledger that outlives them",
            hint="leave --ledger out to use the default one",
        )
    for target, given, name in ((release, path, "--out"), (hidden, secret, "--secret")):
        _free(target, given, name)
    return Targets(release, hidden)


def _clean(path: AnyPath, what: str) -> Path:
    text = os.fspath(path)
    if not text or "\0" in text:
        raise OutputError(
            f"no usable path for {what}", expected="a directory's path", hint="give one, such as out/"
        )
    return Path(os.path.realpath(text))


def _self_and_parents(path: Path) -> set[Path]:
    return {path, *path.parents}


def _related(a: Path, b: Path) -> str | None:
    """Say how a lies to b: the same, inside it or around it. Equal inodes count as the same."""
    if a == b or (a.exists() and b.exists() and a.samefile(b)):
        return "is"
    if b in a.parents:
        return "lies inside"
    return "contains" if a in b.parents else None


def _apart_from_input(release: Path, secret: Path, input_: Path) -> None:
    for target, what in ((release, "the output"), (secret, "the secret directory")):
        relation = _related(target, input_)
        if relation:
            raise OutputError(
                f"{what} {relation} the input",
                expected="a place of its own, so that the input is never touched nor published",
                hint="choose a new directory outside of the input",
            )


def _apart_from_each_other(release: Path, secret: Path) -> None:
    relation = _related(secret, release)
    if relation:
        raise OutputError(
            f"the secret directory {relation} the release",
            expected="two directories side by side: one is handed to strangers, the other never",
            hint="leave --secret out to have it beside the release",
        )


def _free(target: Path, given: AnyPath | None, option: str) -> None:
    # The given name too: a dangling link resolves to something that does not exist.
    if os.path.lexists(target) or (
        given is not None and os.path.lexists(os.fspath(given).rstrip(os.sep) or os.sep)
    ):
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
