"""What the full-size checks share: the command, timed and weighed, and the real data."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

SHOAL = Path(sys.executable).with_name("shoal")
DATA = Path(__file__).parents[3] / "shared" / "data"


class Run(NamedTuple):
    """What a command printed, and what it took."""

    out: str
    seconds: float
    gigabytes: float
    cpu_seconds: float


@pytest.fixture
def shoal_run(tmp_path: Path) -> Callable[..., Run]:
    def run(command: str, status: int = 0) -> Run:
        start = time.perf_counter()
        environment = os.environ | {"XDG_STATE_HOME": str(tmp_path / "state")}
        process = subprocess.Popen([SHOAL, *shlex.split(command)], stdout=subprocess.PIPE, text=True, env=environment)
        assert process.stdout is not None
        out = process.stdout.read()
        # Of this very child: the largest of all children so far would hide a smaller one.
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        assert process.returncode == status, out
        return Run(out, time.perf_counter() - start, usage.ru_maxrss / 2**20, usage.ru_utime + usage.ru_stime)

    return run


@pytest.fixture
def real_data() -> Callable[[str], Path]:
    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"no {name}")
        return path

    return find
