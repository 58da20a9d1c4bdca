"""How progress is told where nobody watches a terminal."""

from itertools import count

from shoal.cli.talk import LogProgress


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
