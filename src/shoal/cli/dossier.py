"""``shoal report --dossier``: what those who sign a release need."""

import json as json_
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import ParameterError
from shoal.files.durable import whole_file

if TYPE_CHECKING:
    from shoal.dossiers import Dossier

DOSSIER = "dossier.html"
"""Its name in the secret directory, unless somebody wants another."""

_ENDINGS = (".html", ".md", ".json")


def check_ending(out: Path) -> Path:
    """Refuse a file whose name does not tell what to write."""
    if out.suffix not in _ENDINGS:
        raise ParameterError(
            f"a file that ends in '{out.suffix}'",
            expected=".html, .md or .json",
            hint="the ending tells what is written",
        )
    return out


def write(made: "Dossier", target: Path, *, replace: bool) -> None:
    """Write a dossier as the ending of its file says, for the owner alone."""
    text = json_.dumps(made.to_dict(), indent=2, ensure_ascii=False) + "\n"
    if target.suffix != ".json":
        text = made.to_html() if target.suffix == ".html" else made.to_markdown()
    with whole_file(target, replace=replace) as file:
        file.write(text.encode())
