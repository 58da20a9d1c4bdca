"""Real processes that are told to end, that run out of space, that run at once."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import shoal.errors
from shoal.files.leftovers import left_behind, remove_all
from shoal.release import Ledger

SOURCE = Path(shoal.errors.__file__).parents[1]

PRELUDE = """
import os, resource, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be inherited as ignored, and rightly stay so
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a script, likewise
from pathlib import Path
import numpy as np, pyarrow as pa
from shoal.errors import ShoalError
from shoal.contract.claims import Nothing
from shoal.data import Points
from shoal.release import Protected, build_release
import shoal.release.release, shoal.files.publish

def release(count=2000, prefix="p", per_person=10):
    rng, size = np.random.default_rng(1), count * per_person
    points = Points(
        pa.array([f"{prefix}{i}" for i in range(count)]), np.arange(count), np.arange(count + 1) * per_person,
        np.arange(size), *rng.random((2, size)),
    )
    return build_release(
        Protected(payload=points), mechanism="m", parameters={}, claim=Nothing(), span_s=(0, 10)
    )

def wait():  # in slices: of a signal that comes just before it begins, a sleep hears nothing until it ends
    for _ in range(600):
        time.sleep(0.1)

def write(made, out, **more):
    try:
        made.write(out, **more)
    except ShoalError as error:
        print(type(error).__name__, error, file=sys.stderr)
        sys.exit(error.exit_code)
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def start(script: str, *args: object, prefix: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*prefix, sys.executable, "-c", PRELUDE + script, *map(str, args)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    try:
        _, stderr = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, stderr


@pytest.fixture
def place(tmp_path, make_release, listing):
    """A directory with one release and a ledger that knows it; and how to see that nothing changed."""
    make_release(6).write(tmp_path / "earlier", ledger=tmp_path / "ledger")
    before = listing(tmp_path)
    yield tmp_path
    assert listing(tmp_path) == before


HALFWAY = """
real = shoal.release.release.write_parquet
calls = 0
def slow(table, sink):
    global calls
    calls += 1
    if calls < int(sys.argv[2]):
        return real(table, sink)
    sink.write(b"x" * 100_000); sink.flush()
    print("writing", flush=True)
    wait()
shoal.release.release.write_parquet = slow
folder = Path(sys.argv[1])
write(release(), folder / "out", ledger=folder / "ledger")
"""


@pytest.mark.parametrize(
    ("number", "code", "which"),
    [
        (signal.SIGTERM, 143, 1),
        (signal.SIGHUP, 129, 2),
        (signal.SIGINT, -signal.SIGINT, 3),
    ],
)
def test_told_to_end_halfway(place, number, code, which):
    process = start(HALFWAY, place, which)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    assert list(place.glob(".shoal-*.part")), "it is halfway"
    process.send_signal(number)
    # A second one must not interrupt the clean-up.
    process.send_signal(number)
    # Or by the second one, once everything is cleaned up.
    assert finish(process)[0] in (code, -number)


def test_sigterm_during_a_real_write(place):
    """Nothing slowed down: a million rows and more, ended as soon as the first bytes are there."""
    script = """
made = release(10_000, per_person=150)
print("made", flush=True)
write(made, Path(sys.argv[1]) / "out", ledger=Path(sys.argv[1]) / "ledger")
"""
    process = start(script, place)
    assert process.stdout is not None
    assert process.stdout.readline() == "made\n"
    deadline = time.monotonic() + 30
    while not any(path.stat().st_size for path in place.glob(".shoal-*.part/data.parquet")):
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    assert finish(process)[0] == 143


def test_sigterm_while_a_first_key_is_drawn(tmp_path):
    script = """
import shoal.release.ledger as ledger
def slow(*args):
    print("hashing", flush=True)
    wait()
ledger.hash_people = slow
write(release(), Path(sys.argv[1]) / "out", ledger=Path(sys.argv[1]) / "ledger")
"""
    process = start(script, tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "hashing\n"
    process.send_signal(signal.SIGTERM)
    assert finish(process)[0] == 143
    assert list(tmp_path.iterdir()) == []


def test_a_signal_between_the_renames_waits_for_the_last(tmp_path):
    script = """
sync = shoal.files.publish.sync_folder
def signalled(folder):
    os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.05)
    sync(folder)
shoal.files.publish.sync_folder = signalled
write(release(), Path(sys.argv[1]) / "out", ledger=Path(sys.argv[1]) / "ledger")
"""
    assert finish(start(script, tmp_path))[0] == 143
    assert names(tmp_path) == ["ledger", "ledger.key", "out", "out.secret"]
    assert Ledger(tmp_path / "ledger").count() == 1


def test_files_must_not_grow(place):
    """Limits that are hit by the data, the mapping, and the ledger when all the rest is written and synced."""
    script = """
folder = Path(sys.argv[1])
made = release()
sizes = sorted({0, 1000, 20_000, folder.joinpath("ledger").stat().st_size + 20, 50_000, 150_000})
for limit in sizes + ["ledger"]:
    if limit == "ledger":
        limit = folder.joinpath("ledger").stat().st_size + 20
        shoal.release.release.write_parquet = lambda table, sink: sink.write(b"x")
        shoal.release.release.spelled = lambda manifest: b"x"
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        made.write(folder / "out", ledger=folder / "ledger")
    except ShoalError as error:
        print(type(error).__name__, error)
    else:
        sys.exit("it was written")
    assert sorted(os.listdir(folder)) == ["earlier", "earlier.secret", "ledger", "ledger.key"]
"""
    process = start(script, place)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    lines = stdout.splitlines()
    assert len(lines) == 7
    assert all(line.startswith("OutputError the disk is full") and "hint: " in line for line in lines)


def mounting() -> tuple[str, ...] | None:
    """How to get a mount namespace of one's own, which is gone with the process."""
    for prefix in (("unshare", "-m"), ("unshare", "-rm")):
        if shutil.which("unshare") and shutil.which("mount"):
            probe = [*prefix, "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"]
            if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
                return prefix
    return None


def test_the_disk_is_full(tmp_path):
    """A disk with room for less than the data, the mapping or the ledger; the other two lie elsewhere."""
    prefix = mounting()
    if prefix is None:
        pytest.skip("mounting is not permitted here")
    script = """
import subprocess
folder = Path(sys.argv[1])
made = release()
(folder / "roomy").mkdir()
for small in ("out", "secret", "ledger"):
    disk = folder / small
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "none", disk], check=True)
    out, secret, ledger = (folder / (n if n == small else "roomy") / "x" / n for n in ("out", "secret", "ledger"))
    for path in (out, secret, ledger):
        path.parent.mkdir(exist_ok=True)
    try:
        made.write(out, secret=secret, ledger=ledger)
    except ShoalError as error:
        print(small, type(error).__name__, error)
    print(small, "left", [path.name for path in folder.rglob("*") if path.parent.name == "x"])
"""
    process = start(script, tmp_path, prefix=prefix)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    lines = stdout.splitlines()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    for small, (error, left) in zip(("out", "secret", "ledger"), pairs, strict=True):
        assert error.startswith(f"{small} OutputError the disk is full")
        assert left == f"{small} left []"


def test_runs_at_once(tmp_path):
    """Each run publishes people of its own, which always works, and people of all, which works for one."""
    script = """
folder, name = Path(sys.argv[1]), sys.argv[2]
own, shared = release(300, prefix=name), release(300, prefix="shared")
print("ready", flush=True)
while not (folder / "go").exists():
    time.sleep(0.001)
write(own, folder / f"own-{name}", ledger=folder / "ledger")
write(shared, folder / f"shared-{name}", ledger=folder / "ledger")
"""
    processes = [start(script, tmp_path, name) for name in "abc"]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    (tmp_path / "go").touch()
    ends = [finish(process) for process in processes]
    assert sorted(code for code, _ in ends) == [0, 1, 1], ends
    assert all("LedgerError all of these people" in stderr for code, stderr in ends if code)
    assert Ledger(tmp_path / "ledger").count() == 4
    left = names(tmp_path)
    assert sum(name.startswith("shared-") for name in left) == 2  # the release and its secret
    assert sum(name.startswith("own-") for name in left) == 6
    assert not [name for name in left if name.startswith(".")]


KILLED = """
rename, left = Path.rename, int(sys.argv[2])
def until_killed(self, to):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return rename(self, to)
Path.rename = until_killed
folder = Path(sys.argv[1])
write(release(20), folder / "out", ledger=folder / "ledger")
"""


AGAIN = """
folder = Path(sys.argv[1])
write(release(20), folder / sys.argv[2], ledger=folder / "ledger")
"""


@pytest.mark.parametrize("renames", [0, 1])
def test_killed_between_the_ledger_and_the_release(tmp_path, renames):
    """Nobody saw the release: it may be tried again, and what was left behind is found and removed."""
    code, _ = finish(start(KILLED, tmp_path, renames))
    assert code == -signal.SIGKILL
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "ledger").exists()
    folder = Path(tmp_path)
    assert len(left_behind(folder)) == 2 - renames
    code, said = finish(start(AGAIN, folder, "out"))
    assert (code, said) == (0, "")
    assert Ledger(tmp_path / "ledger").count() == 1
    assert len(remove_all(left_behind(folder))) == 2
    assert names(tmp_path) == ["ledger", "ledger.key", "out", "out.secret"]


def test_killed_after_the_release_was_visible(tmp_path):
    script = (
        """
import shoal.release.recording
shoal.release.recording.Recording.settle = lambda self: os.kill(os.getpid(), signal.SIGKILL)
"""
        + AGAIN
    )
    code, _ = finish(start(script, tmp_path, "out"))
    assert code == -signal.SIGKILL
    assert (tmp_path / "out").is_dir()
    code, said = finish(start(AGAIN, tmp_path, "two"))
    assert code == 1
    assert "LedgerError" in said
    assert names(tmp_path) == ["ledger", "ledger.key", "out", "out.secret"]
