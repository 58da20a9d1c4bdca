"""A page that goes with a release: the page, its digest in the manifest, and the manifest's digest, or none of them."""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from shoal.contract.files import MANIFEST, MANIFEST_DIGEST, PAGE, spelled
from shoal.errors import DataError
from shoal.files import signals
from shoal.files.durable import PRIVATE_FILE, PUBLIC_FILE, errors_told, new_file, part_beside, sync_folder
from shoal.files.paths import AnyPath
from shoal.release.manifest import with_digest


class _Step(NamedTuple):
    """A file that takes the place of another: beside it first, and where the old one is kept meanwhile."""

    target: Path
    part: Path
    old: Path
    content: bytes
    mode: int


def publish_page(release: AnyPath, secret: AnyPath, page: bytes) -> Path:
    """Put a page into a release, in place of an older one.

    Parameters
    ----------
    release
        The release directory.
    secret
        Its secret directory, which knows the manifest as it was: a manifest that somebody changed gets no page.
    page
        The bytes of the page.

    Returns
    -------
    Path
        Where the page is.
    """
    folder, hidden = Path(os.path.realpath(release)), Path(os.path.realpath(secret))
    manifest = _known_manifest(folder, hidden)
    new = spelled(with_digest(json.loads(manifest), PAGE, hashlib.sha256(page).hexdigest()))
    steps = [
        _step(folder / PAGE, page, PUBLIC_FILE),
        _step(folder / MANIFEST, new, PUBLIC_FILE),
        _step(hidden / MANIFEST_DIGEST, digest_line(new), PRIVATE_FILE),
    ]
    with errors_told(), signals.raising():
        try:
            for step in steps:
                with new_file(step.part, step.mode) as file:
                    file.write(step.content)
            with signals.deferred():
                _replace(steps)
        finally:
            for step in steps:
                step.part.unlink(missing_ok=True)
                step.old.unlink(missing_ok=True)
    return folder / PAGE


def digest_line(manifest: bytes) -> bytes:
    """Spell the digest of a manifest in the format of sha256sum."""
    return f"{hashlib.sha256(manifest).hexdigest()}  {MANIFEST}\n".encode()


def _known_manifest(release: Path, secret: Path) -> bytes:
    try:
        manifest, known = (release / MANIFEST).read_bytes(), (secret / MANIFEST_DIGEST).read_bytes()
    except OSError:
        manifest, known = b"", b"-"
    if digest_line(manifest) != known:
        raise DataError(
            "a manifest that is not the one that was written with the release",
            expected="a release and its secret directory, as they were written",
            hint="give the directory that belongs to it as `secret`; see shoal audit",
        )
    return manifest


def _step(target: Path, content: bytes, mode: int) -> _Step:
    return _Step(target, part_beside(target), part_beside(target), content, mode)


def _replace(steps: Sequence[_Step]) -> None:
    """Take all steps, or take back those already taken."""
    done: list[_Step] = []
    try:
        for step in steps:
            if step.target.exists():
                os.link(step.target, step.old)
            done.append(step)
            step.part.replace(step.target)
            sync_folder(step.target.parent)
    except BaseException:
        for step in reversed(done):
            if step.old.exists():
                step.old.replace(step.target)
            else:
                step.target.unlink(missing_ok=True)
        raise
