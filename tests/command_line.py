"""The command line inside this process: what a command prints and the code it ends with, without a process of its own.

A new process takes about a second to get ready. Where the process itself is what is tested, start one.
"""

import importlib
import os
import sys
import tempfile
from contextlib import ExitStack, chdir, contextmanager
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from shoal.cli import app, talk


class Result(NamedTuple):
    """How a command ended. Lines are wrapped for a narrow terminal, so ``said`` has them joined again."""

    code: int
    out: str
    err: str

    @property
    def said(self):
        return " ".join(self.err.split())


def shoal(*arguments, home, env):
    """Run a command to its end, in a directory and with an environment."""
    with ExitStack() as stack:
        stack.callback(importlib.reload, talk)  # its consoles look at streams and environment once, when they are made
        stack.enter_context(patch.dict(os.environ, env, clear=True))
        stack.enter_context(patch.object(sys, "argv", ["shoal", *map(str, arguments)]))
        stack.enter_context(chdir(home))
        stack.enter_context(patch.object(sys, "stdin", stack.enter_context(Path(os.devnull).open())))
        out, err = (stack.enter_context(heard(name)) for name in ("stdout", "stderr"))
        importlib.reload(talk)
        code = app.ended()
        return Result(code, everything(out), everything(err))


@contextmanager
def heard(name):
    """Keep what is written to a stream of this process, by Python or by the code of a library."""
    before, number = getattr(sys, name), {"stdout": 1, "stderr": 2}[name]
    before.flush()
    kept = os.dup(number)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        os.dup2(file.fileno(), number)
        setattr(sys, name, file)
        try:
            yield file
        finally:
            setattr(sys, name, before)
            os.dup2(kept, number)
            os.close(kept)


def everything(file):
    file.flush()
    file.seek(0)
    return file.read()
