import os
import stat
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.layout import ALWAYS
from shoal.errors import LedgerError, OutputError, ParameterError
from shoal.files.publish import Move
from shoal.release import Ledger
from shoal.release.ledger import default_path
from shoal.release.ledger_file import decode, hash_people
from shoal.release.ledger_key import KEY_BYTES

DAY = 86_400


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    return Ledger(tmp_path / "state" / "ledger")


def record(ledger: Ledger, people: list[str], span_s=(0, DAY), *, again: bool = False) -> None:
    with ledger.recording(pa.array(people, pa.string()), span_s, "glove", again=again) as step:
        step.prepare()
        step.commit()
        step.settle()


def key_of(ledger: Ledger) -> bytes:
    """The key's file holds the ledger's length as well."""
    return ledger.key_path.read_bytes()[:KEY_BYTES]


def test_a_person_and_an_overlapping_time(ledger):
    record(ledger, ["a", "b"])
    for span in [(0, DAY), (DAY - 1, 2 * DAY), (-DAY, 1), (10, 20), (-DAY, 9 * DAY), ALWAYS]:
        with pytest.raises(LedgerError):
            record(ledger, ["b", "c"], span)
    assert ledger.count() == 1


def test_other_people_or_other_times_are_fine(ledger):
    record(ledger, ["a", "b"])
    record(ledger, ["c"])
    record(ledger, ["a", "b"], (DAY, 2 * DAY))
    record(ledger, ["a", "b"], (-DAY, 0))
    record(ledger, ["a"], (5, 5))
    assert ledger.count() == 5


def test_one_person_more_or_less_does_not_hide_the_rest(ledger):
    people = [f"p{i}" for i in range(100)]
    record(ledger, people)
    for changed in ([*people, "new"], people[1:], people[:1]):
        with pytest.raises(LedgerError):
            record(ledger, changed)


def test_again_allows_and_records(ledger):
    record(ledger, ["a"])
    record(ledger, ["a"], again=True)
    assert ledger.count() == 2
    with pytest.raises(LedgerError):
        record(ledger, ["a"])


def test_the_message_gives_a_share_and_dates_alone(ledger):
    record(ledger, [f"known-{i}" for i in range(500)], (1000, 2000))
    with pytest.raises(LedgerError) as caught:
        record(ledger, [f"known-{i}" for i in range(300)] + [f"new-{i}" for i in range(603)], (1500, 3000))
    text = str(caught.value)
    assert "about 33 %" in text
    assert datetime.now(UTC).date().isoformat() in text
    assert "known-" not in text
    assert "300" not in text
    assert "1500" not in text
    assert "`again=True`" in text
    assert caught.value.exit_code == 1


def test_the_share_counts_each_person_once(ledger):
    record(ledger, ["a", "b"])
    record(ledger, ["a", "c"], again=True)
    with pytest.raises(LedgerError, match="about 75 %"):
        record(ledger, ["a", "b", "c", "d"])


def test_check_writes_nothing(ledger):
    ledger.check(pa.array(["a"]), (0, DAY))
    assert ledger.count() == 0
    assert not ledger.path.parent.exists()
    record(ledger, ["a"])
    before = ledger.path.read_bytes()
    with pytest.raises(LedgerError):
        ledger.check(pa.array(["a"]), (0, DAY))
    ledger.check(pa.array(["b"]), (0, DAY))
    assert ledger.path.read_bytes() == before


def test_what_is_on_disk(ledger):
    old = os.umask(0)
    try:
        record(ledger, ["a-person-with-a-long-name", "another"], (123, 456))
        record(ledger, ["somebody"])
    finally:
        os.umask(old)
    assert names(ledger.path.parent) == ["ledger", "ledger.key"]
    for path, mode in ((ledger.path, 0o600), (ledger.key_path, 0o600), (ledger.path.parent, 0o700)):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    content, key = ledger.path.read_bytes(), key_of(ledger)
    assert b"person" not in content
    assert key not in content
    assert ledger.key_path.read_bytes() == key + len(content).to_bytes(8, "little")
    first, second = decode(content, key)
    assert (first.mechanism, first.span_s, first.hashes.size) == ("glove", (123, 456), 2)
    assert first.date == second.date == datetime.now(UTC).date().isoformat()
    assert (first.hashes == hash_people(pa.array(["another", "a-person-with-a-long-name"]), key)).all()


