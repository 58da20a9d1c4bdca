"""Options that many commands share, declared once.

Typer reads a command's signature; :func:`expand` writes the fields of a flags class into it, and hands the command
one object back.
"""

import functools
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from shoal.data.grid import Grid
from shoal.data.options import ReadOptions, help_of
from shoal.data.read import ReadReport, read_with_report
from shoal.data.schemas import parse_columns
from shoal.data.traces import Traces
from shoal.errors import ParameterError
from shoal.progress import Progress

if TYPE_CHECKING:
    from shoal.engines import Engine

DataPath = Annotated[
    Path,
    typer.Argument(
        metavar="DATA", help="Parquet, CSV, CSV.gz, a directory of such parts, or a quoted pattern: 'events-*.csv'."
    ),
]
DataSource = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Parquet, CSV, CSV.gz, a directory of such parts, or a quoted pattern: 'events-*.csv'; on Spark also what "
        "it reads itself, such as s3a://bucket/events.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on stderr but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def _input(help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Input")


@dataclass(frozen=True)
class ReadFlags:
    """How to understand the input."""

    columns: Annotated[str, _input(f"{help_of('columns')[:-1]}: uid=user,datetime=ts,…")] = ""
    schema: Annotated[str | None, _input(help_of("schema"))] = None
    cells: Annotated[Path | None, _input(help_of("cells"))] = None
    cells_columns: Annotated[str, _input(f"{help_of('cells_columns')[:-1]}: cell=site,lat=y,lng=x.")] = ""
    tz: Annotated[str | None, _input(help_of("tz"))] = None
    person: Annotated[str | None, _input(help_of("person"))] = None
    bad_rows: Annotated[str, _input(help_of("bad_rows"))] = "stop"
    allow_zero: Annotated[bool, _input(help_of("allow_zero"), "--allow-zero")] = False
    grid_m: Annotated[
        str,
        typer.Option(help="Cell that samples are snapped to, metres.", metavar="N", rich_help_panel="Input"),
    ] = "100"
    grid_s: Annotated[
        str,
        typer.Option(help="Time step that samples are snapped to, seconds.", metavar="N", rich_help_panel="Input"),
    ] = "60"

    def options(self) -> ReadOptions:
        return ReadOptions(
            columns=parse_columns(self.columns),
            schema=self.schema,
            cells=self.cells,
            cells_columns=parse_columns(self.cells_columns, "cells_columns") or None,
            tz=self.tz,
            person=self.person,
            bad_rows=self.bad_rows,  # type: ignore[arg-type]  # checked by the class
            allow_zero=self.allow_zero,
        )

    def read(
        self, data: Path, *, drop_bad_rows: bool = False, progress: Progress | None = None
    ) -> tuple[Traces, ReadReport]:
        options = self.options()
        if drop_bad_rows:
            options = replace(options, bad_rows="drop")
        return read_with_report(data, self.grid(), options, progress=progress)

    def grid(self) -> Grid:
        return Grid(whole_number("--grid-m", self.grid_m), whole_number("--grid-s", self.grid_s))


@dataclass(frozen=True)
class EngineFlags:
    """Where the work is done."""

    engine: Annotated[
        str,
        typer.Option(help="local: in this process; spark: on Spark.", metavar="local|spark", rich_help_panel="Engine"),
    ] = "local"
    master: Annotated[
        str | None,
        typer.Option(
            help="Spark's master: local[2], spark://host:7077, yarn (default: spark-submit's, or this machine).",
            metavar="URL",
            rich_help_panel="Engine",
        ),
    ] = None
    allow_unencrypted_spill: Annotated[
        bool,
        typer.Option(
            "--allow-unencrypted-spill",
            help="Work on Spark even where it writes to its disks unencrypted.",
            rich_help_panel="Engine",
        ),
    ] = False

    @contextmanager
    def opened(self, threads: str | None = None) -> Iterator["Engine"]:
        """Give the engine, and close it at the end; ``threads`` are the local one's, as typed."""
        from shoal.engines.chosen import named_engine

        engine = named_engine(
            self.engine,
            threads=None if threads is None else whole_number("--threads", threads),
            master=self.master,
            allow_unencrypted_spill=self.allow_unencrypted_spill,
        )
        with engine if isinstance(engine, AbstractContextManager) else nullcontext(engine) as opened:
            yield opened

    @contextmanager
    def elsewhere(self) -> Iterator["Engine | None"]:
        """Give an engine for what needs none in this process."""
        with self.opened() as opened:
            yield None if self.engine == "local" else opened


def whole_number(option: str, text: str, *, at_least: int = 1) -> int:
    """Parse a count; a fraction or NaN is bad input, not wrong usage.

    >>> whole_number("--k", "5", at_least=2)
    5
    """
    try:
        value = int(text)
    except ValueError:
        value = at_least - 1
    if value < at_least:
        raise ParameterError(f"{option} {text}", expected=f"a whole number, {at_least} or more", hint="see --help")
    return value


def real_number(option: str, text: str, *, at_least: float = 0) -> float:
    """Parse a finite number.

    >>> real_number("--min-per-day", "0.5")
    0.5
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= at_least):
        raise ParameterError(f"{option} {text}", expected=f"a number, {at_least:g} or more", hint="see --help")
    return value


def expand(
    *, more: Sequence[inspect.Parameter] = (), **flag_classes: type
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Replace parameters of a command by the fields of their flags classes, and its ``**`` by those in ``more``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command).parameters
        hints = get_type_hints(command, include_extras=True)
        parameters: list[inspect.Parameter] = []
        for name, parameter in own.items():
            if name in flag_classes:
                parameters += _parameters_of(flag_classes[name])
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                parameters += more
            else:
                parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))

        @functools.wraps(command)
        def wrapper(**values: Any) -> None:
            for name, flag_class in flag_classes.items():
                values[name] = flag_class(**{f.name: values.pop(f.name) for f in fields(flag_class)})
            command(**values)

        wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
        # functools.wraps leaves a way back to the unexpanded signature.
        del wrapper.__wrapped__
        return wrapper

    return decorate


def _parameters_of(flag_class: type) -> list[inspect.Parameter]:
    hints = get_type_hints(flag_class, include_extras=True)
    return [
        inspect.Parameter(
            f.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if f.default is MISSING else f.default,
            annotation=hints[f.name],
        )
        for f in fields(flag_class)
    ]
