"""``shoal protect MECHANISM``: from data to a release and its secret directory. One command for each mechanism."""

import inspect
import json as parser
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import talk
from shoal.cli.flags import DataSource, EngineFlags, Json, Quiet, ReadFlags, expand
from shoal.cli.lazy import LazyGroup, command_of
from shoal.cli.memory import OF_A_PART, keep_what_is_freed
from shoal.contract.claims import claim_from
from shoal.contract.claims.advice import groups_of_two
from shoal.contract.files import MANIFEST
from shoal.data import Profiles, ReadReport
from shoal.files.leftovers import left_behind
from shoal.mechanisms import registry
from shoal.mechanisms.base import Mechanism
from shoal.mechanisms.options import options_of
from shoal.mechanisms.run import Written, protect
from shoal.release import Release
from shoal.release.ledger_file import DEFAULT_POPULATION
from shoal.release.spool import Spooled
from shoal.usefulness.words import boxes_in_words


class _Mechanisms(LazyGroup):
    """A command for each mechanism of the registry, with the options that its class declares."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return registry.names()

    def summary(self, name: str) -> str:
        return registry.find(name).summary

    def load(self, name: str) -> Any:
        return command_of(name, _function_for(registry.find(name)))


app = typer.Typer(
    cls=_Mechanisms, no_args_is_help=True, add_completion=False, help="Make a release: choose a mechanism."
)


@app.callback()
def _mechanisms() -> None:
    pass


@dataclass(frozen=True)
class ReleaseFlags:
    """Where the release goes and what is recorded about it."""

    out: Annotated[Path, typer.Option(help="Directory of the release; must not exist.", rich_help_panel="Output")]
    secret: Annotated[
        Path | None,
        typer.Option(
            help="Directory of what must not be published (default: RELEASE.secret).", rich_help_panel="Output"
        ),
    ] = None
    ledger: Annotated[
        Path | None,
        typer.Option(help="Ledger of earlier releases, instead of yours.", rich_help_panel="Output"),
    ] = None
    population: Annotated[
        str,
        typer.Option(
            help="Whose identifiers these are: equal ones of other populations are other people.",
            metavar="NAME",
            rich_help_panel="Output",
        ),
    ] = DEFAULT_POPULATION
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Release people again whom the ledger knows at that time.",
            rich_help_panel="Output",
        ),
    ] = False
    threads: Annotated[
        str | None,
        typer.Option(help="Threads to use (default: all processors).", metavar="N", rich_help_panel="Output"),
    ] = None
    not_for_release: Annotated[
        bool,
        typer.Option("--not-for-release", help="Stamp the manifest; allows --seed.", rich_help_panel="Output"),
    ] = False
    seed: Annotated[
        int | None, typer.Option(help="Repeatable; only with --not-for-release.", rich_help_panel="Output")
    ] = None


def _function_for(mechanism: type[Mechanism]) -> Callable[..., None]:
    """Write the function of a mechanism's command: its signature follows from what the class declares."""

    def command(
        data: DataSource,
        *,
        target: ReleaseFlags,
        engine: EngineFlags,
        reading: ReadFlags,
        json: Json = False,
        quiet: Quiet = False,
        **typed: Any,
    ) -> None:
        parameters = {
            name: option.parsed(typed[name]) for name, option, _ in options_of(mechanism) if typed[name] is not None
        }
        written = run(mechanism(**parameters), data, reading, target, engine, quiet=quiet or json)
        if json:
            talk.print_json(result_of(written))

    file = "profiles.parquet" if mechanism.takes is Profiles else "events.parquet"
    command.__doc__ = (
        f"{mechanism.summary}\n\nExample: shoal protect {mechanism.name} {file} {mechanism.example} --out release"
    )
    return expand(more=_parameters_of(mechanism), target=ReleaseFlags, engine=EngineFlags, reading=ReadFlags)(command)


def _parameters_of(mechanism: type[Mechanism]) -> list[inspect.Parameter]:
    """Options as text: what is wrong with a value is said by the class, as in Python."""
    of_all = {field.name for field in fields(Mechanism)}
    found = []
    for name, option, default in options_of(mechanism):
        panel = "Input" if name in of_all else None
        about = typer.Option(help=option.help, metavar=option.unit, rich_help_panel=panel)
        kind: Any = str | None if default is None else str
        annotation = Annotated[kind, about]
        found.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_as_text(default), annotation=annotation)
        )
    return found


def _as_text(default: Any) -> Any:
    """Spell a default as somebody would type it."""
    if default is MISSING:
        return inspect.Parameter.empty
    return f"{default:g}" if isinstance(default, int | float) else default


