"""Kernels that will be needed later are compiled meanwhile, in a second process.

A kernel is compiled when it is first called, and the compiler is written in Python: one process keeps one processor
busy, and where nothing is kept yet, that is most of the time of a small piece of work. So who begins a piece of work
says how it can be rehearsed. If something has to be compiled then, a second process is started. A third one goes
through the rehearsal in plain Python, which takes a second or two, and notes which kernels are called with which
types; the second compiles those from the last to the first, until it meets the first process, which came from the other
end. Each kernel is compiled by whoever comes first, and the other one loads it (:mod:`shoal.kernels.common.kept`).

A rehearsal is of invented people, and nothing of what it finds is used. Should it fail, or miss a kernel, the work only
takes longer.
"""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from inspect import signature
from typing import IO, Any, NamedTuple

from shoal.workers import processors

LONGEST_S = 60
"""Seconds after which a rehearsal is given up."""


class Called(NamedTuple):
    """A kernel, and the types that it was called with."""

    module: str
    name: str
    types: tuple[Any, ...]


class _Work:
    """A piece of work that has begun, and the process that compiles for it."""

    def __init__(self, rehearse: Callable[[], object]) -> None:
        self.rehearse = rehearse
        self.tried = False
        self.second: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the second process, once, if there is a processor for it."""
        if self.tried or not one_is_idle():
            return
        self.tried = True
        try:
            self.second = _python("compile_from_the_end", stdout=subprocess.DEVNULL)
            _send(_pipe(self.second.stdin), pickle.dumps(self.rehearse))
        except OSError:
            return

    def end(self) -> None:
        """Leave the second process, which ends with the pipe to it."""
        if self.second is not None:
            with suppress(OSError):  # it may have ended already
                _pipe(self.second.stdin).close()
            self.second.wait()


def one_is_idle() -> bool:
    """Whether there is a processor that has had nothing to do of late: otherwise a second process is in the way."""
    return processors() > 1 and os.getloadavg()[0] < processors()


_begun: list[_Work] = []


@contextmanager
def rehearsed(rehearse: Callable[[], object]) -> Iterator[None]:
    """Say how a piece of work can be rehearsed, while it goes on. Of one within another, the outer one counts.

    Parameters
    ----------
    rehearse
        Does the same for a few invented people; goes through :mod:`pickle`.
    """
    if _begun or sys.executable is None:
        yield
        return
    work = _Work(rehearse)
    _begun.append(work)
    try:
        yield
    finally:
        _begun.remove(work)
        work.end()


def start() -> None:
    """Something has to be compiled: have what comes later compiled meanwhile."""
    for work in tuple(_begun):
        work.start()


def compile_from_the_end() -> None:
    """Be the second process."""
    work = _received(sys.stdin.buffer)
    threading.Thread(target=_end_with_the_first, daemon=True).start()
    try:
        _compile_from_the_end(work)
    finally:
        os._exit(0)  # the thread that waits for the first to end cannot be ended otherwise


def _compile_from_the_end(work: bytes) -> None:
    third = _python("rehearse", stdout=subprocess.PIPE, env={"NUMBA_DISABLE_JIT": "1"})
    _send(_pipe(third.stdin), work)
    from shoal.kernels.common.kept import KernelCache, TakenError  # while the third is at it

    KernelCache.waits = False
    gc.disable()  # the compiler leaves little to collect, and looking for it takes a tenth
    called: list[Called] = pickle.loads(_received(_pipe(third.stdout)))
    for module, name, types in reversed(called):
        try:
            getattr(import_module(module), name).compile(types)
        except TakenError:
            continue


def _end_with_the_first() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


_noted: dict[Called, None] | None = None


def rehearse() -> None:
    """Be the third process: go through the work, and tell which kernels were called."""
    global _noted
    _noted = {}
    signal.alarm(LONGEST_S)
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)  # whatever the work prints is no part of the answer
        try:
            pickle.loads(_received(sys.stdin.buffer))()
        finally:
            # What was called until something failed will be called too.
            _send(answer, pickle.dumps(list(_noted)))


def watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """Note when a kernel is called, in a rehearsal; elsewhere return it as it is."""
    if _noted is None:
        return function
    from numba import typeof

    noted, parameters = _noted, signature(function)

    def noting(*values: Any, **named: Any) -> Any:
        everything = parameters.bind(*values, **named).args
        noted[Called(function.__module__, function.__name__, tuple(typeof(value) for value in everything))] = None
        return function(*everything)

    return noting


def _python(task: str, *, stdout: int, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a Python that finds what this one finds; it hears of no Ctrl-C, and says nothing."""
    code = f"from shoal.spared import spare_imports; spare_imports(); from {__name__} import {task}; {task}()"
    path = os.pathsep.join(place for place in sys.path if place)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, **(env or {})},
        start_new_session=True,
    )


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None
    return end


def _send(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(len(content).to_bytes(8, "little") + content)
    pipe.flush()


def _received(pipe: IO[bytes]) -> bytes:
    return pipe.read(int.from_bytes(pipe.read(8), "little"))
