"""``shoal audit``: is what the release promises true?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from shoal.cli import talk
from shoal.cli.flags import EngineFlags, Json, Quiet, ReadFlags, expand, whole_number
from shoal.cli.memory import OF_A_PART, keep_what_is_freed
from shoal.contract.claims import Nothing
from shoal.contract.files import ABOUT_OTHERS
from shoal.errors import DataError, OutputError
from shoal.files.paths import secret_beside

if TYPE_CHECKING:
    from shoal.auditor import Verdict

BROKEN = 3
"""Exit code of a broken promise, a claim that nothing examined, a demand that is not met."""

_WORDS = {
    "fail": "[bold red]FAIL[/]",
    "pass": "[green]pass[/]",
    "note": "[cyan]note[/]",
    "not_run": "[yellow]not run[/]",
}
"""In the order in which they are shown."""


@expand(engine=EngineFlags, reading=ReadFlags)
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
    engine: EngineFlags,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check what a release promises; exit 3 where a promise is broken or a demand is not met.

    Without --original and --secret only what strangers could check is checked; the rest is "not run".

    Example: shoal audit release --original events.parquet --secret release.secret
    """
    if self_test:
        _self_test(as_json=json, quiet=quiet)
        return
    if release is None:
        raise typer.BadParameter("give a RELEASE, or --self-test")
    pairs = list(zip(earlier or [], earlier_secret or [], strict=False))
    if len(earlier or []) != len(earlier_secret or []):
        raise typer.BadParameter("each --earlier needs its --earlier-secret, in the same order")
    from shoal.auditor import audit as check
    from shoal.release.known import other_releases

    keep_what_is_freed(up_to=OF_A_PART)
    talk.say("auditing", quiet=quiet or json)
    wanted = None if require_k is None else whole_number("--require-k", require_k, at_least=2)
    with engine.elsewhere() as opened, talk.progress_bars(quiet=quiet or json) as progress:
        verdict = check(
            release,
            original=original,
            secret=secret,
            require_k=wanted,
            earlier=pairs,
            options=reading.options(),
            ledger=other_releases(ledger, secret or secret_beside(release)),
            engine=opened,
            progress=progress,
        )
    result = verdict.to_dict()
    if json:
        talk.print_json(result)
    else:
        show(result)
    conclude(verdict)


def conclude(verdict: "Verdict") -> None:
    """End as the verdict asks for: with 3 where a promise is broken or a demand is not met."""
    if verdict.not_kept is not None:
        lost = OutputError(
            f"audit.json cannot be written: {verdict.not_kept}",
            expected="a secret directory of your own",
            hint="check its permissions; the verdict above holds all the same",
        )
        if verdict.ok:
            raise lost
        talk.print_error(lost)
    if not verdict.ok:
        raise typer.Exit(BROKEN)


def show(result: dict[str, Any]) -> None:
    """Print the verdict: a line for each check, failed ones first, notes apart from what passed."""
    table = talk.table(escape(_title(result)), "", "", "", numbers_from=9)
    table.show_header = False
    for column in table.columns[:2]:
        column.no_wrap = True
    mine = _of_this_release(result)
    for status, word in _WORDS.items():
        some = [check for check in mine if check["status"] == status]
        if some and table.row_count:
            table.add_row()
        for check in some:
            table.add_row(word, check["id"], escape(talk.as_options(check["reason"])))
    talk.out.print(table, "")
    talk.out.print(sentence(result), markup=False)


def _of_this_release(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The checks that are about releases of this kind and claim: of the others there is nothing to say."""
    return [check for check in result["checks"] if not check["figures"].get(ABOUT_OTHERS)]


def _title(result: dict[str, Any]) -> str:
    claim = dict(result["claim"] or {})
    name = claim.pop("name", "something that is not known")
    # Profiles have dozens of cells: the manifest lists them.
    short = {key: len(value) if isinstance(value, list) else value for key, value in claim.items()}
    parameters = "".join(f", {key} = {value}" for key, value in short.items())
    return f"Audit of a {result['mechanism'] or 'nameless'} release that claims {name}{parameters}"


def sentence(result: dict[str, Any]) -> str:
    """Say in a sentence what came out."""
    from shoal.auditor.registry import demands

    failed = {check["id"] for check in result["checks"] if check["status"] == "fail"}
    mine = _of_this_release(result)
    count = {status: sum(check["status"] == status for check in mine) for status in _WORDS}
    words = "no promise found broken" if not failed else "DEMAND NOT MET"
    if (result["claim"] or {}).get("name") == Nothing.name:
        words = f"NOTHING IS PROMISED; {words}"
    if failed - demands():
        words = ("CLAIM NOT EXAMINED" if failed - demands() == {"claim"} else "BROKEN PROMISE") + ": do not publish"
    return (
        f"{words} ({count['pass']} passed, {count['fail']} failed, {count['note']} noted, {count['not_run']} not run). "
        "What was not run is unknown; a failed attack proves nothing."
    )


def _self_test(*, as_json: bool, quiet: bool) -> None:
    from shoal.auditor.selftest.run import self_test

    with talk.progress_bars(quiet=quiet or as_json) as progress:
        rows = self_test(progress)
    if as_json:
        talk.print_json(rows)
    else:
        title = "The auditor on releases that are broken on purpose"
        table = talk.table(title, "broken", "condition that must see it", "", numbers_from=9)
        for row in rows:
            table.add_row(row["broken"], row["condition"] or "–", "ok" if row["ok"] else "[bold red]MISSED[/]")
        talk.out.print(table)
    if not all(row["ok"] for row in rows):
        raise DataError(
            "the auditor missed a release that is broken on purpose",
            expected="each of them rejected for the right reason, and the sound ones passed",
            hint="do not rely on this installation's audits",
        )
