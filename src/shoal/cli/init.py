"""``shoal init``: a first recipe for data."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import talk
from shoal.cli.flags import DataPath, Json, Quiet, ReadFlags, expand


@expand(reading=ReadFlags)
def init(
    data: DataPath,
    *,
    out: Annotated[Path, typer.Option(help="Recipe to write; must not exist.", metavar="RECIPE.toml")],
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a recipe for data: how to read them, and a mechanism to begin with. Look through it, then run it.

    Example: shoal init events.parquet --out recipe.toml
    """
    from shoal.files.durable import PUBLIC_FILE, whole_file
    from shoal.files.paths import new_target
    from shoal.recipes.draft import draft
    from shoal.recipes.recipe import parse

    target = new_target(out)
    talk.say("reading", quiet=quiet or json)
    with talk.progress_bars(quiet=quiet or json) as progress:
        text = draft(data, target, reading.options(), reading.grid(), progress)
    recipe = parse(text.encode(), target)
    with whole_file(target, PUBLIC_FILE) as file:
        file.write(text.encode())
    if json:
        talk.print_json({"recipe": str(out), "mechanism": recipe.mechanism.name, "text": text})
        return
    talk.say(f"a recipe with {recipe.mechanism.name}: {out}", quiet=quiet)
    talk.say(f"look through it, then: shoal run {out} --dry-run", quiet=quiet)
