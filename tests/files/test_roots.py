"""Folders that nobody may keep: gone at the end, and after a kill with the next run."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.errors import OutputError
from shoal.files.roots import Root


def test_it_goes_with_its_object_and_with_the_next_run_after_a_kill(tmp_path):
    place = tmp_path / "place"
    root = Root(place)
    (root.path / "spilled").write_text("raw")
    assert root.path.stat().st_mode & 0o777 == 0o700
    code = (
        "from pathlib import Path; from shoal.files.roots import Root\n"
        f"root = Root(Path({str(place)!r})); print(root.path, flush=True); input()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    other = Path(process.stdout.readline().strip())
    assert root.path.exists()  # somebody lives who uses it
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert other.exists()
    third = Root(place)
    deadline = time.monotonic() + 60
    while other.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not other.exists()
    assert root.path.exists()
    for one in (root, third):
        one.remove()
        one.remove()
    assert list(place.iterdir()) == []


def test_a_place_that_others_can_look_into_is_refused(tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    place.chmod(0o755)
    with pytest.raises(OutputError, match="others can use"):
        Root(place)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(OutputError):
        Root(link)