def run(
    mechanism: Mechanism, data: str, reading: ReadFlags, target: ReleaseFlags, engine: EngineFlags, *, quiet: bool
) -> Written:
    """Protect, write, and tell."""
    if getattr(mechanism, "partition", None):
        keep_what_is_freed(up_to=OF_A_PART)
    tell_what_was_left_behind(target.out, target.secret, quiet=quiet)

    def on_read(report: ReadReport) -> None:
        talk.say_left_out(report.ignored_columns, report.dropped, quiet=quiet)

    talk.say("reading", quiet=quiet)
    with engine.opened(target.threads) as opened, talk.progress_bars(quiet=quiet) as progress:
        written = protect(
            data,
            mechanism,
            target.out,
            grid=reading.grid(),
            options=reading.options(),
            on_read=on_read,
            secret=target.secret,
            ledger=target.ledger,
            population=target.population,
            again=target.again,
            not_for_release=target.not_for_release,
            seed=target.seed,
            engine=opened,
            progress=progress,
        )
    tell(written, quiet=quiet)
    return written


def tell(written: Written, *, quiet: bool) -> None:
    """Say what was withheld, what is promised, and where everything lies."""
    for row in _withheld(written.release):
        parts = [f"{row[what]:,} {what} of " for what in _COUNTED.values() if row.get(what)]
        talk.say(f"withheld ({row['reason']}): {''.join(parts)}{row['people']:,} people", quiet=quiet)
    for remark in written.release.remarks:
        talk.say(remark, quiet=quiet)
    _tell_what_was_kept(written.release, quiet=quiet)
    claim = claim_from(written.release.manifest["promise"]["claim"])
    two = None if claim is None else groups_of_two(claim)
    if two:
        talk.say(two, quiet=quiet)
    talk.say(f"promise: {written.release.manifest['promise']['holds']}", quiet=quiet)
    talk.say(f"release: {written.path}", quiet=quiet)
    talk.say(f"secret:  {written.secret} (keep it to yourself)", quiet=quiet)


def result_of(written: Written) -> dict[str, Any]:
    """Return the same for programs: the manifest as published, what was withheld, and where everything lies."""
    return {
        "release": str(written.path),
        "secret": str(written.secret),
        "manifest": parser.loads((written.path / MANIFEST).read_bytes()),
        "withheld": _withheld(written.release),
        "remarks": list(written.release.remarks),
    }


def _tell_what_was_kept(release: Release, *, quiet: bool) -> None:
    """Say how large boxes are, and warn where they are of little use; other kinds need the original for that."""
    if {"t_start", "t_end"} <= set(release.rows.schema.names) and release.rows.num_rows:
        table = release.rows.some(_ROWS_LOOKED_AT) if isinstance(release.rows, Spooled) else release.rows
        bounds = {name: table[name].to_numpy() for name in ("t_start", "t_end", "x_min", "x_max", "y_min", "y_max")}
        for line in boxes_in_words(**bounds):
            talk.say(line, quiet=quiet)
    else:
        talk.say("how near this is to the truth: shoal utility RELEASE --original DATA", quiet=quiet)


def tell_what_was_left_behind(out: Path, secret: Path | None, *, quiet: bool) -> None:
    """Name what killed runs left where this one writes: it may be raw enough to harm somebody."""
    folders = {path.absolute().parent for path in (out, secret or out)}
    for folder in sorted(folders):
        for part in left_behind(folder):
            talk.say(f"left by a run that was killed: {part}; remove it with: shoal clean {folder}", quiet=quiet)


_ROWS_LOOKED_AT = 2_000_000
"""Of a release that is too large for memory, to say how large its boxes are."""

_COUNTED = {"t": "samples", "municipality": "profiles"}
"""What a row of the list of suppressed ones stands for, by the column that says so."""


def _withheld(release: Release) -> list[dict[str, Any]]:
    """Count what was withheld, by reason."""
    listed = release.secret.suppressed
    if not listed.num_rows:
        return []  # also spares Arrow's engine for tables, which takes a while to load
    columns = [name for name in _COUNTED if name in listed.column_names]
    withheld = listed.group_by(["reason"], use_threads=False).aggregate(
        [("original_uid", "count_distinct"), *((name, "count") for name in columns)]
    )
    return [
        {"reason": row["reason"], "people": row["original_uid_count_distinct"]}
        | {_COUNTED[name]: row[f"{name}_count"] for name in columns}
        for row in withheld.to_pylist()
    ]
