"""The docs say what the code says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_tables_that_follow_from_declarations_are_up_to_date():
    command = [sys.executable, ROOT / "docs" / "tables.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run: make docs"


def test_pictures_are_those_that_the_script_draws(tmp_path):
    command = [sys.executable, ROOT / "docs" / "pictures.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) == 3
    for picture in drawn:
        assert picture.read_text() == (ROOT / "docs" / "how-to" / picture.name).read_text(), "run: make docs"
