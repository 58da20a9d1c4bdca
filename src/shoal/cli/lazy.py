"""Commands that are loaded when they are called: asking for help must not wait for numpy."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from shoal.cli.typed import take_as_typed


class Later(NamedTuple):
    """A command: where it is, and what it does in one line. Where it is: a function or a group, as ``module:name``."""

    home: str
    help: str


def later(commands: Mapping[str, Later]) -> type[TyperGroup]:
    """Make the class of a group with these commands, in this order."""

    class Group(LazyGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return list(commands)

        def summary(self, name: str) -> str:
            return commands[name].help

        def load(self, name: str) -> Any:
            module, _, attribute = commands[name].home.partition(":")
            found = getattr(import_module(module), attribute)
            return get_command(found) if isinstance(found, typer.Typer) else command_of(name, found)

    return Group


class LazyGroup(TyperGroup):
    """A group that knows the names of its commands, and loads one when it is called."""

    _listing = False

    def summary(self, name: str) -> str:
        """Say in one line what a command does."""
        raise NotImplementedError

    def load(self, name: str) -> Any:
        """Return the command itself."""
        raise NotImplementedError

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        take_as_typed(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        if self._listing:
            return TyperCommand(cmd_name, help=self.summary(cmd_name))
        return self.load(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._listed():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._listed():
            return super().shell_complete(ctx, incomplete)

    @contextmanager
    def _listed(self) -> Iterator[None]:
        """While commands are listed, their names and a line of help are enough."""
        self._listing = True
        try:
            yield
        finally:
            self._listing = False


class _Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        take_as_typed(self.get_params(ctx))
        return super().parse_args(ctx, args)


def command_of(name: str, function: Callable[..., None]) -> Any:
    """Make a command of a function, as typer does."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name, cls=_Command)(function)
    return get_command(alone)
