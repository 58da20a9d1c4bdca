"""``shoal compare``: several mechanisms on the same data, in one table."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.choosing.compare import Comparison
from shoal.cli import talk
from shoal.cli.flags import DataPath, Json, Quiet, ReadFlags, expand, whole_number
from shoal.errors import ParameterError
from shoal.recipes.recipe import Recipe, load


@expand(reading=ReadFlags)
def compare(
    data: DataPath,
    *,
    out: Annotated[Path, typer.Option(help="Directory for table and pieces (keep it); run again to go on.")],
    people: Annotated[
        str | None, typer.Option(help="On so many people, drawn at random (default: 2,000, or all).", metavar="N")
    ] = None,
    mechanisms: Annotated[
        str, typer.Option(help="Those to run (default: what suits such data).", metavar="NAME,…")
    ] = "",
    recipe: Annotated[
        Path | None,
        typer.Option(help="How to read, and what to run: its \\[protect], and every \\[\\[compare]].", metavar="FILE"),
    ] = None,
    need: Annotated[
        str, typer.Option(help="What counts as near: a distance and a time.", metavar="NEED")
    ] = "500 m, 30 min",
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run several mechanisms on the same data: privacy by attacker, utility by measure, time, in one table.

    With a recipe, the data are read as it says.

    Example: shoal compare events.parquet --people 1000 --out compared
    """
    from shoal.choosing.compare import compare as run
    from shoal.choosing.compare import to_dict
    from shoal.choosing.need import parse_need
    from shoal.choosing.people import Source
    from shoal.choosing.settings import Setting
    from shoal.mechanisms import registry

    wanted = parse_need(need)
    written = _written(recipe, mechanisms, reading) if recipe else None
    names = [name.strip() for name in mechanisms.split(",") if name.strip()]
    for name in names:
        registry.find(name)
    some = whole_number("--people", people, at_least=2) if people else None
    talk.say("reading", quiet=quiet or json)
    with talk.progress_bars(quiet=quiet or json) as progress:
        grid, options = (written.input.grid, written.input.options) if written else (reading.grid(), reading.options())
        source = Source(data, grid, options, progress)
        settings = [Setting(*one) for one in written.compare] if written else ()
        found = run(source, out, mechanisms=names, settings=settings, people=some, need=wanted, progress=progress)
    if json:
        talk.print_json(to_dict(found))
    else:
        show(found)
    talk.say(f"all figures: {out} (about people: keep it to yourself)", quiet=quiet or json)


def _written(recipe: Path, mechanisms: str, reading: ReadFlags) -> Recipe:
    """Read the recipe, which says what other options would say again."""
    if mechanisms or reading != ReadFlags():
        raise ParameterError(
            "--recipe beside --mechanisms or options of reading",
            expected="one place that says how to read and what to run",
            hint="write them into the recipe, or leave it out",
        )
    return load(recipe)


def show(found: Comparison) -> None:
    """Print the table, and what it does not say."""
    from shoal.choosing.table import HEAD, cells_of

    talk.out.print(f"{found.sample:,} of {found.people:,} people: {found.nature.words}.", "", markup=False)
    table = talk.table("Side by side", *HEAD, gap=2)
    for row in found.rows:
        table.add_row(*cells_of(row))
    talk.out.print(table, "")
    for line in _notes(found):
        talk.out.print(line, markup=False)


def _notes(found: Comparison) -> list[str]:
    notes = [
        "points, whole: singled out by who knows some moments, or all of a life.",
        f"near: raw samples within {found.need} of what is published"
        + (", all people, foretold." if found.sample < found.people else "."),
        "visits, flows, hours: Jensen–Shannon divergence, 0 equal, 1 nothing in common.",
    ]
    for row in found.rows:
        name = row.setting.words
        if "refused" in row.figures:
            notes.append(f"{name}: cannot be run on these data: {talk.as_options(row.figures['refused'])}")
        elif row.figures["audit"]["failed"]:
            notes.append(f"* {name}: the audit failed: {', '.join(row.figures['audit']['failed'])}")
        elif row.foretold and row.setting.type.in_a_crowd and found.sample < found.people:
            here = row.figures["need"]["share"]
            notes.append(
                f"{name}: near {here:.1%} among {found.sample:,} people, "
                f"{row.foretold.share:.1%} ± {row.foretold.error:.1%} among all {found.people:,}, from smaller crowds."
            )
    if any("need" not in row.figures and "refused" not in row.figures for row in found.rows):
        notes.append("Profiles have no metres: see the files for how far values are off.")
    return notes
