"""``shoal inspect``: what is in the data, and what is wrong with it."""

from collections.abc import Sequence

from shoal.choosing.settings import suiting
from shoal.cli import talk
from shoal.cli.flags import DataSource, EngineFlags, Json, Quiet, ReadFlags, expand
from shoal.measurement.nature import NATURES
from shoal.measurement.overview import QUANTILES, Overview, overview
from shoal.mechanisms import registry


@expand(engine=EngineFlags, reading=ReadFlags)
def inspect(
    data: DataSource, *, engine: EngineFlags, reading: ReadFlags, json: Json = False, quiet: Quiet = False
) -> None:
    """Tell what is in the data and what is wrong with it, before anything else.

    Rows that break a rule are counted, not shown, and nothing is written.

    Example: shoal inspect events.parquet
    """
    talk.say("reading", quiet=quiet or json)
    with engine.elsewhere() as opened, talk.progress_bars(quiet=quiet or json) as progress:
        result = overview(data, grid=reading.grid(), options=reading.options(), engine=opened, progress=progress)
    if json:
        said = {"remarks": _said(result.remarks), "stoppers": _said(result.stoppers)}
        talk.print_json(result.to_dict() | said | {"suits": suiting(result.nature)})
    else:
        show(result)
        show_suiting(result.nature)


def show(result: Overview) -> None:
    """Print the tables."""
    counts = talk.table("What is in it", "", "")
    for name, value in (
        ("people", f"{result.people:,}"),
        ("records", _records(result)),
        ("samples (records on the grid, each once)", f"{result.samples:,}"),
        ("distinct places", f"{result.places:,}"),
        ("days (UTC)", f"{result.first_day} to {result.last_day} ({_days(result.days)})"),
        ("time zone", result.time_zone),
    ):
        if value is not None:
            counts.add_row(name, value)
    talk.out.print(counts, "")
    spreads = talk.table("How it is spread", "", *(f"{q} %" for q in QUANTILES), "mean")
    for name, spread in result.spreads.items():
        spreads.add_row(name, *(talk.number(v) for v in spread.quantiles), talk.number(spread.mean))
    talk.out.print(spreads, "")
    for title, lines, nothing in (
        ("Worth knowing", result.remarks, ()),
        ("What would stop a release", result.stoppers, ("nothing found",)),
    ):
        if lines or nothing:
            talk.out.print(f"[bold]{title}[/]")
            for line in _said(lines or nothing):
                talk.out.print(f"  {line}", markup=False)
            talk.out.print()


def show_suiting(nature: str) -> None:
    """Say what sort of data these are, and which mechanisms are made for them."""
    talk.out.print("[bold]What suits such data[/]")
    talk.out.print(f"  {NATURES[nature]}", markup=False)
    table = talk.table("", "", "", numbers_from=2)
    table.title, table.show_header = None, False
    for name in suiting(nature):
        table.add_row(f"  {name}", registry.find(name).summary)
    talk.out.print(table)
    talk.out.print('  which of them, and how: shoal choose DATA --need "500 m, 30 min"', markup=False)


def _days(days: float) -> str:
    return f"{days:g} {'day' if days == 1 else 'days'}"


def _records(result: Overview) -> str | None:
    if result.records is None:
        return None
    return f"{result.records:,}" + (f" of {result.rows:,} rows" if result.rows != result.records else "")


def _said(lines: Sequence[str]) -> list[str]:
    """Spell parameters as options."""
    return [talk.as_options(line) for line in lines]
