"""``shoal audit``: is what the release promises true?"""

import json as encoder
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet, ReadFlags, expand, whole_number
from shoal.errors import DataError, LedgerError, OutputError

BROKEN = 3
"""Exit code of a broken promise."""
_WORDS = {"pass": "[green]pass[/]", "fail": "[bold red]FAIL[/]", "not_run": "[yellow]not run[/]"}


@expand(reading=ReadFlags)
def audit(
    release: Annotated[Path | None, typer.Argument(metavar="RELEASE", help="Directory of the release.")] = None,
    *,
    original: Annotated[Path | None, typer.Option(help="The data that the release was made from.")] = None,
    secret: Annotated[
        Path | None, typer.Option(help="Its secret directory (default: RELEASE.secret, where --original is given).")
    ] = None,
    require_k: Annotated[str | None, typer.Option(help="Demand K candidates for every attacker.", metavar="K")] = None,
    earlier: Annotated[list[Path] | None, typer.Option(help="Another release of the same people.")] = None,
    earlier_secret: Annotated[list[Path] | None, typer.Option(help="Its secret directory.")] = None,
    ledger: Annotated[Path | None, typer.Option(help="Ledger of earlier releases, instead of yours.")] = None,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Audit made-up releases, each broken in one way.")
    ] = False,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check what a release promises; exit 3 where a promise is broken.

    Without --original and --secret only what strangers could check is checked; the rest is "not run".

    Example: shoal audit release --original events.parquet --secret release.secret
    """
    if self_test:
        _self_test(as_json=json)
        return
    if release is None:
        raise typer.BadParameter("give a RELEASE, or --self-test")
    pairs = list(zip(earlier or [], earlier_secret or [], strict=False))
    if len(earlier or []) != len(earlier_secret or []):
        raise typer.BadParameter("each --earlier needs its --earlier-secret, in the same order")
    from shoal.auditor import audit as check

    beside = release.with_name(release.name + ".secret")
    if secret is None and original is not None and beside.is_dir():
        secret = beside
    talk.say("auditing", quiet=quiet or json)
    wanted = None if require_k is None else whole_number("--require-k", require_k, at_least=2)
    with talk.progress_bars(quiet=quiet or json) as progress:
        verdict = check(
            release,
            original=original,
            secret=secret,
            require_k=wanted,
            earlier=pairs,
            options=reading.options(),
            ledger=_known_releases(ledger),
            progress=progress,
        )
    result = verdict.to_dict()
    if secret is not None:
        keep(secret / "audit.json", result)
    if json:
        talk.print_json(result)
    else:
        show(result)
    if not verdict.ok:
        raise typer.Exit(BROKEN)


def _known_releases(path: Path | None) -> int | None:
    """Count what the ledger knows; an audit does not fail because of somebody's ledger."""
    from shoal.release import Ledger

    try:
        return Ledger(path).count()
    except LedgerError:
        return None


def keep(path: Path, result: dict[str, Any]) -> None:
    """Write the verdict for the publisher alone, in place of an older one."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(encoder.dumps(result, indent=2, ensure_ascii=False) + "\n")
        part.replace(path)
    except OSError as error:
        raise OutputError(
            f"audit.json cannot be written ({os.strerror(error.errno or 0).lower()})",
            expected="a secret directory of your own",
            hint="check its permissions",
        ) from error


def show(result: dict[str, Any]) -> None:
    """Print the verdict, a line for each check."""
    counts = {status: sum(c["status"] == status for c in result["checks"]) for status in _WORDS}
    table = talk.table(f"Audit of a {result['mechanism'] or 'nameless'} release", "check", "", "", numbers_from=9)
    for check in result["checks"]:
        table.add_row(check["id"], _WORDS[check["status"]], check["reason"])
    talk.out.print(table, "")
    verdict = "no promise found broken" if result["ok"] else "BROKEN PROMISE: do not publish"
    summary = f"{counts['pass']} passed, {counts['fail']} failed, {counts['not_run']} not run"
    talk.out.print(f"{verdict} ({summary}). What was not run is unknown; a failed attack proves nothing.", markup=False)


def _self_test(*, as_json: bool) -> None:
    from shoal.auditor import self_test

    rows = self_test()
    if as_json:
        talk.print_json(rows)
    else:
        title = "The auditor on releases that are broken on purpose"
        table = talk.table(title, "broken", "must be seen by", "is seen by", "", numbers_from=9)
        for row in rows:
            seen = ", ".join(row["rejected_by"]) or "–"
            table.add_row(row["broken"], row["expected_id"] or "–", seen, "ok" if row["ok"] else "[bold red]MISSED[/]")
        talk.out.print(table)
    if not all(row["ok"] for row in rows):
        raise DataError(
            "the auditor missed a release that is broken on purpose",
            expected="each of them rejected for the right reason, and the sound one passed",
            hint="do not rely on this installation's audits",
        )
