"""The commands, and what becomes of an error."""

import os
import sys
from typing import Annotated

import click
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
    from shoal.cli import demo, inspect, protect, synth

    app.command("demo")(demo.demo)
    app.command("inspect")(inspect.inspect)
    app.add_typer(synth.app, name="synth")
    app.add_typer(protect.app, name="protect")


def main() -> None:
    """Run the command line; exit codes as in the contract: 0 fine, 1 failed, 2 wrong usage, 3 broken promise."""
    _add_commands()
    try:
        sys.exit(app(standalone_mode=False))
    except ShoalError as error:
        talk.print_error(error)
        sys.exit(error.exit_code)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        talk.say("interrupted; nothing was written")
        sys.exit(1)
    except Exception as fault:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        # A traceback could quote the data.
        talk.say(f"a fault in Shoal itself ({type(fault).__name__}); nothing was written. SHOAL_DEBUG=1 shows where")
        sys.exit(1)
