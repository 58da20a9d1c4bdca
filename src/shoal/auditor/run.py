"""The public function: open, check, tell."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.auditor import checks
from shoal.auditor.case import Case, Earlier
from shoal.auditor.published import DATA, MANIFEST
from shoal.auditor.registry import run_checks
from shoal.auditor.verdict import Verdict
from shoal.data.options import ReadOptions
from shoal.errors import DataError, ParameterError
from shoal.progress import Progress

AnyPath = str | os.PathLike[str]


def audit(
    release: AnyPath,
    *,
    original: Any = None,
    secret: AnyPath | None = None,
    require_k: int | None = None,
    earlier: Sequence[tuple[AnyPath, AnyPath]] = (),
    options: ReadOptions | None = None,
    ledger: int | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check what a release promises, on the bytes that were written.

    Parameters
    ----------
    release
        The release directory.
    original
        The data that it was made from: anything that :func:`shoal.read` takes, or traces.
    secret
        Its secret directory. Without it and the original, many checks are not run, and say so.
    require_k
        Demand this many candidates for every attacker, whatever the manifest promises.
    earlier
        Pairs of release and secret directories of the same people, to be intersected.
    options
        How to read the original; the same as for the release.
    ledger
        How many releases the ledger knows, for the report.
    progress
        Told about phases as they go on.

    Returns
    -------
    Verdict
        ``ok`` unless a check failed. A check that was not run has shown nothing.
    """
    assert checks.THEMES
    path = Path(release)
    if not (path / MANIFEST).is_file() and not (path / DATA).is_file():
        raise DataError("no release there", expected="a release directory", hint="give the directory that --out named")
    if require_k is not None and (not isinstance(require_k, int) or isinstance(require_k, bool) or require_k < 2):
        raise ParameterError(f"--require-k {require_k}", expected="a whole number, 2 or more", hint="for example 2")
    for folder in (secret, *(pair[1] for pair in earlier)):
        if folder is not None and not Path(folder).is_dir():
            raise DataError("no secret directory there", expected="a directory", hint="by default RELEASE.secret")
    case = Case(
        path,
        original=original,
        secret=None if secret is None else Path(secret),
        require_k=require_k,
        earlier=[Earlier(Path(one), Path(two)) for one, two in earlier],
        options=options,
        ledger=ledger,
    )
    return Verdict(case.mechanism, require_k, run_checks(case, progress))
