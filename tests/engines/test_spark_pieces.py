"""The pieces of the engine on Spark that need no Spark: cutting people, buckets, errors, choosing an engine."""

import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.engines.chosen import engine_for, named_engine
from shoal.engines.local import Local
from shoal.engines.spark import Spark, sorting
from shoal.engines.spark.engine import _Bundle, _bundles, _can_take_more
from shoal.engines.spark.failures import careful, carried, failures_told, read_again
from shoal.engines.spark.people import whole_people
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.files.roots import Root


@given(st.lists(st.integers(1, 9), max_size=12), st.lists(st.integers(0, 7), min_size=1), st.integers(1, 12))
@example([9], [1], 2)
def test_people_come_whole_and_in_order(lengths, cuts, rows):
    uids = [f"p{person:02}" for person, length in enumerate(lengths) for _ in range(length)]
    batches, start = [], 0
    while start < len(uids):
        stop = start + cuts[len(batches) % len(cuts)]
        batches.append(pa.record_batch({"uid": pa.array(uids[start:stop], pa.string())}))
        start = stop if any(cuts) else len(uids)
    tables = list(whole_people(batches, "uid", rows))
    together = [uid for table in tables for uid in table["uid"].to_pylist()]
    assert together == (uids if any(cuts) else [])
    assert all(table.num_rows for table in tables)
    sets = [set(table["uid"].to_pylist()) for table in tables]
    assert sum(map(len, sets)) == len(set().union(*sets))


@given(st.lists(st.lists(st.integers(0, 2**128 - 1), max_size=6, unique=True), max_size=5), st.integers(1, 9))
def test_buckets_one_after_the_other_are_the_sorted_table(parts, buckets):
    """What tasks made, cut, shuffled and sorted bucket by bucket, is what one sort of everything gives."""
    seen = set()
    made = []
    for number, part in enumerate(parts):
        names = sorted(f"{name:032x}" for name in set(part) - seen)
        seen.update(part)
        rows = [(name, place) for name in names for place in range(name.count("1") % 3 + 1)]
        schema = pa.schema({"uid": pa.string(), "place": pa.int64()})
        table = pa.Table.from_pylist([{"uid": name, "place": place} for name, place in rows], schema)
        made.append(sorting.Made(table, bytes([number])))
    keys = list(range(100, 100 + buckets))
    shuffled = {key: [] for key in keys}
    for batch in sorting.in_buckets(made, keys, "uid"):
        shuffled[batch["bucket"][0].as_py()].append(batch)
    pieces, beside = [], []
    for key in keys:
        for batch in sorting._sorted_pieces(shuffled[key][::-1], key="uid"):
            (beside if batch["beside"][0].as_py() else pieces).append(batch["content"][0].as_py())
    found = [row for piece in pieces for row in sorting.from_bytes(piece).to_pylist()]
    expected = [row for one in made for row in one.table.to_pylist()]
    assert found == sorted(expected, key=lambda row: (row["uid"], row["place"]))
    assert sorted(beside) == [bytes([number]) for number in range(len(parts))]


@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 60))
def test_bundles_hold_every_part_once_in_order(sizes, most):
    bundles = list(_bundles(iter(range(len(sizes))), sizes, most))
    assert [number for bundle in bundles for number in bundle.numbers] == list(range(len(sizes)))
    assert [pickle.loads(part) for bundle in bundles for part in bundle.parts] == list(range(len(sizes)))
    for bundle in bundles[:-1]:
        assert sum(sizes[number] for number in bundle.numbers) >= most
        assert sum(sizes[number] for number in bundle.numbers[:-1]) < most


@given(st.lists(st.integers(0, 30), max_size=8), st.integers(1, 6), st.integers(1, 60))
def test_no_more_is_on_its_way_than_can_run_and_than_there_is_room_for(sizes, slots, room):
    """Whoever asks before each bundle holds at most one bundle too many, and is never stuck."""
    running = []
    for size in sizes:
        while not _can_take_more(running, slots, room):
            running.pop(0)
        assert sum(bundle.size for bundle in running) < room
        running.append(_Bundle([0], [bytes(size)]))
        assert len(running) <= slots + 1


@pytest.mark.parametrize("gone", [ConnectionRefusedError, "Py4JNetworkError"])
def test_a_session_whose_java_is_gone_is_closed_and_its_folder_removed(gone):
    protocol = pytest.importorskip("py4j.protocol")
    kind = getattr(protocol, gone) if isinstance(gone, str) else gone

    class Session:
        def stop(self):
            raise kind("no answer")

    engine = Spark(master="local[1]")
    engine._session, engine._root = Session(), Root()
    folder = engine._root.path
    engine.close()
    assert not folder.exists()