def test_loose_modes_are_tightened(ledger):
    record(ledger, ["a"])
    ledger.key_path.chmod(0o644)
    ledger.path.chmod(0o644)
    record(ledger, ["b"])
    assert stat.S_IMODE(ledger.key_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


def test_two_ledgers_have_different_keys(tmp_path):
    one, two = Ledger(tmp_path / "one"), Ledger(tmp_path / "two")
    record(one, ["a"])
    record(two, ["a"])
    hashes = [decode(it.path.read_bytes(), key_of(it))[0].hashes[0] for it in (one, two)]
    assert hashes[0] != hashes[1]


def everything_refuses(ledger: Ledger, match: str) -> None:
    """Whatever is wrong, it is said, and nothing on disk changes."""
    before = {path: path.read_bytes() for path in ledger.path.parent.iterdir()}
    for call in (
        lambda: ledger.count(),
        lambda: ledger.check(pa.array(["x"]), (0, 1)),
        lambda: record(ledger, ["x"]),
        lambda: record(ledger, ["x"], again=True),
    ):
        with pytest.raises(LedgerError, match=match):
            call()
    assert {path: path.read_bytes() for path in ledger.path.parent.iterdir()} == before


def test_key_missing(ledger):
    record(ledger, ["a"])
    ledger.key_path.unlink()
    everything_refuses(ledger, "without its key")


@pytest.mark.parametrize("key", [b"", b"short", bytes(33)])
def test_key_of_the_wrong_length(ledger, key):
    record(ledger, ["a"])
    ledger.key_path.write_bytes(key)
    everything_refuses(ledger, "wrong length")


def test_another_key(ledger):
    record(ledger, ["a"])
    ledger.key_path.write_bytes(bytes(32))
    everything_refuses(ledger, "another key")


def test_every_cut_and_every_changed_byte_is_noticed(ledger):
    record(ledger, ["a", "b"])
    whole = ledger.path.read_bytes()
    record(ledger, ["c"])
    content, key = ledger.path.read_bytes(), key_of(ledger)
    for size in set(range(len(content))) - {len(whole)}:
        with pytest.raises(LedgerError):
            decode(content[:size], key)
    for at in range(len(content)):
        with pytest.raises(LedgerError):
            decode(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :], key)
    with pytest.raises(LedgerError):
        decode(content + b"x", key)


def test_corrupt_ledger_on_disk(ledger):
    record(ledger, ["a"])
    ledger.path.write_bytes(ledger.path.read_bytes()[:-3])
    everything_refuses(ledger, "damaged")
    ledger.path.write_bytes(b"something else altogether" * 20)
    everything_refuses(ledger, "not a ledger")
    ledger.path.write_bytes(b"")
    everything_refuses(ledger, "damaged")


def test_every_cut_on_disk_is_noticed_at_a_whole_entry_too(ledger):
    record(ledger, ["a", "b"])
    first = len(ledger.path.read_bytes())
    record(ledger, ["c"])
    content = ledger.path.read_bytes()
    for size in (first, content.index(b"\n") + 1, 10):
        ledger.path.write_bytes(content[:size])
        everything_refuses(ledger, "damaged or cut short")
    ledger.path.write_bytes(content)
    assert ledger.count() == 2


def test_a_ledger_that_is_gone_while_its_key_is_there(ledger):
    record(ledger, ["a"])
    ledger.path.unlink()
    everything_refuses(ledger, "ledger is gone")


def test_a_ledger_from_before_its_length_was_recorded(ledger):
    record(ledger, ["a"])
    content = ledger.path.read_bytes()
    ledger.key_path.write_bytes(key_of(ledger))
    assert ledger.count() == 1
    ledger.path.write_bytes(content[: content.index(b"\n") + 1])
    everything_refuses(ledger, "damaged or cut short")
    ledger.path.unlink()
    everything_refuses(ledger, "ledger is gone")


def test_a_crash_before_the_length_was_recorded_loses_nothing(ledger):
    record(ledger, ["a"])
    before = ledger.key_path.read_bytes()
    record(ledger, ["b"])
    ledger.key_path.write_bytes(before)
    assert ledger.count() == 2
    record(ledger, ["c"])
    assert ledger.count() == 3


def test_a_directory_in_its_place(ledger):
    ledger.path.mkdir(parents=True)
    ledger.key_path.write_bytes(bytes(32))
    with pytest.raises(LedgerError, match="cannot be opened"):
        ledger.count()


@pytest.mark.parametrize("left", [b"", b"k" * 32 + bytes(8)])
def test_a_key_that_nothing_was_written_with_is_no_loss(ledger, left):
    """A crash before the first entry leaves this."""
    ledger.key_path.parent.mkdir()
    ledger.key_path.write_bytes(left)
    assert ledger.count() == 0
    ledger.check(pa.array(["a"]), (0, DAY))
    record(ledger, ["a"])
    assert ledger.count() == 1


