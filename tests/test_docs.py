"""The docs say what the code says."""

import re
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
    kept = {path.name: path for folder in ("how-to", "pictures") for path in (ROOT / "docs" / folder).glob("*.svg")}
    assert {path.name for path in drawn} == set(kept)
    for picture in drawn:
        assert _shape(picture) == _shape(kept[picture.name]), "run: make pictures"


def _shape(picture):
    """What is drawn, without numbers: where letters stand depends on the fonts of a machine."""
    return re.sub(r"-?[\d.]+", "#", picture.read_text(encoding="utf-8"))
