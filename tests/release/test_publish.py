"""All or nothing, seen from inside the process; signals and full disks are in test_interruption.py."""

import errno
import hashlib
import json
import os
import signal
import stat
import threading
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.errors import LedgerError, OutputError, ShoalError
from shoal.files import publish as publish_module
from shoal.release import Ledger, Secret, suppressed


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written(make_release, tmp_path):
    withheld = suppressed.whole_people(["gone"], "leftover")
    hiding = pa.table({"original_uid": ["a"], "member": ["b"]})
    release = make_release(withheld=withheld, extra={"hiding": hiding}, run={"input": Path("/in"), "rows": 3})
    out = release.write(tmp_path / "out")
    assert out == tmp_path / "out"
    assert names(tmp_path) == ["out", "out.secret"]
    assert names(out) == ["data.parquet", "manifest.json"]
    secret = tmp_path / "out.secret"
    assert names(secret) == [
        "hiding.parquet",
        "manifest.sha256",
        "mapping.parquet",
        "run.json",
        "suppressed.parquet",
    ]
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest.pop("sha256") == {"data.parquet": hashlib.sha256((out / "data.parquet").read_bytes()).hexdigest()}
    assert {**manifest, "sha256": {}} == release.manifest
    digest = hashlib.sha256((out / "manifest.json").read_bytes()).hexdigest()
    assert (secret / "manifest.sha256").read_text() == f"{digest}  manifest.json\n"
    assert json.loads((secret / "run.json").read_text()) == {"input": "/in", "rows": 3}
    assert pq.read_table(out / "data.parquet") == release.data
    assert pq.read_table(secret / "mapping.parquet") == release.secret.mapping
    assert pq.read_table(secret / "suppressed.parquet") == withheld
    assert pq.read_table(secret / "hiding.parquet") == hiding
    assert pl.read_parquet(secret / "suppressed.parquet").schema["t"] == pl.Datetime("us", "UTC")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_modes_whatever_the_umask(make_release, tmp_path, umask):
    old = os.umask(umask)
    try:
        make_release().write(tmp_path / "out")
    finally:
        os.umask(old)
    assert mode(tmp_path / "out") == 0o755
    assert mode(tmp_path / "out.secret") == 0o700
    assert {mode(path) for path in (tmp_path / "out").iterdir()} == {0o644}
    assert {mode(path) for path in (tmp_path / "out.secret").iterdir()} == {0o600}


def test_while_being_written_nobody_else_can_look(make_release, tmp_path, monkeypatch):
    seen = []

    def look(*_args: object) -> None:
        seen.extend((path.name, mode(path)) for path in tmp_path.iterdir())
        seen.extend((path.name, mode(path)) for path in tmp_path.rglob("*.parquet"))

    monkeypatch.setattr(publish_module, "seal", lambda *_args, **_modes: look())
    make_release().write(tmp_path / "out")
    assert seen
    for name, bits in seen:
        assert bits in (0o700, 0o600)
        assert name.endswith(".parquet") or (name.startswith(".shoal-") and name.endswith(".part"))


def test_secret_elsewhere(make_release, tmp_path):
    (tmp_path / "safe").mkdir()
    make_release().write(f"{tmp_path}/out/", secret=f"{tmp_path}/safe/s/")
    assert names(tmp_path / "safe") == ["s"]
    assert names(tmp_path) == ["out", "safe"]


def test_refusals_leave_everything_alone(make_release, tmp_path, listing):
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("x")
    before = listing(tmp_path)
    for path, secret in [
        ("taken", None),
        ("file", None),
        ("out", "taken"),
        ("out", "out/secret"),
        ("out", "out"),
        ("no/out", None),
    ]:
        with pytest.raises(OutputError):
            make_release().write(tmp_path / path, secret=secret and tmp_path / secret)
    assert listing(tmp_path) == before
    assert Ledger().count() == 0


def test_twice_to_the_same_place(make_release, tmp_path, listing):
    make_release().write(tmp_path / "out")
    before = listing(tmp_path)
    with pytest.raises(OutputError, match="exists"):
        make_release().write(tmp_path / "out", again=True)
    assert listing(tmp_path) == before
    assert Ledger().count() == 1


def test_a_refused_ledger_leaves_nothing(make_release, tmp_path):
    make_release().write(tmp_path / "one")
    with pytest.raises(LedgerError):
        make_release().write(tmp_path / "two")
    assert names(tmp_path) == ["one", "one.secret"]


def test_extra_tables_cannot_hide_others():
    table = suppressed.none()
    for name in ("mapping", "suppressed", "../x", "", "A"):
        with pytest.raises(AssertionError):
            Secret(table, table, {name: table})