def test_populations_are_strangers_to_each_other(tmp_path):
    orange, moov, nobody = (Ledger(tmp_path / "ledger", *name) for name in (("orange",), ("moov",), ()))
    record(orange, ["1", "2", "3"])
    for other in (moov, nobody):
        other.check(pa.array(["1", "2", "3"]), (0, DAY))
        record(other, ["1", "2", "3"])
    for ledger in (orange, moov, nobody):
        with pytest.raises(LedgerError, match=f"population, here '{ledger.population}'"):
            ledger.check(pa.array(["3"]), (0, DAY))
    assert orange.count() == 3
    assert b"person" not in orange.path.read_bytes()


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, None, 7])
def test_a_population_needs_a_name(tmp_path, name):
    with pytest.raises(ParameterError, match="population"):
        Ledger(tmp_path / "ledger", name)


def test_others_are_counted_without_this_one(ledger):
    assert ledger.others(pa.array(["a"])) == 0
    record(ledger, ["a", "b"])
    record(ledger, ["b", "c"], (DAY, 2 * DAY))
    record(ledger, ["x"])
    assert ledger.others(pa.array(["b", "a"])) == 1
    assert ledger.others(pa.array(["c"])) == 1
    assert ledger.others(pa.array(["x"])) == 0
    assert ledger.others(pa.array(["nobody"])) == 0
    assert Ledger(ledger.path, "moov").others(pa.array(["a", "b"])) == 0


def test_identifiers_that_look_alike_are_different_people(ledger):
    record(ledger, ["1", "abc", "x y"])
    ledger.check(pa.array(["01", "1 ", "ABC", "x  y", "１"]), (0, DAY))


