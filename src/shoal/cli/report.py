"""``shoal report``: a page for people who decide."""

import json as json_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet, ReadFlags, expand
from shoal.errors import DataError
from shoal.pages import tools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shoal.dossiers import Dossier
    from shoal.pages.document import Document
    from shoal.report.results import Results


@expand(reading=ReadFlags)
def report(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="Directory of a release, of shoal measure, compare or sociometer.")
    ],
    *,
    out: Annotated[
        Path | None, typer.Option(help="File to write; must not exist (default: with the secrets, or in RESULTS).")
    ] = None,
    publishable: Annotated[
        bool,
        typer.Option("--publishable", help="Put a page for strangers into the release: only counts of many people."),
    ] = False,
    dossier: Annotated[
        bool, typer.Option("--dossier", help="What those who sign need: --out may end in .html, .md or .json.")
    ] = False,
    recipient: Annotated[
        str | None, typer.Option(help="Of a dossier: public, partner or enclave.", metavar="WHO")
    ] = None,
    original: Annotated[
        Path | None, typer.Option(help="What the release was made from: measures usefulness first.")
    ] = None,
    secret: Annotated[Path | None, typer.Option(help="Its secret directory (default: RELEASE.secret).")] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make one HTML page of results: verdict, promise, audit, usefulness, and how to repeat it; no network.

    A release's page tells what shoal audit and shoal utility have found; what they have not is said to be unknown.

    Example: shoal report release
    """
    from shoal.files.paths import new_target
    from shoal.report.results import what_lies_in
    from shoal.report.write import write_page

    what = what_lies_in(results)
    _refuse_together(what, out=out, publishable=publishable, dossier=dossier, recipient=recipient)
    if recipient is not None:
        made = _dossier(results, recipient, out, original, secret, reading, quiet=quiet or json)
        if json:
            talk.print_json(made.to_dict())
        return
    tools.require()
    target = None if out is None else new_target(out)
    if what == "release":
        found = _results(results, original, secret, reading, quiet=quiet or json)
        path = _publish(results, found) if publishable else release_page(found, target)
    else:
        path = write_page(DOCUMENTS[what](results), target or results / "report.html", replace=target is None)
    if json:
        talk.print_json({"page": str(path), "of": what, "publishable": publishable, "bytes": path.stat().st_size})
        return
    talk.out.print(f"page: {path}", markup=False, soft_wrap=True)
    words = "audit it now: the page is part of the release" if publishable else "about people: keep it to yourself"
    talk.say(words, quiet=quiet)


def _refuse_together(what: str, *, out: Path | None, publishable: bool, dossier: bool, recipient: str | None) -> None:
    if out is not None and publishable:
        raise typer.BadParameter("--publishable goes into the release: leave --out away")
    if publishable and dossier:
        raise typer.BadParameter("a dossier is never published: leave --publishable or --dossier away")
    if (publishable or dossier) and what != "release":
        raise typer.BadParameter("--publishable and --dossier are for releases")
    if dossier != (recipient is not None):
        raise typer.BadParameter("--dossier and --recipient public, partner or enclave belong together")


def _dossier(
    release: Path,
    recipient: str,
    out: Path | None,
    original: Path | None,
    secret: Path | None,
    reading: ReadFlags,
    *,
    quiet: bool,
) -> "Dossier":
    """Write the dossier, by default beside the other secrets."""
    from shoal.cli.dossier import DOSSIER, check_ending, write
    from shoal.dossiers import dossier
    from shoal.files.paths import new_target, secret_beside

    target = None if out is None else new_target(check_ending(out))
    talk.say("auditing and measuring" if original else "reading", quiet=quiet)
    made = dossier(release, recipient=recipient, original=original, secret=secret, options=reading.options())
    place = target or (secret or secret_beside(release)) / DOSSIER
    write(made, place, replace=target is None)
    missing = len(made.content["missing"])
    talk.say(f"dossier: {out or place} (internal; {missing} not examined; fill in and sign)", quiet=quiet)
    return made


def _results(
    release: Path, original: Path | None, secret: Path | None, reading: ReadFlags, *, quiet: bool
) -> "Results":
    from shoal.report.results import Results

    if original is not None:
        from shoal.files.paths import secret_beside
        from shoal.usefulness import utility

        talk.say("measuring what it is good for", quiet=quiet)
        found = utility(release, original=original, secret=secret, options=reading.options())
        found.keep(secret or secret_beside(release))
    return Results.of(release, secret)


def release_page(found: "Results", target: Path | None) -> Path:
    """Write the publisher's page, by default beside the other secrets."""
    from shoal.contract.files import PRIVATE_PAGE
    from shoal.report.release import private_page
    from shoal.report.write import write_page
    from shoal.usefulness.words import useful_for

    useful = useful_for(found.utility["figures"]) if found.utility else None
    return write_page(private_page(found, useful), target or found.secret / PRIVATE_PAGE, replace=target is None)


def _publish(release: Path, found: "Results") -> Path:
    from shoal.release.page import publish_page
    from shoal.report.release import public_page
    from shoal.report.write import page_bytes

    if found.audit is not None and not found.audit["ok"]:
        raise DataError("a release that failed its audit", expected="one that may be published", hint="see shoal audit")
    return publish_page(release, found.secret, page_bytes(public_page(found)))


def measure_document(folder: Path) -> "Document":
    """Make the page of a measure directory."""
    from shoal.measurement.binned import binned
    from shoal.measurement.words import meanings
    from shoal.report.measure import measure_page

    summary = _object(folder / "summary.json")
    return measure_page(summary, binned(folder), meanings(summary["kgap"]))


def comparison_document(folder: Path) -> "Document":
    """Make the page of a comparison."""
    from shoal.report.comparison import comparison_page, read_comparison
    from shoal.usefulness.within import Need

    told = _object(folder / "compare.json")
    need = str(Need(told["need"]["metres"], told["need"]["seconds"]))
    return comparison_page(read_comparison(folder), told["people"], told["sample"], need)


def census_document(folder: Path) -> "Document":
    """Make the page of a census."""
    from shoal.report.census import census_page
    from shoal.usefulness.sociometer.census import told_in

    return census_page(told_in(folder))


DOCUMENTS: "Mapping[str, Callable[[Path], Document]]" = {
    "measure": measure_document,
    "comparison": comparison_document,
    "census": census_document,
}


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json_.loads(path.read_bytes())
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise DataError(f"no readable {path.name}", expected="a directory of results", hint="make the results again")
    return found
