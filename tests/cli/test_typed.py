"""Values of parameters, converted without pydantic, are those that typer makes with it."""

import os
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.main import get_command

from shoal.cli.lazy import command_of

BROKEN = b"\xff".decode("utf-8", "surrogateescape")


def show(
    data: Path,
    *,
    more: Annotated[list[Path] | None, typer.Argument()] = None,
    cells: Path | None = None,
    grid: str = "100",
    zone: str | None = None,
    seed: int | None = None,
    again: Annotated[bool, typer.Option("--again")] = False,
) -> None:
    print(repr((data, more, cells, grid, zone, seed, again)))


def typers_own():
    app = typer.Typer(add_completion=False, rich_markup_mode="rich")
    app.command("show")(show)
    return get_command(app)


def said(command, given, capsys):
    with pytest.raises(SystemExit) as end:
        command(given, prog_name="show")
    return end.value.code, capsys.readouterr()


@pytest.mark.parametrize(
    "given",
    [
        ["."],
        ["nowhere", "--cells", "a b/../c"],
        ["a", "b", "c", "--grid", "", "--zone", " Europe/Rome "],
        ["", "--seed", "7", "--again"],
        ["a", "--seed", "7.5"],
        ["a", "--grid", "tab\there", "--zone", "è"],
        ["a", "--zone", BROKEN],
        [BROKEN],
        [],
    ],
)
def test_values_are_those_of_typer(given, capsys):
    ours, theirs = (said(command, given, capsys) for command in (command_of("show", show), typers_own()))
    assert ours == theirs


def test_what_cannot_be_read_is_left_to_typer(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("os.access", lambda _, mode: mode == os.F_OK)
    monkeypatch.chdir(tmp_path)
    code, told = said(command_of("show", show), ["."], capsys)
    assert code == 2
    assert "not readable" in told.err
