"""The package as users get it: a wheel, the oldest libraries that its metadata allow, and nothing else."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.accept


def run(*command, cwd, **more):
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=600, check=False, **more
    )


def oldest_allowed(wheel: Path) -> list[str]:
    """Every requirement at its lower bound."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = archive.read(name).decode()
    required = [line.split(": ", 1)[1] for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    needed = [line for line in required if "extra ==" not in line]
    bounds = [re.match(r"([a-z0-9-]+)\s*.*>=\s*([0-9.]+)", line) for line in needed]
    assert all(bounds), "a requirement without a lower bound"
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]


def test_the_wheel_works_with_its_lower_bounds_alone(tmp_path):
    source = tmp_path / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    built = run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, source, cwd=tmp_path)
    if built.returncode and "setuptools" in built.stderr:
        pytest.skip("no package registry to build a wheel with")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("shoal-*.whl")

    assert run(sys.executable, "-m", "venv", "venv", cwd=tmp_path).returncode == 0
    python = tmp_path / "venv" / "bin" / "python"
    installed = run(python, "-m", "pip", "install", wheel, *oldest_allowed(wheel), cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr

    shoal = tmp_path / "venv" / "bin" / "shoal"
    state = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    for arguments in (
        ["--help"],
        ["synth", "cdr", "--users", "40", "--days", "2", "--seed", "1", "--out", "events.parquet"],
        ["measure", "events.parquet", "--k", "2", "--out", "measured"],
        ["protect", "uniform", "events.parquet", "--cell-m", "1000", "--minutes", "60", "--out", "release"],
        ["audit", "release", "--original", "events.parquet"],
        ["utility", "release", "--original", "events.parquet"],
    ):
        done = run(shoal, *arguments, cwd=tmp_path, env=state)
        assert done.returncode == 0, f"{arguments[0]}: {done.stderr}{done.stdout}"
