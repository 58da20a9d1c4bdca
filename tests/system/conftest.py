"""The command line as a user has it: mostly inside this process, in one of its own where that is what is tested."""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from command_line import Result, shoal

SHOAL = Path(sysconfig.get_path("scripts")) / "shoal"


class Desk:
    """A directory to work in, with a ledger of its own."""

    def __init__(self, home, state):
        self.home = home
        self.state = state
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("SHOAL_")}
        self.env |= {"XDG_STATE_HOME": str(state), "COLUMNS": "200"}

    def start(self, *arguments):
        return subprocess.Popen(
            [SHOAL, *map(str, arguments)],
            cwd=self.home,
            env=self.env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def alone(self, *arguments):
        """Run a command in a process of its own, to the end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=400)
        return Result(process.returncode, out, err)

    def __call__(self, *arguments):
        """Run a command to its end in this process."""
        return shoal(*arguments, home=self.home, env=self.env)

    def protect(self, data, *options, out="release", cell_m=1000, minutes=60):
        return self("protect", "uniform", data, "--cell-m", cell_m, "--minutes", minutes, "--out", out, *options)

    def names(self):
        """Everything that lies on the desk."""
        return sorted(str(path.relative_to(self.home)) for path in self.home.rglob("*"))

    def write(self, name, content):
        path = self.home / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name


@pytest.fixture
def desk(tmp_path):
    home, state = tmp_path / "desk", tmp_path / "state"
    home.mkdir()
    return Desk(home, state)
