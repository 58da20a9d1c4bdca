"""How progress is told where nobody watches a terminal."""

from itertools import count

import pytest

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
