"""``shoal utility``: what a release is still good for."""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet, ReadFlags, expand

_ROWS = {
    "span_max_m": ("larger side of the box", 1000, "km"),
    "span_sum_m": ("both sides together", 1000, "km"),
    "span_s": ("duration of the box", 60, "min"),
    "position_error_m": ("place, from the middle of the box", 1000, "km"),
    "time_error_s": ("time, from the middle of the box", 60, "min"),
}


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
    """Tell how much was withheld, and how far the rest lies from the truth.

    Example: shoal utility release --original events.parquet --secret release.secret
    """
    from shoal.usefulness import utility as compare

    talk.say("reading", quiet=quiet or json)
    beside = release.with_name(release.name + ".secret")
    result = compare(release, original=original, secret=secret or beside, options=reading.options()).to_dict()
    if json:
        talk.print_json(result)
    else:
        show(result)


def show(result: dict[str, Any]) -> None:
    """Print what is left, and how accurate it is."""
    counts = talk.table("What is left", "", "")
    counts.add_row("people published", f"{result['people_published']:,}")
    counts.add_row("people suppressed", f"{result['people_suppressed']:,}")
    counts.add_row("samples deleted", f"{result['samples_deleted_share']:.1%}")
    counts.add_row("samples created", f"{result['samples_created']:,}")
    talk.out.print(counts, "")
    for part, title in (("per_sample", "How accurate, per raw sample"), ("per_box", "How accurate, per published box")):
        table = talk.table(title, "", "unit", "25 %", "median", "75 %", "mean", numbers_from=2)
        for name, (words, divisor, unit) in _ROWS.items():
            figures = result[part][name]
            values = (talk.number(figures[q] / divisor) for q in ("q25", "median", "q75", "mean"))
            table.add_row(words, unit, *values)
        talk.out.print(table, "")
