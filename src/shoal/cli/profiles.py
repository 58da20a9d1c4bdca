"""``shoal profiles build``: from call records to call profiles."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import DataSource, EngineFlags, Json, Quiet, ReadFlags, expand
from shoal.errors import counted

if TYPE_CHECKING:
    from shoal.data import Profiles, ReadReport

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Build call profiles from call records.")


@app.callback()
def _group() -> None:
    """Build call profiles from call records."""


@app.command()
@expand(engine=EngineFlags, reading=ReadFlags)
def build(
    data: DataSource,
    *,
    out: Annotated[Path, typer.Option(help="Parquet file to write (about people: keep it); must not exist.")],
    engine: EngineFlags,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Count for each person and municipality on which share of days there was a call.

    By week, weekday or weekend, and night (0-8), day (8-19) or evening (19-24) in the local time that --tz names.
    --cells names the municipality of each cell.

    Example: shoal profiles build calls/events.parquet --cells calls/cells.parquet --tz Europe/Rome --out p.parquet
    """
    import pyarrow.parquet as pq

    from shoal.data import build_profiles
    from shoal.files.durable import whole_file
    from shoal.files.paths import new_target

    target = new_target(out)
    with engine.elsewhere() as opened, talk.progress_bars(quiet=quiet or json) as progress:
        profiles, report = build_profiles(data, options=reading.options(), engine=opened, progress=progress)
    with whole_file(target) as file:
        pq.write_table(profiles.to_arrow(), file, compression="zstd")
    talk.say_left_out(report.ignored_columns, report.dropped, quiet=quiet or json)
    figures = figures_of(profiles, report)
    if json:
        talk.print_json(figures)
        return
    table = talk.table("Profiles", "", "")
    for name, value in figures.items():
        if isinstance(value, int):
            table.add_row(_WORDS.get(name, name), f"{value:,}")
    talk.out.print(table, "")
    _say_what_is_odd(figures, quiet=quiet)
    talk.say(f"written: {out} (about people: keep it to yourself)", quiet=quiet)


_WORDS = {
    "rows": "calls in the input",
    "records": "calls that keep the rules",
    "people": "people",
    "profiles": "profiles: a person in a municipality",
    "municipalities": "municipalities",
    "weeks": "weeks, Monday to Sunday",
    "days": "days, from the first call to the last",
    "copies": "calls that are there twice, and count once",
    "ends_after": "calls that end after the last day",
}


def figures_of(profiles: "Profiles", report: "ReadReport") -> dict[str, Any]:
    """Return what was found: counts, and names of weeks and cells."""
    building = report.building
    assert building is not None
    return {
        "rows": report.rows,
        "records": report.records,
        "people": len(profiles.ids),
        "profiles": len(profiles),
        "municipalities": len(profiles.municipalities.unique()),
        "weeks": profiles.weeks,
        "days": building.days,
        "copies": building.copies,
        "ends_after": building.ends_after,
        "weeks_without_calls": list(building.weeks_without_calls),
        "cells_without_days": list(building.cells_without_days),
        "ignored_columns": list(report.ignored_columns),
        "dropped": dict(report.dropped),
        "time_zone": report.time_zone,
    }


def _say_what_is_odd(figures: dict[str, Any], *, quiet: bool) -> None:
    empty = figures["weeks_without_calls"]
    if empty:
        talk.say(f"nobody called in week {', '.join(map(str, empty))}: its cells are 0", quiet=quiet)
    cells = figures["cells_without_days"]
    if cells:
        many = counted(len(cells), "cell has", "cells have")
        talk.say(f"{many} no day in the period, and are 0: {', '.join(cells)}", quiet=quiet)
