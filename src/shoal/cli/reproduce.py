"""``shoal reproduce PAPER``: printed findings beside measured ones."""

from pathlib import Path
from typing import Annotated

import typer

from shoal.cli import talk
from shoal.cli.flags import Quiet, ReadFlags, expand
from shoal.errors import ParameterError, did_you_mean
from shoal.reproduce.findings import Finding

app = typer.Typer(no_args_is_help=True, help="The papers' figures and tables, from our own commands.")

_SCALES = ("small", "paper")


@app.command()
@expand(reading=ReadFlags)
def anonymizability(
    *,
    scale: Annotated[str, typer.Option(help="small takes minutes, paper the papers' sizes.")] = "small",
    data: Annotated[Path | None, typer.Option(help="Use this data instead of synthetic people.")] = None,
    out: Annotated[Path, typer.Option(help="Directory for curves and table; run again to go on.")] = Path(
        "reproduced-anonymizability"
    ),
    seed: Annotated[int, typer.Option(help="The same seed gives the same synthetic people.")] = 0,
    reading: ReadFlags,
    quiet: Quiet = False,
) -> None:
    """On the anonymizability of mobile traffic datasets, Figs. 2–6, and GLOVE, Figs. 3–5.

    Example: shoal reproduce anonymizability --scale small --out reproduced
    """
    from shoal.reproduce.anonymizability import reproduce

    if scale not in _SCALES:
        raise ParameterError(f"--scale {scale}", expected="small or paper", hint=did_you_mean(scale, _SCALES))
    out.mkdir(parents=True, exist_ok=True)
    talk.say_compiling(quiet=quiet)
    with talk.progress_bars(quiet=quiet) as progress:
        traces = reading.read(data)[0] if data else None
        findings = reproduce(
            out, scale="small" if scale == "small" else "paper", data=traces, seed=seed, progress=progress
        )
    show(findings)
    talk.say(f"curves and table: {out}", quiet=quiet)


def show(findings: list[Finding]) -> None:
    """Print the table paper | measured."""
    sets = list(findings[0].measured)
    table = talk.table("Printed beside measured", "where", "what", "printed", *sets, numbers_from=3)
    for f in findings:
        table.add_row(f.where, f.what, f.printed, *(f.measured[name] for name in sets))
    talk.out.print(table)
