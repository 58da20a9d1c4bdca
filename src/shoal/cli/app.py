"""The commands, and what becomes of an error."""

import os
import sys
from typing import Annotated

import typer

import shoal
from shoal.cli import talk
from shoal.errors import ShoalError

app = typer.Typer(
    name="shoal",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Publish mobility data without giving away where anyone lives.\n\n"
    "inspect → measure → protect → audit → report. Start with: shoal demo",
)


def _version(*, wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"shoal {shoal.__version__}\n")
        raise typer.Exit


@app.callback()
def _top(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=lambda v: _version(wanted=v), is_eager=True),
    ] = False,
) -> None:
    pass


def _add_commands() -> None:
    from shoal.cli import audit, demo, inspect, measure, protect, reproduce, risk, synth, utility

    app.command("demo")(demo.demo)
    app.command("inspect")(inspect.inspect)
    app.command("measure")(measure.measure)
    app.command("risk")(risk.risk)
    app.add_typer(synth.app, name="synth")
    app.add_typer(protect.app, name="protect")
    app.command("audit")(audit.audit)
    app.command("utility")(utility.utility)
    app.add_typer(reproduce.app, name="reproduce")


_INTERRUPTED = 130
"""What a shell gives after Ctrl-C, and typer as well."""


def main() -> None:
    """Run the command line; exit codes as in the contract: 0 fine, 1 failed, 2 wrong usage, 3 broken promise."""
    _add_commands()
    try:
        app()  # ends the process by itself, after wrong usage with 2
    except ShoalError as error:
        talk.print_error(error)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            talk.say("interrupted")
        raise
    except BrokenPipeError:
        # Whoever reads us has seen enough, as in `shoal inspect … | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as fault:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        # A traceback could quote the data.
        talk.say(f"a fault in Shoal itself ({type(fault).__name__}); nothing was written. SHOAL_DEBUG=1 shows where")
        sys.exit(1)
