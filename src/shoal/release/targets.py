"""Where a release may be written: everything that can be refused is refused before any work is done."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import OutputError
from shoal.files.paths import AnyPath, check_free, clean, secret_beside


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
    release = clean(path, "the output")
    if secret is None:
        secret = secret_beside(release)
    hidden = clean(secret, "the secret directory")
    for input_ in inputs:
        if isinstance(input_, str | os.PathLike):
            _apart_from_input(release, hidden, Path(os.path.realpath(input_)))
    _apart_from_each_other(release, hidden)
    if ledger is not None and {release, hidden} & _self_and_parents(Path(os.path.realpath(ledger))):
        raise OutputError(
            "a ledger inside the directories that are about to be written",
            expected="a ledger that outlives them",
            hint="leave `ledger` out to use the default one",
        )
    for target, given, name in ((release, path, "`path`"), (hidden, secret, "`secret`")):
        check_free(target, given, name)
    return Targets(release, hidden)


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
            hint="leave `secret` out to have it beside the release",
        )
