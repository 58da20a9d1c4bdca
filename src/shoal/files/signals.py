"""Being told to stop, without leaving half a release behind.

Python turns Ctrl-C into an exception, which unwinds and cleans up; a plain SIGTERM or a closed terminal kills
the process on the spot. While files are being written these become exceptions as well, and during the few
renames that publish, all of them wait. Only the main thread may set handlers; elsewhere nothing changes.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_FATAL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(SystemExit):
    """The process was told to end; carries the exit code that a shell would give (143 for SIGTERM)."""


@contextmanager
def raising() -> Iterator[None]:
    """Raise where a signal would kill; once, so that a second one cannot interrupt the clean-up.

    Handlers of the host program are left alone: they raise, and the clean-up runs, or they do not.
    """
    before = {s: signal.getsignal(s) for s in _FATAL if _in_main_thread()}
    ours = [s for s, handler in before.items() if handler in (signal.SIG_DFL, signal.default_int_handler)]

    def stop(signum: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
        for other in ours:
            signal.signal(other, _pass_over)
        if signum == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated(128 + signum)

    try:
        for signum in ours:
            signal.signal(signum, stop)
        yield
    finally:
        for signum in ours:
            signal.signal(signum, before[signum])


@contextmanager
def deferred() -> Iterator[None]:
    """Hold signals back until the block is done, then deliver them to whoever would have got them."""
    waiting: list[int] = []
    before = {s: signal.getsignal(s) for s in _FATAL if _in_main_thread()}
    # None means a handler that was not set from Python, which could not be put back.
    ours = [s for s, handler in before.items() if handler not in (signal.SIG_IGN, None)]
    try:
        for signum in ours:
            signal.signal(signum, lambda number, _frame: waiting.append(number))
        yield
    finally:
        for signum in ours:
            signal.signal(signum, before[signum])
        for number in dict.fromkeys(waiting):
            signal.raise_signal(number)


def _pass_over(signum: int, frame: FrameType | None) -> None:
    """Already on the way out."""


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
