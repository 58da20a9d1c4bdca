"""``shoal choose``: which mechanism, with which parameters, for the accuracy that somebody needs."""

import shlex
import textwrap
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.choosing.choose import Choice
from shoal.cli import talk
from shoal.cli.flags import DataPath, Json, Quiet, ReadFlags, expand, whole_number


@expand(reading=ReadFlags)
def choose(
    data: DataPath,
    *,
    need: Annotated[str, typer.Option(help="A distance and a time that are near enough.", metavar="NEED")],
    share: Annotated[
        str, typer.Option("--for", help="Share of all raw samples that shall be that near.", metavar="SHARE")
    ] = "50%",
    lose: Annotated[str | None, typer.Option(help="Share of samples that may be left out.", metavar="SHARE")] = None,
    against: Annotated[
        str,
        typer.Option(
            help="What the attacker knows or looks for: whole, points, window, stops, place.", metavar="ATTACKER,…"
        ),
    ] = "",
    people: Annotated[
        str | None, typer.Option(help="Try on so many people (default: 2,000, or all).", metavar="N")
    ] = None,
    reading: ReadFlags,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the strongest promise that keeps the accuracy you need, or say that there is none and what would help.

    Example: shoal choose events.parquet --need "500 m, 30 min" --for 50% --lose 5%
    """
    from shoal.choosing.choose import Wish, check_attackers
    from shoal.choosing.choose import choose as run
    from shoal.choosing.need import parse_need, parse_share
    from shoal.choosing.people import Source

    wish = Wish(
        parse_need(need),
        parse_share("--for", share),
        None if lose is None else parse_share("--lose", lose),
        check_attackers([name.strip() for name in against.split(",") if name.strip()]),
    )
    some = whole_number("--people", people, at_least=2) if people else None
    talk.say("reading", quiet=quiet or json)
    with talk.progress_bars(quiet=quiet or json) as progress:
        source = Source(data, reading.grid(), reading.options(), progress)
        found = run(source, wish, people=some, progress=progress)
    command = _command(found, data, reading)
    if json:
        talk.print_json(_to_dict(found, command))
    else:
        show(found, command)


def show(found: Choice, command: str | None) -> None:
    """Print what was tried, the answer, why, and the command."""
    from shoal.choosing.words import kept, whys

    table = talk.table(f"Within {found.wish.need}, the strongest promise first", "", "kept", "left out", "promise")
    for one in found.candidates:
        lost = f"{one.lost:.1%}" if one.row.foretold else "–"
        mark = "→ " if one is found.chosen else "  "
        table.add_row(mark + one.setting.words, kept(one), lost, one.claim.name)
    talk.out.print(table, "")
    for line in whys(found):
        point = textwrap.fill(line, talk.out.width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
        talk.out.print(point, markup=False, soft_wrap=True)
    if command:
        talk.out.print("", "Type:", "", sep="\n", end="")
        talk.out.print(f"  {command}", markup=False, soft_wrap=True)


def _command(found: Choice, data: Path, reading: ReadFlags) -> str | None:
    """Spell the command that makes the release, with the input options that were given."""
    if found.chosen is None:
        return None
    setting = found.chosen.setting
    given = [
        f"--{field.name.replace('_', '-')}" + ("" if value is True else f" {shlex.quote(str(value))}")
        for field in fields(reading)
        if (value := getattr(reading, field.name)) != field.default
    ]
    typed = ["shoal protect", setting.mechanism, shlex.quote(str(data)), setting.options, *given, "--out release"]
    return " ".join(filter(None, typed))


def _to_dict(found: Choice, command: str | None) -> dict[str, Any]:
    from shoal.choosing.words import whys

    return {
        "need": {"metres": found.wish.need.metres, "seconds": found.wish.need.seconds},
        "for": found.wish.share,
        "lose": found.wish.lose,
        "against": list(found.wish.against),
        "nature": found.nature.name,
        "people": found.people,
        "sample": found.sample,
        "candidates": [
            {
                "mechanism": one.setting.mechanism,
                "parameters": dict(one.setting.parameters),
                "claim": one.claim.to_dict(),
                "meets": one.meets(found.wish),
                "lost": one.lost if one.row.foretold else None,
                "foretold": None if one.row.foretold is None else one.row.foretold._asdict(),
                "refused": one.row.figures.get("refused"),
            }
            for one in found.candidates
        ],
        "chosen": None if found.chosen is None else found.candidates.index(found.chosen),
        "command": command,
        "why": whys(found),
    }