class TestAfterKill:
    """A process that is killed between the ledger's entry and the last rename."""

    @pytest.fixture
    def moves(self, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        found = [Move(out / f".shoal-{c * 16}.part", out / name) for c, name in (("a", "r.secret"), ("b", "r"))]
        for part, _ in found:
            part.mkdir()
        return found

    def killed(self, ledger, people, moves, renamed):
        """Leave everything as it is after so many renames."""
        with ledger.recording(pa.array(people), (0, DAY), "m", again=False) as step:
            step.prepare(moves)
            step.commit()
            for part, target in moves[:renamed]:
                part.rename(target)

    @pytest.mark.parametrize("renamed", [0, 1])
    @pytest.mark.parametrize("earlier", [[], ["z"]])
    def test_before_the_release_was_visible_the_entry_is_taken_back(self, ledger, moves, renamed, earlier):
        if earlier:
            record(ledger, earlier)
        before = ledger.path.read_bytes() if earlier else None
        self.killed(ledger, ["a"], moves, renamed)
        ledger.check(pa.array(["a"]), (0, DAY))
        assert ledger.count() == len(earlier)
        assert (ledger.path.read_bytes() if earlier else None) == before
        assert all(part.is_dir() and not target.exists() for part, target in moves)
        record(ledger, ["a"])
        assert ledger.count() == len(earlier) + 1

    def test_afterwards_it_stays(self, ledger, moves):
        self.killed(ledger, ["a"], moves, 2)
        with pytest.raises(LedgerError):
            ledger.check(pa.array(["a"]), (0, DAY))
        assert names(ledger.path.parent) == ["ledger", "ledger.key"]
        assert all(target.is_dir() for _, target in moves)

    def test_where_nobody_can_tell_it_stays(self, ledger, moves):
        self.killed(ledger, ["a"], moves, 2)
        moves[1].target.rename(moves[1].target.with_name("moved-away"))
        with pytest.raises(LedgerError):
            ledger.check(pa.array(["a"]), (0, DAY))

    def test_a_note_that_cannot_be_read_changes_nothing(self, ledger, moves):
        self.killed(ledger, ["a"], moves, 0)
        ledger.path.with_name("ledger.begun").write_bytes(b"{")
        with pytest.raises(LedgerError):
            ledger.check(pa.array(["a"]), (0, DAY))


def test_undo(ledger):
    record(ledger, ["a"])
    before = ledger.path.read_bytes()
    with ledger.recording(pa.array(["b"]), (0, DAY), "glove", again=False) as step:
        step.prepare()
        step.commit()
        assert ledger.path.read_bytes() != before
        step.undo()
        step.undo()
        step.discard()
    assert ledger.path.read_bytes() == before
    assert names(ledger.path.parent) == ["ledger", "ledger.key"]


def test_a_first_release_that_fails_leaves_neither_ledger_nor_key(ledger):
    def fail() -> None:
        with ledger.recording(pa.array(["b"]), (0, DAY), "glove", again=False) as step:
            step.prepare()
            step.commit()
            step.undo()
            step.discard()
            raise OSError

    with pytest.raises(OSError):
        fail()
    assert names(ledger.path.parent) == []


def test_the_second_waits_and_then_sees_the_first(ledger):
    seen: list[str] = []

    def second() -> None:
        try:
            record(ledger, ["a"])
        except LedgerError:
            seen.append("refused")

    with ledger.recording(pa.array(["a"]), (0, DAY), "glove", again=False) as step:
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        assert thread.is_alive()
        step.prepare()
        step.commit()
    thread.join(10)
    assert seen == ["refused"]


def test_the_second_survives_that_the_first_takes_its_key_away(ledger):
    thread = threading.Thread(target=record, args=(ledger, ["a"]))

    def first() -> None:
        with ledger.recording(pa.array(["a"]), (0, DAY), "x", again=False):
            thread.start()
            time.sleep(0.2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        first()
    thread.join(10)
    assert ledger.count() == 1


def test_a_link_to_the_ledger_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "ledger")
    record(Ledger(tmp_path / "link"), ["a"])
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["ledger", "ledger.key"]


def test_default_path(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "shoal" / "ledger"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for unset in ("", "relative/path"):
        monkeypatch.setenv("XDG_STATE_HOME", unset)
        assert default_path() == tmp_path / "home" / ".local" / "state" / "shoal" / "ledger"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_path() == tmp_path / "home" / ".local" / "state" / "shoal" / "ledger"


spans = st.tuples(st.integers(-20, 20), st.integers(0, 10)).map(lambda s: (s[0], s[0] + s[1]))
crowds = st.sets(st.sampled_from("abcdefgh"), max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(crowds, spans), max_size=5), crowds, spans)
def test_like_comparing_all_with_all(tmp_path_factory, earlier, people, span):
    ledger = Ledger(tmp_path_factory.mktemp("ledger") / "ledger")
    for crowd, when in earlier:
        record(ledger, sorted(crowd), when, again=True)
    seconds = set(range(*span))
    meets = any(crowd & people and seconds & set(range(*when)) for crowd, when in earlier)
    if meets:
        with pytest.raises(LedgerError):
            ledger.check(pa.array(sorted(people), pa.string()), span)
    else:
        ledger.check(pa.array(sorted(people), pa.string()), span)
    assert ledger.count() == len(earlier)


def test_write_uses_the_default_ledger_or_the_one_given_or_none(make_release, tmp_path):
    release = make_release()
    release.write(tmp_path / "one")
    assert Ledger().count() == 1
    with pytest.raises(LedgerError):
        release.write(tmp_path / "two")
    assert not (tmp_path / "two").exists()
    release.write(tmp_path / "two", ledger=tmp_path / "mine")
    assert Ledger(tmp_path / "mine").count() == 1
    release.write(tmp_path / "three", again=True)
    assert Ledger().count() == 2
    release.write(tmp_path / "four", record=False)
    make_release(seed=1).write(tmp_path / "five")
    make_release(seed=1).write(tmp_path / "six", again=True)
    assert Ledger().count() == 2


def test_neither_reads_nor_writes(make_release, tmp_path):
    """Without recording, a broken ledger is not even noticed."""
    default_path().parent.mkdir()
    default_path().write_text("broken")
    make_release().write(tmp_path / "one", record=False)
    make_release(seed=1).write(tmp_path / "two")
    with pytest.raises(LedgerError):
        make_release().write(tmp_path / "three")
    assert names(default_path().parent) == ["ledger"]


def test_the_suppressed_are_not_recorded(make_release, tmp_path):
    from shoal.release import suppressed

    make_release(["a", "b"], withheld=suppressed.whole_people(["c", "d"], "leftover")).write(tmp_path / "one")
    make_release(["c", "d"]).write(tmp_path / "two")
    with pytest.raises(LedgerError):
        make_release(["b", "e"]).write(tmp_path / "three")


def test_a_ledger_inside_the_release_is_refused(make_release, tmp_path):
    with pytest.raises(OutputError, match="ledger"):
        make_release().write(tmp_path / "out", ledger=tmp_path / "out" / "ledger")
    assert list(tmp_path.iterdir()) == []