class Steps:
    """Lets one call of the system's functions fail: the n-th, counted over all of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, fail_at: int, error: BaseException) -> None:
        self.count, self.fail_at, self.error = 0, fail_at, error
        for owner, name in [(os, "fsync"), (os, "open"), (Path, "chmod"), (Path, "rename"), (Path, "replace")]:
            monkeypatch.setattr(owner, name, self.wrap(getattr(owner, name)))

    def wrap(self, function):
        def call(*args, **kwargs):
            self.count += 1
            if self.count == self.fail_at:
                raise self.error
            return function(*args, **kwargs)

        return call


@pytest.mark.parametrize("earlier", [False, True], ids=["first", "second"])
@pytest.mark.parametrize("error", [OSError(errno.EIO, "x"), KeyboardInterrupt(), MemoryError()], ids=repr)
def test_whichever_step_fails_nothing_is_left(make_release, tmp_path, listing, error, earlier):
    state = tmp_path / "state"
    ledger = Ledger(state / "ledger")
    state.mkdir()
    if earlier:
        make_release(["x", "y"]).write(tmp_path / "earlier", ledger=ledger.path)
    before = listing(tmp_path)
    release = make_release(4)

    def attempt(fail_at: int) -> int:
        with pytest.MonkeyPatch.context() as monkeypatch:
            steps = Steps(monkeypatch, fail_at, error)
            release.write(tmp_path / "out", ledger=ledger.path)
            return steps.count

    expected = ShoalError if isinstance(error, OSError) else type(error)
    failed = 0
    while True:
        try:
            total = attempt(failed + 1)
        except expected:
            failed += 1
            assert listing(tmp_path) == before
        else:
            break
    # Every step was made to fail once, and without a failure it works.
    assert failed == total > 20
    assert ledger.count() == 1 + earlier
    assert (tmp_path / "out" / "manifest.json").exists()


def test_the_ledger_is_written_before_the_release_is_visible(make_release, tmp_path, monkeypatch):
    order = []
    rename, replace = Path.rename, Path.replace
    monkeypatch.setattr(Path, "rename", lambda self, to: order.append(Path(to).name) or rename(self, to))
    monkeypatch.setattr(Path, "replace", lambda self, to: order.append(Path(to).name) or replace(self, to))
    make_release().write(tmp_path / "out")
    assert order == ["ledger.begun", "ledger", "out.secret", "out"]


def test_all_is_synced_before_it_is_renamed_and_the_renames_after(make_release, tmp_path, monkeypatch):
    events = []
    rename, replace = Path.rename, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: events.append(("sync", os.fstat(handle).st_ino)))
    monkeypatch.setattr(Path, "rename", lambda self, to: events.append(("rename", to)) or rename(self, to))
    monkeypatch.setattr(Path, "replace", lambda self, to: events.append(("rename", to)) or replace(self, to))
    ledger = tmp_path / "state" / "ledger"
    make_release().write(tmp_path / "out", ledger=ledger)
    for target in (ledger, tmp_path / "out.secret", tmp_path / "out"):
        at = events.index(("rename", target))
        for path in (target, *target.parent.glob(f"{target.name}/*")):
            assert ("sync", path.stat().st_ino) in events[:at]
        assert events[at + 1] == ("sync", target.parent.stat().st_ino)


@pytest.mark.parametrize("which", ["out", "out.secret"])
@pytest.mark.parametrize("kind", ["file", "empty", "full"])
def test_a_target_that_comes_up_meanwhile_is_not_replaced(make_release, tmp_path, monkeypatch, which, kind):
    seal = publish_module.seal

    def seal_and_interfere(folder: Path, **modes: int) -> None:
        seal(folder, **modes)
        target = tmp_path / which
        if kind == "file":
            target.write_text("theirs")
        else:
            target.mkdir(exist_ok=True)
            if kind == "full":
                (target / "theirs").touch()

    monkeypatch.setattr(publish_module, "seal", seal_and_interfere)
    with pytest.raises(OutputError, match="came into being"):
        make_release().write(tmp_path / "out")
    assert names(tmp_path) == [which]
    assert Ledger().count() == 0


def test_what_cannot_be_taken_back_stays_in_the_ledger(make_release, tmp_path, monkeypatch):
    """The last sync fails, and so does taking the release back: it is visible, so the ledger must know it."""
    rename, sync = Path.rename, publish_module.sync_folder

    def no_way_back(self: Path, to: Path) -> Path:
        if not self.name.startswith(".shoal-"):
            raise OSError(errno.EIO, "x")
        return rename(self, to)

    def fail_late(folder: Path) -> None:
        if (tmp_path / "out").exists():
            raise OSError(errno.EIO, "x")
        sync(folder)

    monkeypatch.setattr(Path, "rename", no_way_back)
    monkeypatch.setattr(publish_module, "sync_folder", fail_late)
    with pytest.raises(OutputError, match="could not be taken back"):
        make_release().write(tmp_path / "out")
    assert Ledger().count() == 1


def test_a_host_with_its_own_handler_keeps_it(make_release, tmp_path, monkeypatch):
    got = []
    seal = publish_module.seal
    previous = signal.signal(signal.SIGTERM, lambda number, _frame: got.append(number))
    try:
        monkeypatch.setattr(
            publish_module, "seal", lambda *a, **m: (signal.raise_signal(signal.SIGTERM), seal(*a, **m))
        )
        make_release().write(tmp_path / "out")
    finally:
        signal.signal(signal.SIGTERM, previous)
    assert got == [signal.SIGTERM, signal.SIGTERM]
    assert (tmp_path / "out").exists()


def test_outside_of_the_main_thread(make_release, tmp_path):
    thread = threading.Thread(target=make_release().write, args=(tmp_path / "out",))
    thread.start()
    thread.join(30)
    assert (tmp_path / "out" / "data.parquet").exists()


def test_a_name_that_is_too_long_is_an_output_error(make_release, tmp_path):
    for length in (300, 250):  # with the secret's ending, the latter too
        with pytest.raises(OutputError, match="no usable path"):
            make_release().write(tmp_path / ("x" * length))
    assert list(tmp_path.iterdir()) == []
    assert Ledger().count() == 0
