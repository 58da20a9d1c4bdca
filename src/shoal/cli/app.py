"""The commands, and what becomes of an error."""

import os
import signal
import sys
import traceback
from contextlib import suppress
from typing import Annotated, NoReturn

import typer

import shoal
from shoal.cli.lazy import Later, later
from shoal.cli.memory import collect_seldom, keep_what_is_freed
from shoal.errors import ShoalError
from shoal.files.signals import none_lost
from shoal.spared import spare_imports

COMMANDS = {
    "demo": Later("shoal.cli.demo:demo", "Run the whole job on built-in synthetic data."),
    "inspect": Later("shoal.cli.inspect:inspect", "Tell what is in the data and what is wrong with it."),
    "measure": Later("shoal.cli.measure:measure", "Measure how hard it is to hide everybody among k people."),
    "risk": Later("shoal.cli.risk:risk", "Attack people with what somebody may know of them."),
    "compare": Later("shoal.cli.compare:compare", "Run several mechanisms on the same data, in one table."),
    "choose": Later("shoal.cli.choose:choose", "Find the mechanism and the parameters for the accuracy you need."),
    "synth": Later("shoal.cli.synth:app", "Make synthetic people, reproducible from a seed."),
    "profiles": Later("shoal.cli.profiles:app", "Build call profiles from call records."),
    "protect": Later("shoal.cli.protect:app", "Make a release: choose a mechanism."),
    "audit": Later("shoal.cli.audit:audit", "Attack a release and check its promises; exit 3 if one is broken."),
    "utility": Later("shoal.cli.utility:utility", "Tell how much is left, and how far it is from the truth."),
    "export": Later("shoal.cli.export:export", "Write a release in the shape of another library."),
    "sociometer": Later("shoal.cli.sociometer:sociometer", "Count residents, commuters and visitors from profiles."),
    "report": Later("shoal.cli.report:report", "Make a page for people who decide."),
    "init": Later("shoal.cli.init:init", "Write a first recipe for data."),
    "run": Later("shoal.cli.run:run", "Follow a recipe from data to an audited release."),
    "clean": Later("shoal.cli.clean:clean", "Remove what killed runs left behind."),
    "reproduce": Later("shoal.cli.reproduce:app", "The papers' figures and tables, from our own commands."),
}

app = typer.Typer(
    name="shoal",
    cls=later(COMMANDS),
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},  # of every command below, too
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Publish mobility data without giving away where anyone lives.\n\n"
    "inspect → measure → protect → audit → utility → report. Start with: shoal demo",
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


_INTERRUPTED = 130
"""What a shell gives after Ctrl-C, and typer as well."""


def main() -> NoReturn:
    """Run the command line, and end the process.

    At once, without taking the interpreter apart: threads of the libraries that we use (Arrow's above all) may still be
    giving memory back, and one that does so while Python ends aborts the process. All our files are closed by then.
    """
    keep_what_is_freed()
    collect_seldom()
    spare_imports()
    with none_lost():
        code = ended()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # already on the way out
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def ended() -> int:
    """Run the command line, whatever happens, and return the code to exit with."""
    code: object = 0
    try:
        run()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = _INTERRUPTED
    except BaseException as fault:
        # Also what is no Exception: polars' panics.
        if os.environ.get("SHOAL_DEBUG"):
            traceback.print_exc()
        else:
            sys.stderr.write(f"a fault in Shoal itself ({type(fault).__name__}). SHOAL_DEBUG=1 shows where\n")
        code = 1
    return code if isinstance(code, int) else 0 if code is None else 1


def run() -> None:
    """Run the command line; exit codes as in the contract: 0 fine, 1 failed, 2 wrong usage, 3 broken promise."""
    try:
        app()  # ends the process by itself, after wrong usage with 2
    except ShoalError as error:
        from shoal.cli import talk

        talk.print_error(error)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if end.code == _INTERRUPTED:
            from shoal.cli import talk

            talk.say("interrupted")
        raise
    except BrokenPipeError:
        # Whoever reads us has seen enough, as in `shoal inspect … | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as fault:
        if os.environ.get("SHOAL_DEBUG"):
            raise
        from shoal.cli import talk

        # A traceback could quote the data.
        talk.say(f"a fault in Shoal itself ({type(fault).__name__}); nothing was written. SHOAL_DEBUG=1 shows where")
        sys.exit(1)
