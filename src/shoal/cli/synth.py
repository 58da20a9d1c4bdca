"""``shoal synth cdr|gps|calls``: synthetic people to try everything on."""

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from shoal.cli import talk
from shoal.cli.flags import Json, Quiet, whole_number
from shoal.errors import ParameterError
from shoal.files.durable import PUBLIC_FILE, new_file, whole_file
from shoal.files.paths import new_target
from shoal.files.publish import Folder, publish

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.synth import Statistic

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Make synthetic people, reproducible from a seed.")

Users = Annotated[str, typer.Option(help="How many people.", metavar="N")]
Days = Annotated[str, typer.Option(help="How many days.", metavar="N")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same data.")]
OutFile = Annotated[Path, typer.Option(help="Parquet file to write; must not exist.")]


@app.command()
def cdr(
    *,
    users: Users,
    days: Days = "14",
    out: Annotated[Path | None, typer.Option(help="Parquet file to write; must not exist.")] = None,
    preset: Annotated[str, typer.Option(help="civ, sen, abidjan, dakar or shanghai.")] = "civ",
    seed: Seed = 0,
    check: Annotated[bool, typer.Option("--check", help="Print target beside measured for each statistic.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Call records at antennas, calibrated to the papers' printed statistics.

    Example: shoal synth cdr --preset civ --users 2000 --days 14 --out events.parquet --check
    """
    from shoal import synth

    if out is None and not check:
        raise ParameterError("neither --out nor --check", expected="something to do", hint="add --out FILE.parquet")
    if out is not None:
        new_target(out)
    people, length = whole_number("--users", users), whole_number("--days", days)
    with talk.progress_bars(quiet=quiet) as progress:
        table = synth.cdr(people, length, preset=preset, seed=seed, progress=progress)
        if out is not None:
            _write_files({out: table})
            talk.say(f"{table.num_rows:,} events of {people:,} people: {out}", quiet=quiet)
        statistics = synth.check(table, preset, people, length) if check else []
        if check and people > 1:
            from shoal.reproduce.calibration import hiding_statistics

            statistics += hiding_statistics(table, preset, people, seed=seed, progress=progress)
    if check:
        show_check(statistics, json=json)
    elif json and out is not None:
        talk.print_json({"people": people, "rows": table.num_rows, "files": [str(out)]})


@app.command()
def gps(*, users: Users, days: Days, out: OutFile, seed: Seed = 0, json: Json = False, quiet: Quiet = False) -> None:
    """Dense GPS traces with stays and trips along streets, and the true homes and stays beside them.

    Example: shoal synth gps --users 50 --days 7 --out gps.parquet
    """
    from shoal import synth

    truth = out.with_suffix(".truth.parquet")
    for path in (out, truth):
        new_target(path)
    people, length = whole_number("--users", users), whole_number("--days", days)
    with talk.progress_bars(quiet=quiet) as progress:
        data = synth.gps(people, length, seed=seed, progress=progress)
        _write_files({out: data.points, truth: data.truth})
    talk.say(f"{data.points.num_rows:,} points: {out}\nhomes and stays: {truth}", quiet=quiet)
    if json:
        talk.print_json({"people": people, "rows": data.points.num_rows, "files": [str(out), str(truth)]})


@app.command()
def calls(
    *,
    users: Users,
    weeks: Annotated[str, typer.Option(help="How many whole weeks.", metavar="N")],
    out: Annotated[Path | None, typer.Option(help="Directory to write; must not exist.")] = None,
    preset: Annotated[
        str, typer.Option(help="tuscany: like the paper's people; easy: many, even calls, hardly to be mistaken.")
    ] = "tuscany",
    city: Annotated[bool, typer.Option("--city", help="Two thirds of all live in one large municipality.")] = False,
    seed: Seed = 0,
    check: Annotated[bool, typer.Option("--check", help="Print target beside measured for each statistic.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Call records over municipalities, with everybody's true class in a file of its own.

    Example: shoal synth calls --users 500 --weeks 4 --out calls
    """
    from shoal import synth

    if out is None and not check:
        raise ParameterError("neither --out nor --check", expected="something to do", hint="add --out DIRECTORY")
    target = None if out is None else new_target(out)
    people, length = whole_number("--users", users), whole_number("--weeks", weeks)
    with talk.progress_bars(quiet=quiet) as progress:
        data = synth.calls(people, length, preset=preset, city=city, seed=seed, progress=progress)
        if target is not None:
            tables = {
                "events": data.events,
                "cells": data.cells,
                "municipalities": data.municipalities,
                "truth": data.truth,
            }
            publish([Folder(target, public=True)], lambda folder: _write_parts(folder, tables))
    if out is not None:
        talk.say(f"{data.events.num_rows:,} calls, cells, municipalities and truth: {out}", quiet=quiet)
    if check:
        show_check(synth.check_calls(data, preset, length), json=json)
    elif json and target is not None:
        talk.print_json({"people": people, "rows": data.events.num_rows, "files": sorted(map(str, target.iterdir()))})


def show_check(statistics: "list[Statistic]", *, json: bool = False) -> None:
    """Print target beside measured."""
    if json:
        talk.print_json([asdict(s) | {"within": s.within} for s in statistics])
        return
    headings = ("statistic", "unit", "target", "measured", "off by", "")
    shown = talk.table("Target beside measured", *headings, numbers_from=2)
    notes = list(dict.fromkeys(s.note for s in statistics if s.note))
    for s in statistics:
        off = f"{s.measured / s.target - 1:+.1%}" if s.target else ""
        verdict = {True: "ok", False: "OFF", None: ""}[s.within]
        mark = f"[{notes.index(s.note) + 1}]" if s.note else ""
        target = "" if s.target is None else talk.number(s.target)
        shown.add_row(s.name, s.unit, target, talk.number(s.measured), off, escape(f"{verdict} {mark}".strip()))
    talk.out.print(shown)
    for i, note in enumerate(notes, 1):
        talk.out.print(f"[{i}] {note}", markup=False)


def _write_files(tables: "dict[Path, pa.Table]") -> None:
    """Write all of them before the first appears under its name."""
    import pyarrow.parquet as pq

    with ExitStack() as stack:
        for path, table in tables.items():
            pq.write_table(table, stack.enter_context(whole_file(path, PUBLIC_FILE)), compression="zstd")


def _write_parts(folder: Path, tables: "dict[str, pa.Table]") -> None:
    import pyarrow.parquet as pq

    for name, table in tables.items():
        with new_file(folder / f"{name}.parquet") as file:
            pq.write_table(table, file, compression="zstd")
