"""A file appears whole or not at all, for whom it is meant, and never through somebody's link."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading

import pytest

from shoal.errors import OutputError
from shoal.files import durable
from shoal.files.durable import PRIVATE_FILE, PUBLIC_FILE, part_beside, whole_file
from shoal.files.signals import Terminated


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def write(path, content=b"new", **how):
    with whole_file(path, **how) as file:
        file.write(content)


def test_it_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "file"
    with whole_file(path) as file:
        file.write(b"half")
        file.flush()
        (part,) = tmp_path.iterdir()
        assert part.name.startswith(".shoal-")
        assert part.name.endswith(".part")
        file.write(b" and half")
    assert names(tmp_path) == ["file"]
    assert path.read_bytes() == b"half and half"


def test_parts_lie_beside_their_target_under_names_of_their_own(tmp_path):
    parts = {part_beside(tmp_path / "file") for _ in range(100)}
    assert len(parts) == 100
    assert {part.parent for part in parts} == {tmp_path}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, MemoryError])
def test_a_failure_leaves_nothing_and_an_older_file_alone(tmp_path, error):
    def fail(path, **how):
        with whole_file(path, **how) as file:
            file.write(b"half")
            raise error

    old = tmp_path / "old"
    old.write_bytes(b"old")
    for path, how in ((tmp_path / "new", {}), (old, {"replace": True})):
        with pytest.raises(error):
            fail(path, **how)
    assert names(tmp_path) == ["old"]
    assert old.read_bytes() == b"old"


def test_nothing_is_overwritten_unless_asked(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(OutputError, match="came into being"):
        write(path)
    assert (names(tmp_path), path.read_bytes()) == (["file"], b"old")
    write(path, replace=True)
    assert (names(tmp_path), path.read_bytes()) == (["file"], b"new")


def test_what_comes_up_meanwhile_is_not_overwritten(tmp_path):
    def race():
        with whole_file(tmp_path / "file") as file:
            file.write(b"mine")
            (tmp_path / "file").write_bytes(b"theirs")

    with pytest.raises(OutputError, match="came into being"):
        race()
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"theirs"


@pytest.mark.parametrize("dangling", [False, True])
def test_a_planted_link_is_not_followed(tmp_path, dangling):
    victim, link = tmp_path / "victim", tmp_path / "link"
    if not dangling:
        victim.write_bytes(b"theirs")
    link.symlink_to(victim)
    with pytest.raises(OutputError):
        write(link)
    assert link.is_symlink()
    write(link, replace=True)
    assert not link.is_symlink()
    assert link.read_bytes() == b"new"
    assert victim.exists() is not dangling
    assert dangling or victim.read_bytes() == b"theirs"


def test_a_link_under_a_guessed_name_is_not_followed(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_bytes(b"theirs")
    monkeypatch.setattr(durable.secrets, "token_hex", lambda _: "guessed")
    (tmp_path / ".shoal-guessed.part").symlink_to(victim)
    with pytest.raises(OutputError):
        write(tmp_path / "file")
    assert names(tmp_path) == ["victim"]
    assert victim.read_bytes() == b"theirs"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o777])
@pytest.mark.parametrize("wanted", [PRIVATE_FILE, PUBLIC_FILE])
def test_the_mode_is_right_from_the_start_whatever_the_umask(tmp_path, umask, wanted):
    before = os.umask(umask)
    try:
        with whole_file(tmp_path / "file", wanted) as file:
            (part,) = tmp_path.iterdir()
            assert mode(part) == wanted
            file.write(b"x")
        assert mode(tmp_path / "file") == wanted
    finally:
        os.umask(before)


def test_the_mode_of_an_older_file_does_not_last(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o666)
    write(path, replace=True)
    assert mode(path) == PRIVATE_FILE


def test_a_full_disk_is_told(tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(OutputError, match="disk is full"):
            write(tmp_path / "file", bytes(1 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_every_error_of_the_system_is_told(tmp_path, monkeypatch, step):
    def fail(*_args):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (durable.Path, "replace")), fail)
    with pytest.raises(OutputError, match="input/output error"):
        write(tmp_path / "file")
    assert names(tmp_path) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    for path in (tmp_path / "missing" / "file", tmp_path / "plain" / "file"):
        with pytest.raises(OutputError):
            write(path)


CHILD = """
import sys, time
from pathlib import Path
from shoal.files.durable import whole_file
with whole_file(Path(sys.argv[1]), replace=True) as file:
    file.write(bytes(1 << 16))
    file.flush()
    print("half", flush=True)
    for _ in range(600):  # of a signal that comes just before it begins, a sleep hears nothing until it ends
        time.sleep(0.1)
"""


def killed_by(number, path):
    child = subprocess.Popen([sys.executable, "-c", CHILD, path], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "half\n"
    child.send_signal(number)
    child.communicate(timeout=60)
    return child.returncode


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, None), (signal.SIGKILL, -9)])
@pytest.mark.parametrize("older", [False, True])
def test_killed_half_way(tmp_path, number, code, older):
    path = tmp_path / "file"
    if older:
        path.write_bytes(b"old")
    returned = killed_by(number, path)
    assert returned == code if code else returned
    assert path.exists() is older
    assert not older or path.read_bytes() == b"old"
    left = [name for name in names(tmp_path) if name != "file"]
    assert len(left) == (number == signal.SIGKILL)
    assert all(name.startswith(".shoal-") and name.endswith(".part") for name in left)


def test_a_signal_that_comes_during_the_rename_waits(tmp_path, monkeypatch):
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sync = durable.sync_folder

    def signalled(folder):
        signal.raise_signal(signal.SIGTERM)
        sync(folder)

    monkeypatch.setattr(durable, "sync_folder", signalled)
    try:
        with pytest.raises(Terminated):
            write(tmp_path / "file")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert names(tmp_path) == ["file"]


def test_threads_write_as_well(tmp_path):
    threads = [threading.Thread(target=write, args=(tmp_path / f"{i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names(tmp_path) == ["0", "1", "2", "3"]
