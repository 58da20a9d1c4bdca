"""The public function: open, check, tell."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.auditor import checks
from shoal.auditor.case import Case, Earlier
from shoal.auditor.keep import keep
from shoal.auditor.parts import Maps
from shoal.auditor.registry import run_checks
from shoal.auditor.verdict import Verdict
from shoal.contract.files import DATA, MANIFEST
from shoal.data.options import ReadOptions
from shoal.errors import DataError, ParameterError, given
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
    engine: Maps | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check what a release promises, on the bytes that were written.

    Parameters
    ----------
    release
        The release directory.
    original
        The data that it was made from: anything that :func:`shoal.read` takes, or data that were read already.
    secret
        Its secret directory; by default ``RELEASE.secret`` beside it, where there is one and the original is given.
        Without it and the original, many checks are not run, and say so. The verdict is kept in it as ``audit.json``.
    require_k
        Demand this many candidates for every attacker, whatever the manifest promises.
    earlier
        Pairs of release and secret directories of the same people, to be intersected.
    options
        How to read the original; the same as for the release.
    ledger
        How many other releases of these people the ledger knows, for the report.
    engine
        Who compares sequences and covers samples, part by part, such as :class:`shoal.Spark`; this process by default.
        The verdict is the same.
    progress
        Told about phases as they go on.

    Returns
    -------
    Verdict
        ``ok`` unless a check failed. A check that was not run has shown nothing.
    """
    path = Path(release)
    for one in (path, *(Path(pair[0]) for pair in earlier)):
        if not (one / MANIFEST).is_file() and not (one / DATA).is_file():
            hint = f"give the directory that holds {MANIFEST}"
            raise DataError("no release there", expected="a release directory", hint=hint)
    if require_k is not None and (not isinstance(require_k, int) or isinstance(require_k, bool) or require_k < 2):
        raise ParameterError(given("require_k", require_k), expected="a whole number, 2 or more", hint="for example 2")
    if engine is not None and not hasattr(engine, "map"):
        raise ParameterError(
            f"`engine` of type {type(engine).__name__}",
            expected="an engine, which does work for parts",
            hint="for example Spark(session), or Spark(master='local[2]')",
        )
    folder = _secret_of(path, secret, original)
    for known in (folder, *(pair[1] for pair in earlier)):
        if known is not None and not Path(known).is_dir():
            raise DataError("no secret directory there", expected="a directory", hint="by default RELEASE.secret")
    case = Case(
        path,
        original=original,
        secret=folder,
        require_k=require_k,
        earlier=[Earlier(Path(one), Path(two)) for one, two in earlier],
        options=options,
        ledger=ledger,
        engine=engine,
    )
    verdict = judge(case, progress)
    return verdict if folder is None else keep(verdict, folder)


def judge(case: Case, progress: Progress | None = None) -> Verdict:
    """Run all checks on a case."""
    assert checks.THEMES
    claim = None if case.claim is None else case.claim.to_dict()
    return Verdict(case.mechanism, claim, case.require_k, run_checks(case, progress))


def _secret_of(release: Path, secret: AnyPath | None, original: Any) -> Path | None:
    if secret is not None:
        return Path(secret)
    here = Path(os.path.abspath(release))  # noqa: PTH100  # a link's own name counts, not what it leads to
    beside = here.with_name(here.name + ".secret")
    return beside if original is not None and beside.is_dir() else None
