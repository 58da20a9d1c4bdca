"""How the command line speaks: results on stdout, talk and progress on stderr, nothing of the data in either."""

import json
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from shoal.errors import ShoalError
from shoal.progress import COMPILING, Progress, silent, told_of_compiling
from shoal.shown import number as number

out = Console(highlight=False, soft_wrap=False)
err = Console(stderr=True, highlight=False)

_SECONDS_BETWEEN_LINES = 60


def say(text: str, *, quiet: bool = False) -> None:
    """Talk to the person at the terminal."""
    if not quiet:
        err.print(escape(fitted(text, indent=2)), soft_wrap=True)


def fitted(text: str, indent: int) -> str:
    """Break a long line between words on a terminal; elsewhere it stays one, for whoever searches a log.

    The lines that follow are indented; what has no blank, such as a path, stays whole.
    """
    if not err.is_terminal:
        return text
    return textwrap.fill(
        text, err.width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def say_left_out(columns: Sequence[str], dropped: Mapping[str, int], *, quiet: bool) -> None:
    """Say what of the input is not used: nothing is dropped in silence."""
    if columns:
        say(f"columns not used, and dropped: {', '.join(columns)}", quiet=quiet)
    for rule, rows in dropped.items():
        say(f"rows dropped that break the rule on {rule}: {rows:,}", quiet=quiet)


def print_json(result: Mapping[str, Any] | list[Any]) -> None:
    sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=False) + "\n")


def print_error(error: ShoalError) -> None:
    for word, style, text in (
        ("error", "bold red", error.found),
        ("expected", "bold", error.expected),
        ("hint", "bold", error.hint),
    ):
        line = fitted(f"{word:8} {as_options(text)}", indent=9)
        err.print(f"[{style}]{word}[/]{escape(line.removeprefix(word))}", soft_wrap=True)


_PARAMETER = re.compile(r"`([a-z_.]+)(?:=([^`]*))?`")
_OTHER_NAMES = {"path": "--out", "grid.cell_m": "--grid-m", "grid.dt_s": "--grid-s"}
"""Options that are not called as the parameter is in Python."""


def as_options(text: str) -> str:
    """Spell the parameters in a message of the library as options of the command line.

    >>> as_options("`k=1` and `bad_rows='drop'`, or `again=True`; lower `min_per_day`, choose another `path`")
    '--k 1 and --bad-rows drop, or --again; lower --min-per-day, choose another --out'
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        spelled = _OTHER_NAMES.get(name) or "--" + name.replace("_", "-")
        return spelled if value in (None, "True") else f"{spelled} {value.strip(chr(39))}"

    return _PARAMETER.sub(option, text)


def table(title: str, *columns: str, numbers_from: int = 1, gap: int = 3) -> Table:
    """Make a plain table: text left, numbers right, so many blanks between columns."""
    result = Table(
        title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, gap, 0, 0)
    )
    for i, name in enumerate(columns):
        result.add_column(name, justify="right" if i >= numbers_from else "left", header_style="dim", overflow="fold")
    return result


class LogProgress:
    """Progress for a log file: a line a minute at most, so that short work adds none; of compiling, one at once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._quiet_until = clock() + _SECONDS_BETWEEN_LINES
        self._said_compiling = False

    def __call__(self, phase: str, done: int, total: int) -> None:
        now = self._clock()
        if phase == COMPILING and not self._said_compiling:
            self._said_compiling = True
            say("compiling kernels (once on this machine; some seconds)")
        elif now >= self._quiet_until:
            self._quiet_until = now + _SECONDS_BETWEEN_LINES
            say(f"{phase}: {done:,} of {total:,}" if total else f"{phase}: {done:,}")


@contextmanager
def progress_bars(*, quiet: bool) -> Iterator[Progress]:
    """Show a bar per phase on a terminal, and a line from time to time elsewhere; of what is compiled, too."""
    if quiet or not err.is_terminal:
        told = silent if quiet else LogProgress()
        with told_of_compiling(told):
            yield told
        return
    from rich import progress as bars

    with bars.Progress(
        bars.TextColumn("{task.description:<24}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeRemainingColumn(elapsed_when_finished=True),
        console=err,
    ) as shown:
        tasks: dict[str, bars.TaskID] = {}

        def progress(phase: str, done: int, total: int) -> None:
            name = phase.partition(" · ")[0]
            if name not in tasks:
                tasks[name] = shown.add_task(phase, total=None)
            shown.update(tasks[name], description=phase, completed=done, total=total or None)

        with told_of_compiling(progress):
            yield progress
        # Who was not counted at the end, a last group below k for instance, is not waited for any more.
        for task in shown.tasks:
            shown.update(task.id, completed=task.total)
