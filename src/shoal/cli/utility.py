"""``shoal utility``: what a release is still good for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.field import FIELD, near_enough, show_field
from shoal.cli.flags import Json, Quiet, ReadFlags, expand
from shoal.cli.memory import OF_A_PART, keep_what_is_freed
from shoal.files.paths import secret_beside
from shoal.pages.figures import SPREAD, spelled, unit_for, words_for
from shoal.usefulness.words import useful_for


@expand(reading=ReadFlags)
def utility(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Directory of the release.")],
    *,
    original: Annotated[Path, typer.Option(help="The data that the release was made from.")],
    secret: Annotated[Path | None, typer.Option(help="Its secret directory (default: RELEASE.secret).")] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell how much was withheld, and how far the rest lies from the truth; kept beside the secret for shoal report.

    Example: shoal utility release --original events.parquet --secret release.secret
    """
    from shoal.usefulness import utility as compare

    keep_what_is_freed(up_to=OF_A_PART)
    talk.say("reading", quiet=quiet or json)
    found = compare(release, original=original, secret=secret, options=reading.options())
    try:
        found.keep(secret or secret_beside(release))
    finally:  # what was measured is not lost because it cannot be written down
        if json:
            talk.print_json(found.to_dict())
        else:
            show(found.to_dict())


def show(result: Mapping[str, Any]) -> None:
    """Print what is left, and how accurate it is: in words, as numbers, and a table for each group of figures."""
    for words in (useful_for(result), near_enough(result)):
        if words:
            talk.out.print(words, "", markup=False)
    counts = talk.table("What is left", "", "")
    for name, value in result.items():
        if not isinstance(value, Mapping):
            counts.add_row(words_for(name), spelled(name, value))
    talk.out.print(counts, "")
    spreads = {name: value for name, value in result.items() if _is_spread(value)}
    if spreads:
        _show_spreads("How it is spread", spreads)
    for name, value in result.items():
        if not isinstance(value, Mapping) or _is_spread(value) or name in FIELD:
            continue
        if all(map(_is_spread, value.values())):
            _show_spreads(words_for(name), value)
            continue
        table = talk.table(words_for(name), "", "")
        for one, figure in value.items():
            table.add_row(words_for(one), spelled(one, figure))
        talk.out.print(table, "")
    show_field(result)


def _show_spreads(title: str, figures: Mapping[str, Mapping[str, float]]) -> None:
    table = talk.table(title, "", "unit", *SPREAD.values(), numbers_from=2)
    for name, values in figures.items():
        divisor, unit = unit_for(name, max(values.values()))
        table.add_row(words_for(name), unit, *(talk.number(values[key] / divisor) for key in SPREAD))
    talk.out.print(table, "")


def _is_spread(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() == SPREAD.keys()
