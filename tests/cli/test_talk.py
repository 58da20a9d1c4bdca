"""How progress is told where nobody watches a terminal."""

import io
from contextlib import suppress
from itertools import count

import pytest
from rich.console import Console

from shoal.cli import talk
from shoal.errors import DataError
from shoal.progress import compiling


def test_a_log_gets_a_line_a_minute(capsys):
    progress = talk.LogProgress(clock=count(step=25).__next__)
    for done in range(1, 8):
        progress("hiding", 1000 * done, 7000)
    # It asks for the time once at the start, then at seconds 25, 50, 75, …
    assert capsys.readouterr().err.splitlines() == ["hiding: 3,000 of 7,000", "hiding: 6,000 of 7,000"]


def test_short_work_adds_no_line(capsys):
    progress = talk.LogProgress(clock=count(step=5).__next__)
    for done in range(1, 8):
        progress("hiding", done, 7)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("quiet", [True, False])
def test_lines_stand_in_for_bars_where_there_is_no_terminal(quiet):
    with talk.progress_bars(quiet=quiet) as progress:  # the module may have been loaded again by another test
        assert isinstance(progress, talk.LogProgress) is not quiet


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(talk, "err", Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None))
    return talk.err


def test_long_lines_are_broken_between_words_on_a_terminal(terminal):
    talk.say("promise: " + "every word of it, well-known [or] not, " * 9)
    path = "/a" * 60
    talk.say(f"release: {path}")
    talk.print_error(DataError("a fault " * 20, expected="none", hint="use --suppress-share " * 20))
    told = terminal.file.getvalue()
    lines = told.splitlines()
    assert max(len(line) for line in lines if path not in line) <= 80
    assert path in told
    assert " ".join(told.split()).count("well-known [or] not") == 9
    assert all(line.startswith(("promise: ", "release:", "error ", "expected ", "hint ", "  ")) for line in lines)
    assert " ".join(told.split()).count("--suppress-share") == 20
    assert not any(line.endswith("-") for line in lines)


def test_a_line_of_a_log_stays_one(capsys):
    talk.say("promise: " + "every word of it " * 9)
    talk.print_error(DataError("a fault " * 20, expected="none", hint="none"))
    assert len(capsys.readouterr().err.splitlines()) == 4


def test_what_has_ended_is_shown_as_such(terminal):
    with talk.progress_bars(quiet=False) as progress:
        progress("grouping", 390, 400)
        progress("writing", 1, 1)
    assert "400/400" in terminal.file.getvalue()


def test_what_has_failed_is_not(terminal):
    with suppress(DataError), talk.progress_bars(quiet=False) as progress:
        progress("grouping", 390, 400)
        raise DataError("no", expected="yes", hint="none")
    assert "400/400" not in terminal.file.getvalue()


def test_that_kernels_are_compiled_is_said_at_once_and_once(capsys):
    with talk.progress_bars(quiet=False):
        for done in range(3):
            compiling(done, 0)
    compiling(3, 3)
    assert capsys.readouterr().err == "compiling kernels (once on this machine; some seconds)\n"
    with talk.progress_bars(quiet=True):
        compiling(4, 0)
    assert capsys.readouterr().err == ""


def test_what_is_compiled_has_a_bar_that_ends_full(terminal):
    with talk.progress_bars(quiet=False):
        compiling(2, 0)
        drawn = terminal.file.tell()
        compiling(3, 3)
    assert "compiling kernels (once)" in terminal.file.getvalue()
    assert "3/3" in terminal.file.getvalue()[drawn:]


def test_what_a_phase_says_behind_a_dot_changes_its_bar_and_starts_no_other(terminal):
    with talk.progress_bars(quiet=False) as progress:
        progress("searching · 1 found", 1, 2)
        progress("searching · 2 found", 2, 2)
        progress("writing", 1, 1)
    bars = terminal.file.getvalue().rpartition("\x1b[1A")[2]  # the last time that they are drawn over
    assert bars.count("searching") == 1
    assert "searching · 2 found" in bars
    assert "writing" in bars
