"""A command in a process of its own, and what it takes."""

import os
import subprocess
import sys
import time
from typing import NamedTuple


class Used(NamedTuple):
    """CPU and wall seconds, peak memory in GB."""

    cpu_s: float
    wall_s: float
    gb: float


def used(*arguments: str) -> Used:
    """Run ``shoal`` with these arguments; what it and the processes that it waited for took."""
    wall = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "shoal", *arguments], stdout=subprocess.DEVNULL)
    _, status, spent = os.wait4(process.pid, 0)
    assert status == 0, "the command failed"
    return Used(spent.ru_utime + spent.ru_stime, time.perf_counter() - wall, spent.ru_maxrss / 2**20)