@pytest.mark.parametrize("gone", [ConnectionRefusedError, EOFError])
def test_java_that_is_gone_in_the_middle_is_told(gone):
    pytest.importorskip("pyspark")
    with pytest.raises(ShoalError, match="failed on Spark"), failures_told():
        raise gone


def test_errors_of_ours_come_back_whole_and_others_without_their_text():
    error = DataError('a "quoted" {thing}\n', expected="some\tthing", hint="look } there")
    text = f"Caused by: Traceback\n  File\n{carried(error)}\n\tat org.apache.spark"
    assert str(read_again(text)) == str(error)
    assert isinstance(read_again(text), DataError)

    def failing(batches):
        yield from batches
        raise KeyError("+49 170 1234567")

    with pytest.raises(Exception, match="shoal-error") as raised:
        list(careful(failing)([1]))
    assert "170" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
    assert "KeyError" in read_again(str(raised.value)).found


def test_which_engine_is_meant():
    with engine_for(None) as engine:
        assert engine == Local()
    with engine_for(Local(2)) as engine:
        assert engine == Local(2)
    with engine_for("local[2]") as engine:
        assert isinstance(engine, Spark)  # and not opened: nothing was asked of it
    with pytest.raises(ParameterError, match="type int"), engine_for(7):
        pass
    assert named_engine("local", threads=3) == Local(3)
    for wrong in ({"name": "sparc"}, {"name": "local", "master": "x"}, {"name": "spark", "threads": 2}):
        with pytest.raises(ParameterError):
            named_engine(**wrong)
    with pytest.raises(ParameterError, match="partitions"):
        Spark(partitions=0)


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        ("sys.modules['pyspark'] = None", "pip install 'shoal[spark]'"),
        ("os.environ.update(PATH='', JAVA_HOME='')", "apt install openjdk-17-jre-headless"),
    ],
)
def test_what_is_missing_is_told_with_how_to_get_it(prepare, told):
    code = (
        f"import os, sys; {prepare}\n"
        "from shoal.engines.spark import Spark; from shoal.errors import ShoalError\n"
        "try:\n    Spark(master='local[1]').session\n"
        "except ShoalError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert told in done.stdout


def test_a_key_never_shows():
    from shoal import Uniform
    from shoal.data import Grid
    from shoal.data.projection import Projection
    from shoal.mechanisms.randomness import Chance
    from shoal.mechanisms.spread import Task

    chance = Chance(b"secret" * 5)
    task = Task(Uniform(cell_m=1000, minutes=60), Projection(0, 0), Grid(), (0, 1), b"secret" * 5, chance, [0])
    assert "secret" not in repr(task)
    # Beyond a megabyte Spark would send code as a broadcast, which lies on disks.
    assert len(pickle.dumps(task)) < 100_000


@pytest.mark.parametrize("anew", [True, False])
def test_kernels_that_every_process_compiles_are_told_of(anew, monkeypatch):
    from shoal import GeoInd
    from shoal.data import Grid
    from shoal.data.projection import Projection
    from shoal.mechanisms import spread
    from shoal.mechanisms.randomness import Chance
    from shoal.release.spool import spool

    monkeypatch.setattr(spread, "compiles_anew", lambda: anew)
    task = spread.Task(GeoInd(epsilon=0.01), Projection(0, 0), Grid(), (0, 60), bytes(32), Chance.of_seed(1), [0])
    table = pa.table({"uid": ["a", "b"], "epoch_us": [0, 10**6], "lat": [1.0, 2.0], "lng": [1.0, 2.0]})
    made = spread._made(table, task)
    books = [pickle.loads(made.beside)]
    release = spread._release(task, spool(iter([made.table])), books, Spark(master="local[1]"), stamped=True)
    assert any("NUMBA_CACHE_DIR" in remark for remark in release.remarks) == anew


def test_names_of_arrow_are_in_the_order_of_their_bits():
    digits = np.random.default_rng(1).choice(list("0123456789abcdef"), (200, 32))
    names = sorted("".join(row) for row in digits)
    found = sorting.bucket_of(pa.chunked_array([names[:90], names[90:]]).slice(3), 7)
    assert found.tolist() == [int(name[:8], 16) * 7 >> 32 for name in names[3:]]
    assert (np.diff(found) >= 0).all()
    assert sorting.bucket_of(pa.chunked_array([], pa.string()), 7).size == 0
