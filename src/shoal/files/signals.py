"""Being told to stop, without leaving half a release behind.

Python turns Ctrl-C into an exception, which unwinds and cleans up; a plain SIGTERM or a closed terminal kills
the process on the spot. While files are being written these become exceptions as well, and during the few
renames that publish, all of them wait. Only the main thread may set handlers; elsewhere nothing changes.

Where C code calls back, as numba's does while kernels are loaded, and in finalizers, nothing can be raised: Python says
that it ignored the exception, and goes on. The program would publish after Ctrl-C. So it is told again.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_FATAL = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_AGAIN_S = 0.05
"""How long to wait before a signal is sent again of which the exception was lost."""

_armed: list[Callable[[], None]] = []
"""Of each block in which signals raise, what makes them raise once more."""


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

    def arm() -> None:
        for signum in ours:
            signal.signal(signum, stop)

    try:
        _armed.append(arm)
        arm()
        yield
    finally:
        _armed.remove(arm)
        for signum in ours:
            signal.signal(signum, before[signum])


@contextmanager
def none_lost() -> Iterator[None]:
    """Send a signal again whose exception came where nothing can be raised, until it is raised."""
    before = sys.unraisablehook

    def told(lost: "sys.UnraisableHookArgs") -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            number = int(signal.SIGINT)
        elif isinstance(lost.exc_value, Terminated) and isinstance(lost.exc_value.code, int):
            number = lost.exc_value.code - 128
        else:
            before(lost)
            return
        for arm in _armed:
            arm()
        threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number)).start()

    sys.unraisablehook = told
    try:
        yield
    finally:
        sys.unraisablehook = before


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
