"""``shoal reproduce glove`` as a user starts it."""

import os
import subprocess
import sysconfig
from pathlib import Path

SHOAL = Path(sysconfig.get_path("scripts")) / "shoal"


def run(folder, *arguments):
    return subprocess.run(
        [SHOAL, "reproduce", "glove", *arguments],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )


def test_small_scale_is_wired(tmp_path):
    few = ("--scale", "small", "--users", "100", "--presets", "abidjan", "--only", "fig7,table2", "--out", "out")
    done = run(tmp_path, *few)
    assert done.returncode == 0, done.stderr
    assert "Table 2, k = 5, abidjan" in done.stdout
    assert "1.32 km" in done.stdout, "printed"
    names = {path.name for path in (tmp_path / "out" / "abidjan").iterdir()}
    assert {"k2.json", "k5.json", "fig7-space.svg", "fig7-time.csv"} <= names
    again = run(tmp_path, *few)
    assert again.stdout == done.stdout


def test_wrong_names_are_refused(tmp_path):
    for arguments, hint in (
        (("--only", "fig17"), "fig7"),
        (("--presets", "dakkar"), "dakar"),
        (("--presets", "dakar", "--only", "fig9", "--out", "out"), "civ"),
        (("--users", "39"), "40 or more"),
    ):
        done = run(tmp_path, *arguments)
        assert done.returncode == 1
        assert hint in done.stderr
    assert not list(tmp_path.rglob("*.*"))
