"""What ``-h`` shows of every command."""

import re

import pytest
import typer.main
from typer.testing import CliRunner

from shoal.cli.app import app


def leaves(command, path=()):
    """Walk the commands that can be run."""
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    for name in command.list_commands(None):
        yield from leaves(command.get_command(None, name), (*path, name))


COMMANDS = dict(leaves(typer.main.get_command(app)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_word_of_the_help_is_taken_for_markup(path):
    """Brackets are: a section of a recipe would not be shown at all."""
    shown = CliRunner(env={"COLUMNS": "400", "TERMINAL_WIDTH": "400"}).invoke(app, [*path, "-h"]).stdout
    shown = " ".join(shown.replace("│", " ").split())
    for option in COMMANDS[path].params:
        words = re.sub(r"\\(?=\[)", "", option.help or "")
        assert " ".join(words.split()) in shown, option.name
