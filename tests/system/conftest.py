"""The real command, as a user starts it."""

import os
import subprocess
import sysconfig
from pathlib import Path
from typing import NamedTuple

import pytest

SHOAL = Path(sysconfig.get_path("scripts")) / "shoal"


class Result(NamedTuple):
    """How a command ended. Lines are wrapped for a narrow terminal, so ``said`` has them joined again."""

    code: int
    out: str
    err: str

    @property
    def said(self):
        return " ".join(self.err.split())


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

    def __call__(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=400)
        return Result(process.returncode, out, err)

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
