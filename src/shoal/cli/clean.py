"""``shoal clean``: remove what killed runs left behind."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet


def clean(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where releases were to be written (default: here).")
    ] = Path(),
    *,
    ledger: Annotated[Path | None, typer.Option(help="Ledger of earlier releases, instead of yours.")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Remove what runs left behind that were killed before they could clean up: hidden .shoal-….part.

    Runs that are still going on are left alone. A ledger entry whose release never became visible is taken back.

    Example: shoal clean .
    """
    from shoal.errors import DataError
    from shoal.files.leftovers import left_behind, remove_all
    from shoal.release import Ledger

    if not folder.is_dir():
        raise DataError("no such directory", expected="a directory to clean", hint="give the one that holds --out")
    removed = Ledger(ledger).clean() + remove_all(left_behind(folder))
    if json:
        talk.print_json({"removed": [str(part) for part in removed]})
        return
    for part in removed:
        talk.say(f"removed: {part}", quiet=quiet)
    if not removed:
        talk.say("nothing was left behind", quiet=quiet)
