"""What killed runs leave behind: told from what is being written, and removed."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.files.leftovers import in_use, left_behind, remove_all

WRITING = """
import sys, time
from pathlib import Path
from shoal.files.publish import Folder, publish

def fill(part):
    (part / "half").write_text("half")
    print(part, flush=True)
    time.sleep(60)

publish([Folder(Path(sys.argv[1]), public=True)], fill)
"""


@pytest.fixture
def writing(tmp_path):
    """A process in the middle of writing, and its part."""
    process = subprocess.Popen([sys.executable, "-c", WRITING, tmp_path / "out"], stdout=subprocess.PIPE, text=True)
    yield process, Path(process.stdout.readline().strip())
    process.kill()
    process.wait()


def test_a_run_that_lives_is_left_alone_and_a_dead_one_is_not(writing, tmp_path):
    process, part = writing
    assert part.parent == tmp_path
    assert stat.S_IMODE(part.stat().st_mode) == 0o700
    assert left_behind(tmp_path) == []
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert left_behind(tmp_path) == [part]
    assert remove_all(left_behind(tmp_path)) == [part]
    assert list(tmp_path.iterdir()) == []


def test_only_parts_count(tmp_path):
    for name in (".shoal-0.part", "shoal-0123456789abcdef.part", ".shoal-0123456789abcdef.part.txt", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "target").write_text("x")
    (tmp_path / ".shoal-0123456789abcdef.part").symlink_to(tmp_path / "target")
    assert left_behind(tmp_path) == []
    assert left_behind(tmp_path / "missing") == []


def test_files_count_too(tmp_path):
    part = tmp_path / ".shoal-0123456789abcdef.part"
    part.write_text("x")
    with in_use(part):
        assert left_behind(tmp_path) == []
    assert left_behind(tmp_path) == [part]
    remove_all([part])
    assert not part.exists()


def test_the_command(tmp_path):
    part = tmp_path / "out" / ".shoal-0123456789abcdef.part"
    part.mkdir(parents=True)
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}

    def clean(folder):
        command = [sys.executable, "-m", "shoal", "clean", str(folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)

    assert f"removed: {part}" in clean(part.parent).stderr
    assert not part.exists()
    assert "nothing was left behind" in clean(part.parent).stderr
    assert clean(tmp_path / "missing").returncode == 1
