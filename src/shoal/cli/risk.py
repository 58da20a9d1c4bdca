"""``shoal risk``: how much would somebody's knowledge give away of each person?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import EngineFlags, Json, Quiet, ReadFlags, expand, real_number, whole_number
from shoal.errors import ParameterError, counted

_DECILES = (1, 3, 5, 7, 9)
"""Those that a line has room for, without the extremes."""

_UNTIMED = "no times are known in this attack; --minutes changes nothing"


@expand(engine=EngineFlags, reading=ReadFlags)
def risk(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Data as for inspect, a release, or profiles.")],
    *,
    attack: Annotated[
        str,
        typer.Option(
            help="unicity, location, sequence, location-time, unique-location, frequency, probability, proportion, "
            "home-work or profile."
        ),
    ],
    size: Annotated[
        str | None,
        typer.Option(help="How many records or places are known, or all; not for home-work.", metavar="S|all"),
    ] = None,
    cell_m: Annotated[
        str | None, typer.Option(help="Places are cells of so many metres; else exact coordinates.", metavar="N")
    ] = None,
    minutes: Annotated[
        str | None, typer.Option(help="Precision of known times; 60 where it is not given.", metavar="N")
    ] = None,
    targets: Annotated[
        str | None, typer.Option(help="Attack so many people at random; else everybody.", metavar="N")
    ] = None,
    tolerance: Annotated[
        str, typer.Option(help="Frequency, probability, proportion: share by which values may differ.", metavar="X")
    ] = "0",
    weeks: Annotated[
        str | None, typer.Option(help="profile: the first N weeks are known, instead of a size.", metavar="N")
    ] = None,
    any_weeks: Annotated[
        bool, typer.Option("--any-weeks", help="profile: any N of the weeks, whichever give most away.")
    ] = False,
    known: Annotated[
        str | None, typer.Option(help="profile: these cells are known: w1_weekday_day,…", metavar="CELL,…")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Parquet file for the risk of each person (keep it); must not exist.")
    ] = None,
    engine: EngineFlags,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Attack people with what somebody may know: a person's risk is 1 / people who match.

    Example: shoal risk events.parquet --attack location --size 3 --out risk.parquet
    """
    from shoal.attacks.assess import risk as run
    from shoal.files.paths import new_target

    if size is None and attack != "home-work" and weeks is None and known is None:
        raise typer.BadParameter("give --size, a number or all")
    if out is not None:
        new_target(out)
    asked: dict[str, Any] = {
        "size": "all" if size in (None, "all") else _size(str(size)),
        "cell_m": None if cell_m is None else whole_number("--cell-m", cell_m),
        "minutes": None if minutes is None else whole_number("--minutes", minutes),
        "targets": None if targets is None else whole_number("--targets", targets),
        "tolerance": real_number("--tolerance", tolerance),
        "weeks": None if weeks is None else whole_number("--weeks", weeks),
        "any_weeks": any_weeks,
        "known": None if known is None else tuple(name for name in known.split(",") if name),
    }
    talk.say("reading and attacking", quiet=quiet or json)
    with engine.elsewhere() as elsewhere, talk.progress_bars(quiet=quiet or json) as progress:
        result = run(data, attack, **asked, options=reading.options(), engine=elsewhere, progress=progress)
    talk.say_left_out(result.summary.get("ignored_columns", []), result.summary.get("dropped", {}), quiet=quiet or json)
    if minutes is not None and result.summary["minutes"] is None:
        talk.say(_UNTIMED, quiet=quiet or json)
    if out is not None:
        result.write(out)
    if json:
        talk.print_json(result.summary)
    else:
        _show(result.summary)
    if out is not None:
        talk.say(f"written: {out} (about people: keep it to yourself)", quiet=quiet or json)


def _size(text: str) -> int:
    try:
        return whole_number("--size", text)
    except ParameterError:
        raise ParameterError(
            f"--size {text}", expected="a whole number, 1 or more, or all", hint="for example --size 3"
        ) from None


def _known(summary: dict[str, Any]) -> str:
    """Say what is known, in words."""
    known = summary.get("known")
    if not known:
        return f"size {summary['size']}"
    if known["cells"]:
        return counted(len(known["cells"]), "given cell", "given cells")
    return ("any " if known["any_weeks"] else "the first ") + counted(known["weeks"], "week", "weeks")


def _show(summary: dict[str, Any]) -> None:
    title = f"Risk by {summary['attack']}, {_known(summary)}"
    table = talk.table(title, "", *(f"{10 * i} %" for i in _DECILES))
    settled = "deciles_at_most" not in summary
    table.add_row("risk at most" if settled else "found", *(talk.number(summary["deciles"][i]) for i in _DECILES))
    if not settled:
        table.add_row("cannot exceed", *(talk.number(summary["deciles_at_most"][i]) for i in _DECILES))
    talk.out.print(table, "")
    interval = summary["share_at_1_interval"]
    between = f" ({interval[0]:.1%}–{interval[1]:.1%})" if interval else ""
    facts = talk.table("People", "", "")
    facts.add_row("attacked", f"{summary['attacked']:,} of {summary['people']:,}")
    facts.add_row("at risk 1: nobody else matches", f"{summary['share_at_1']:.1%}{between}")
    for k in ("10", "100"):
        facts.add_row(f"above 1/{k}: fewer than {k} match", f"{summary['share_above_1_in'][k]:.1%}")
    facts.add_row("mean risk", talk.number(summary["mean"]))
    facts.add_row("risk without any knowledge", talk.number(summary["baseline"]))
    if summary["share_exact"] is not None:
        facts.add_row("risks that are exact", f"{summary['share_exact']:.1%}")
    talk.out.print(facts, "")
    if "unicity" in summary:
        published = summary["published"]
        curve = talk.table("Alone with random points", "points", "people", "95 % interval")
        for row in summary["unicity"]:
            unique = row["unique"]
            curve.add_row(str(row["points"]), f"{unique['share']:.1%}", f"{unique['low']:.1%}–{unique['high']:.1%}")
        talk.out.print(curve)
        words = (
            f"for comparison, a paper's figure about other data: {published['points']} points single out "
            f"{published['share']:.0%} ({published['of']})"
        )
        talk.out.print(words, "", markup=False)
