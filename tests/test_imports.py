"""What is loaded when, and who may import whom."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

HEAVY = ("numba", "sklearn", "scipy", "pyspark", "bokeh", "pandas", "geopandas")
ROOT = Path(__file__).resolve().parents[1]


def loaded_after(code):
    """Run code in a fresh interpreter and return the heavy modules that it loaded."""
    script = (
        "import json, sys\n"
        "def told():\n"
        f"    sys.stderr.write('LOADED' + json.dumps([m for m in {HEAVY!r} if m in sys.modules]))\n"
        f"try:\n    {code}\nfinally:\n    told()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stderr.split("LOADED")[1])


@pytest.mark.parametrize(
    "code",
    [
        "import shoal",
        "import shoal; shoal.read, shoal.Uniform, shoal.overview",
        "import sys; sys.argv = ['shoal', '--help']; from shoal.cli.app import run; run()",
        "import sys; sys.argv = ['shoal', 'protect', 'uniform', '--help']; from shoal.cli.app import run; run()",
        "import shoal.engines.spark, shoal.engines.chosen, shoal.mechanisms.spread",
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code):
    assert loaded_after(code) == []


def test_the_check_itself_sees_what_is_loaded():
    assert loaded_after("import scipy") == ["scipy"]


def test_only_declared_packages_are_imported_by_the_command_line():
    """A package that happens to lie around on a developer's machine is missing on a user's."""
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['click'] = None; import shoal.cli"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def test_rooms_import_in_one_direction():
    lint = Path(sysconfig.get_path("scripts")) / "lint-imports"
    if not lint.exists():
        pytest.skip("no lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
