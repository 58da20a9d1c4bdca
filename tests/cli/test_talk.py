"""How progress is told where nobody watches a terminal."""

import io
from itertools import count

import pytest
from rich.console import Console

from shoal.cli import talk
from shoal.cli.talk import LogProgress, progress_bars


def test_a_log_gets_a_line_a_minute(capsys):
    progress = LogProgress(clock=count(step=25).__next__)
    for done in range(1, 8):
        progress("hiding", 1000 * done, 7000)
    # It asks for the time once at the start, then at seconds 25, 50, 75, …
    assert capsys.readouterr().err.splitlines() == ["hiding: 3,000 of 7,000", "hiding: 6,000 of 7,000"]


def test_short_work_adds_no_line(capsys):
    progress = LogProgress(clock=count(step=5).__next__)
    for done in range(1, 8):
        progress("hiding", done, 7)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("quiet", [True, False])
def test_lines_stand_in_for_bars_where_there_is_no_terminal(quiet):
    with progress_bars(quiet=quiet) as progress:
        assert isinstance(progress, LogProgress) is not quiet


def test_what_a_phase_says_behind_a_dot_changes_its_bar_and_starts_no_other(monkeypatch):
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80)
    monkeypatch.setattr(talk, "err", terminal)
    with progress_bars(quiet=False) as progress:
        progress("searching · 1 found", 1, 2)
        progress("searching · 2 found", 2, 2)
        progress("writing", 1, 1)
    bars = terminal.file.getvalue().rpartition("\x1b[1A")[2]  # the last time that they are drawn over
    assert bars.count("searching") == 1
    assert "searching · 2 found" in bars
    assert "writing" in bars
