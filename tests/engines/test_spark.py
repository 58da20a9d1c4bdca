"""One test body over both engines, on a real cluster; and what happens when parts of it die."""

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal import synth
from shoal.auditor.case import Case
from shoal.auditor.registry import run_checks
from shoal.auditor.run import judge
from shoal.auditor.selftest import run as self_test
from shoal.auditor.selftest.sound_boxes import sound_boxes
from shoal.cli.app import run
from shoal.contract.kinds import BOXES
from shoal.engines import chosen
from shoal.engines.local import Local
from shoal.engines.spark import Spark, sorting
from shoal.errors import DataError, ParameterError, ShoalError
from shoal.mechanisms.randomness import Chance
from shoal.release.tokens import key_of
from spark_cluster import QUICK, WAIT_S, Cluster, end

cloudpickle = pytest.importorskip("pyspark.cloudpickle")
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # executors cannot import this file
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("java"), reason="no Java: the engine on Spark is not tested"),
]

SEED = 1
GOWALLA = Path(__file__).resolve().parents[3] / "shared" / "data" / "gowalla_nyc.parquet"
LOOPBACK = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("cluster"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def spark(cluster):
    """An engine on the cluster. Nothing that it is ever given to do may become a broadcast."""
    from pyspark import SparkContext

    with pytest.MonkeyPatch.context() as patch, Spark(master=cluster.url) as engine:
        for name, value in QUICK.items():
            patch.setenv(name, value)
        patch.setattr(SparkContext, "broadcast", broadcast)
        yield engine


def broadcast(context, value):
    """Stand in for Spark's own, which it also takes for code beyond a megabyte."""
    raise AssertionError("a broadcast, which lies on every disk")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small data of each sort, as files; Gowalla's first people where it is there."""
    folder = tmp_path_factory.mktemp("data")
    if GOWALLA.exists():
        checkins = pl.scan_parquet(GOWALLA).sort("uid", maintain_order=True).head(4000)
        checkins.collect().sort("datetime").write_parquet(folder / "gowalla.parquet")
    calls = synth.calls(30, 1, seed=3)
    for name in ("calls", "cells"):
        pq.write_table(calls.events if name == "calls" else calls.cells, folder / f"{name}.parquet")
    events = pl.from_arrow(synth.cdr(150, 2, preset="civ", seed=3)).with_columns(pl.col("uid").cast(pl.String))
    (folder / "events").mkdir()
    for number, part in enumerate(events.iter_slices(2000)):
        part.write_parquet(folder / "events" / f"part-{number}.parquet")
    pl.from_arrow(synth.gps(8, 1, seed=3).points).write_parquet(folder / "gps.parquet")
    skewed(events).write_parquet(folder / "skewed.parquet")
    rng = np.random.default_rng(3)
    profiles = {"uid": [f"p{n:04}" for n in range(300)], "municipality": ["Pisa", "Lucca", "Livorno"] * 100}
    cells = shoal.contract.kinds.cell_names(2)
    values = {name: rng.integers(0, 6, 300) / 5 for name in cells}
    pl.DataFrame(profiles | values).write_parquet(folder / "profiles.parquet")
    return folder


def skewed(events):
    """One person with more rows than a batch of Spark has, and some with one."""
    many, start = 25_000, events["datetime"].min()
    times = pl.select(pl.lit(start) + pl.duration(seconds=pl.int_range(many))).to_series()
    much = pl.DataFrame(
        {
            "uid": ["much"] * many,
            "datetime": times.cast(events["datetime"].dtype),
            "lat": np.linspace(6, 7, many),
            "lng": np.linspace(-5, -4, many),
        }
    )
    ones = events.select(much.columns).group_by("uid", maintain_order=True).head(1).head(20)
    both = pl.concat([much, ones])
    return both.with_columns(pl.concat_str(pl.lit("subscriber-"), "uid"))


ALL = [
    (shoal.Uniform(cell_m=1000, minutes=60), "events"),
    (shoal.Uniform(cell_m=1000, minutes=60, min_per_day=15), "events"),
    (shoal.GeoInd(epsilon="ln(4)/200"), "events"),
    (shoal.GeoInd(epsilon="ln(4)/200", memo_cell_m=500), "skewed.parquet"),
    (shoal.Promesse(alpha_m=200), "gps.parquet"),
    (shoal.Promesse(alpha_m=100, endpoint_trim="fixed"), "skewed.parquet"),
    (shoal.Glove(k=2, partition=40), "events"),
    (shoal.Kte(k=2, partition=40), "events"),
    (shoal.Uniform(cell_m=1000, minutes=60), "gowalla.parquet"),
    (shoal.Glove(k=3, partition=30, suppress_share=0.1), "gowalla.parquet"),
    (shoal.Uniform(cell_m=1000, minutes=60), "calls.parquet"),
    (shoal.Primule(k=5), "profiles.parquet"),
    (shoal.LaplaceProfiles(epsilon=1), "profiles.parquet"),
]


def written(release, path):
    release.write(path, secret=path.with_suffix(".secret"), record=False)
    return path


def assert_equal(one, other):
    """The same bytes are published, and the same books are kept."""
    assert (one / "data.parquet").read_bytes() == (other / "data.parquet").read_bytes()
    assert (one / "manifest.json").read_bytes() == (other / "manifest.json").read_bytes()
    secrets = [path.with_suffix(".secret") for path in (one, other)]
    names = [{file.name for file in secret.iterdir()} for secret in secrets]
    assert names[0] == names[1]
    for name in names[0]:
        if name.endswith(".parquet"):
            assert pq.read_table(secrets[0] / name).equals(pq.read_table(secrets[1] / name)), name
    run, other_run = (json.loads((secret / "run.json").read_text()) for secret in secrets)
    assert other_run.pop("engine") == "spark"
    assert other_run.pop("spill_encrypted") is True
    assert run == other_run


@pytest.mark.parametrize(("mechanism", "name"), ALL, ids=lambda one: getattr(one, "name", one))
def test_both_engines_publish_the_same_bytes(mechanism, name, spark, folder, tmp_path):
    if not (folder / name).exists():
        pytest.skip(f"no {GOWALLA.name}")
    options = shoal.ReadOptions(cells=folder / "cells.parquet") if name == "calls.parquet" else None
    how = {"options": options, "seed": SEED, "not_for_release": True}
    for place, engine in (("here", Local(1)), ("there", spark)):
        shoal.protect(folder / name, mechanism, tmp_path / place, engine=engine, **how)
    assert_equal(tmp_path / "here", tmp_path / "there")


@pytest.mark.parametrize("partitions", [1, 60])
def test_the_number_of_partitions_changes_nothing(partitions, spark, folder, tmp_path):
    """With 60 most are empty."""
    mechanism, data = shoal.Uniform(cell_m=1000, minutes=60), folder / "skewed.parquet"
    engine = Spark(spark.session, partitions=partitions)
    here, there = (mechanism.protect(data, engine=one, seed=SEED) for one in (Local(1), engine))
    assert_equal(written(here, tmp_path / "here"), written(there, tmp_path / "there"))


def test_without_a_seed_only_names_and_chance_differ(spark, folder):
    mechanism, data = shoal.Uniform(cell_m=1000, minutes=60), folder / "events"
    here, there = (mechanism.protect(data, engine=engine) for engine in (Local(1), spark))
    columns = [name for name in here.data.column_names if name != "uid"]
    assert sets_of(here.data, columns) == sets_of(there.data, columns)
    assert set(here.data["uid"].to_pylist()).isdisjoint(there.data["uid"].to_pylist())
    noisy = [shoal.GeoInd(epsilon=0.01).protect(data, engine=spark).data["lat"] for _ in range(2)]
    assert not noisy[0].equals(noisy[1])


def sets_of(table, columns):
    """The rows of everybody, as a set without names."""
    people = pl.from_arrow(table).group_by("uid").agg(pl.struct(columns).alias("rows"))
    return {tuple(map(tuple, (row.values() for row in rows))) for rows in people["rows"].to_list()}


def test_a_frame_of_spark(spark, folder):
    mechanism, frame = shoal.Uniform(cell_m=1000, minutes=60), spark.session.read.parquet(str(folder / "events"))
    here = mechanism.protect(folder / "events", seed=SEED)
    there = mechanism.protect(frame, engine=spark.session, seed=SEED)
    assert here.data.equals(there.data)


def test_profiles_of_calls_are_those_of_this_machine(spark, tmp_path):
    calls = synth.calls(120, 2, seed=3)
    events = pl.from_arrow(calls.events)
    events = pl.concat([events, events.head(7)])  # some twice
    events.write_parquet(tmp_path / "events.parquet")
    options = shoal.ReadOptions(cells=calls.cells, tz="Europe/Rome")
    here, told_here = shoal.build_profiles(tmp_path / "events.parquet", options=options)
    there, told_there = shoal.build_profiles(tmp_path / "events.parquet", options=options, engine=spark)
    assert here.to_arrow().equals(there.to_arrow())
    assert told_here == told_there
    assert told_here.building.copies == 7
    for size, weeks in ((2, None), ("all", 1)):
        risks = [shoal.risk(here, "profile", size, weeks=weeks, engine=engine) for engine in (None, spark)]
        assert risks[0].users.equals(risks[1].users)
        assert risks[0].summary == risks[1].summary


def test_what_is_in_the_data_is_told_the_same(spark, folder, tmp_path):
    """With rows that break rules, samples that fall together, people with one sample, and cells."""
    events = pl.read_parquet(folder / "skewed.parquet")
    row = pl.int_range(pl.len())
    bad = events.with_columns(
        lat=pl.when(row < 3).then(91.0).otherwise("lat"), uid=pl.when(row == 5).then(pl.lit("")).otherwise("uid")
    ).with_columns(lng=pl.when(row == 7).then(-200.0).otherwise("lng"), extra=1)
    (tmp_path / "bad").mkdir()
    for number, part in enumerate(bad.iter_slices(9000)):
        part.write_parquet(tmp_path / "bad" / f"{number}.parquet")
    for data, grid in (
        (folder / "events", None),
        (tmp_path / "bad", shoal.Grid(50, 30)),
        (folder / "gps.parquet", None),
    ):
        here, there = (shoal.overview(data, grid=grid, engine=engine) for engine in (None, spark))
        assert here == there
    assert shoal.overview(f"file://{folder / 'gps.parquet'}", engine=spark) == here
    assert shoal.overview(tmp_path / "bad", engine=Spark(spark.session, partitions=40)).dropped == {
        "uid": 1,
        "latitude": 3,
        "longitude": 1,
    }
    calls = synth.calls(30, 1, seed=3)
    pq.write_table(calls.events, tmp_path / "calls.parquet")
    options = shoal.ReadOptions(cells=calls.cells)
    assert shoal.overview(calls.events, options=options) == shoal.overview(
        tmp_path / "calls.parquet", options=options, engine=spark
    )


COVERED = ("group_size", "people_per_group", "raw_data", "coverage", "truthful")
BROKEN = [one for one in self_test.ALL if one.sort is BOXES and one.expected_id in COVERED]


def test_the_audit_comes_to_the_same_verdict(spark, tmp_path):
    """On a sound release all of it; on broken ones what is compared and covered there."""
    sound = sound_boxes(groups=12, boxes=3, seed=1).write(tmp_path / "sound")
    here, there = (judge(case_of(sound, engine)) for engine in (None, spark))
    assert here == there
    assert here.ok
    rejected = set()
    for number, broken in enumerate(BROKEN):
        draft = sound_boxes(groups=12, boxes=3, seed=1)
        if broken.change is not None:
            broken.change(draft)
        written = draft.write(tmp_path / str(number))
        if broken.tamper is not None:
            broken.tamper(written)
        found = [run_checks(case_of(written, engine), only=COVERED) for engine in (None, spark)]
        assert found[0] == found[1], broken.words
        rejected |= {check.id for check in found[1] if check.status == "fail"}
    assert rejected >= {"group_size", "coverage", "truthful"}
    with pytest.raises(ParameterError, match="`engine` of type str"):
        shoal.audit(sound.release, engine="local[2]")


def case_of(written, engine):
    return Case(written.release, original=written.original, secret=written.secret, seed=SEED, engine=engine)


def test_across_the_antimeridian(spark, tmp_path):
    rng = np.random.default_rng(1)
    lng = rng.normal(179.8, 1, 500)
    start = np.datetime64("2024-01-01", "us")
    events = {
        "uid": rng.integers(0, 9, 500).astype(str),
        "datetime": pl.Series(start + rng.integers(0, 10**6, 500) * np.timedelta64(1, "s")).dt.replace_time_zone("UTC"),
        "lat": rng.normal(-17, 1, 500),
        "lng": np.where(lng > 180, lng - 360, lng),
    }
    pl.DataFrame(events).write_parquet(tmp_path / "fiji.parquet")
    made = [
        shoal.Uniform(cell_m=1000, minutes=60).protect(tmp_path / "fiji.parquet", engine=engine, seed=SEED)
        for engine in (None, spark)
    ]
    assert made[0].manifest == made[1].manifest
    assert made[0].data.equals(made[1].data)


def test_rows_that_break_a_rule(spark, folder, tmp_path):
    events = pl.read_parquet(folder / "events")
    bad = events.with_columns(lat=pl.when(pl.int_range(pl.len()) < 3).then(91.0).otherwise("lat"))
    bad.write_parquet(tmp_path / "bad.parquet")
    mechanism = shoal.Uniform(cell_m=1000, minutes=60)
    with pytest.raises(DataError, match=r"a latitude beyond ±90 \(3 such rows\)"):
        mechanism.protect(tmp_path / "bad.parquet", engine=spark)
    reports = []
    shoal.protect(
        tmp_path / "bad.parquet",
        mechanism,
        tmp_path / "out",
        options=shoal.ReadOptions(bad_rows="drop"),
        on_read=reports.append,
        engine=spark,
        record=False,
    )
    assert reports[0].dropped == {"latitude": 3}
    text = bad.with_columns(pl.col("datetime").dt.to_string())
    text.write_parquet(tmp_path / "text.parquet")
    with pytest.raises(DataError, match="no time stamps"):
        mechanism.protect(tmp_path / "text.parquet", engine=spark)


def test_a_task_that_fails_gives_a_clear_error_and_no_half_release(spark, folder, tmp_path):
    """Times beyond 2038 do not fit so fine a grid; tasks find that out, not the driver."""
    events = pl.read_parquet(folder / "events").with_columns(pl.col("datetime").dt.offset_by("100y"))
    events.write_parquet(tmp_path / "late.parquet")
    with pytest.raises(DataError, match="times too late") as error:
        shoal.protect(
            tmp_path / "late.parquet",
            shoal.Uniform(cell_m=1000, minutes=60),
            tmp_path / "out",
            grid=shoal.Grid(100, 1),
            engine=spark,
            record=False,
        )
    assert "hint" in str(error.value)
    assert {path.name for path in tmp_path.iterdir()} == {"late.parquet"}


def test_faults_of_others_tell_nothing_of_the_data(spark):
    with pytest.raises(ShoalError, match=r"a task that failed on Spark \(ValueError\)") as error:
        spark.map(int_of, ["4917012345"[:4] + "x"])
    assert "4917" not in str(error.value)


def int_of(part, workers, progress):
    return int(part)


def test_parts_come_back_in_order_and_are_counted(spark):
    told = []
    sizes = [3, 1, 4, 1, 5, 9, 2, 6]
    found = spark.map(length_of, map(str, range(8)), progress=lambda *line: told.append(line), phase="x", sizes=sizes)
    assert found == [(str(n), 1) for n in range(8)]
    assert told[-1] == ("x", sum(sizes), sum(sizes))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert spark.map(length_of, []) == []


def length_of(part, workers, progress):
    return part, workers.threads


def test_one_session_at_a_time(spark):
    with pytest.raises(ParameterError, match="open in this process already"):
        _ = Spark(master="local[1]").session


UNENCRYPTED = """
import sys
from pyspark import SparkContext
from pyspark.sql import SparkSession
import shoal
from shoal.engines.spark import Spark
from shoal.errors import ParameterError, ShoalError

session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config(
    "spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
try:
    shoal.Uniform(cell_m=1000, minutes=60).protect(sys.argv[1], engine=session)
except ParameterError as error:
    assert "spark.io.encryption.enabled" in str(error), error
else:
    raise SystemExit("worked without encryption")
allowed = Spark(session, allow_unencrypted_spill=True)
release = shoal.Uniform(cell_m=1000, minutes=60).protect(sys.argv[1], engine=allowed)
assert release.secret.run["spill_encrypted"] is False
SparkContext._gateway.proc.kill()  # as if its memory had run out
SparkContext._gateway.proc.wait()
try:
    allowed.map(int, [1])
except ShoalError as error:
    assert "job that failed on Spark" in str(error), error
else:
    raise SystemExit("worked without a driver")
print("fine", flush=True)
"""


def test_a_given_session_has_to_encrypt_or_the_record_says_so(folder):
    """In a process of its own: there is one session in each. In the end its driver dies, which is told, too."""
    given = [sys.executable, "-c", UNENCRYPTED, str(folder / "events")]
    done = subprocess.run(
        given, capture_output=True, text=True, timeout=WAIT_S, env={**os.environ, **QUICK, **LOOPBACK}
    )
    assert done.stdout.strip().endswith("fine"), done.stderr[-2000:]


def test_inspect_on_the_command_line(spark, folder, monkeypatch, capsys):
    """The same JSON, here and there. In this process, as its session is the one that there can be."""
    monkeypatch.setattr(chosen, "named_engine", lambda name, **_: Spark(spark.session) if name == "spark" else Local())
    told = []
    for more in ((), ("--engine", "spark")):
        monkeypatch.setattr(sys, "argv", ["shoal", "inspect", str(folder / "events"), "--json", *more])
        with pytest.raises(SystemExit):
            run()
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert json.loads(told[0])["nature"] == "calls"


KILLED = """
import os, signal
from shoal.files.roots import Root

root = Root()
(root.path / "spilled").write_text("raw")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_command_line_leaves_nothing_on_the_disk(folder, tmp_path):
    """Neither its own folder, nor that of a run before it that was killed."""
    release, temporary = tmp_path / "release", tmp_path / "tmp"
    temporary.mkdir()
    own = {**os.environ, **QUICK, "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", KILLED], env=own, timeout=WAIT_S, check=False)
    assert [path.read_text() for path in temporary.rglob("spilled")] == ["raw"]
    command = f"protect uniform {folder / 'events'} --cell-m 1000 --minutes 60 --out {release} --json"
    done = subprocess.run(
        [sys.executable, "-m", "shoal", *command.split(), "--engine", "spark", "--master", "local[1]"],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        env=own,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "log4j" not in done.stderr  # Spark is as quiet as it was told to be
    assert " WARN " not in done.stderr
    assert json.loads(done.stdout)["release"] == str(release)
    assert shoal.audit(release, original=folder / "events", secret=release.with_suffix(".secret")).ok
    (place,) = temporary.glob("shoal-*")
    assert list(place.iterdir()) == []


VICTIMS = ["executor", "python worker", "worker"]
MOST_TRIES = 5


@pytest.mark.parametrize("victim", VICTIMS)
def test_what_dies_in_the_middle_changes_nothing(victim, spark, cluster, folder, tmp_path):
    """A real kernel on a real cluster, and a process killed while its tasks run."""
    mechanism, data = shoal.GeoInd(epsilon="ln(4)/200"), folder / "skewed.parquet"
    engine = Spark(spark.session, partitions=12)
    here = mechanism.protect(data, engine=Local(1), seed=SEED)
    killed, found = False, None
    for _ in range(MOST_TRIES):  # on a fast machine the work may be over before anybody is killed
        with ThreadPoolExecutor(1) as thread:
            work = thread.submit(mechanism.protect, data, engine=engine, seed=SEED)
            killed = killed_during(work, victim, spark.session, cluster)
            found = work.result(WAIT_S)
        if killed:
            break
    assert killed
    assert_equal(written(here, tmp_path / "here"), written(found, tmp_path / "there"))


def killed_during(work, victim, session, cluster):
    """Kill somebody while tasks run; tell whether it came to that before the work was done."""
    while not work.done():
        worker = cluster.workers[0]
        pids = {"executor": cluster.executors, "python worker": cluster.python_workers, "worker": lambda one: [one.pid]}
        busy = protecting(session) and cluster.python_workers(worker)
        if busy and (chosen := pids[victim](worker)):
            for pid in chosen:
                end(pid)
            if victim == "worker":
                cluster.workers.remove(worker)
                cluster.add_worker()
            return True
        time.sleep(0.01)
    return False


def protecting(session):
    """Whether tasks run that come after the first shuffle."""
    tracker = session.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return any(stage is not None and stage.numTasks == 12 and stage.numActiveTasks for stage in stages)


def test_neither_people_nor_keys_lie_on_a_disk(spark, cluster, folder):
    """Shuffles are on the disks of the executors while the session lives; nobody can read them."""
    uids = pl.read_parquet(folder / "skewed.parquet")["uid"].unique()
    hidden = {b"subscriber-", *(uid.encode() for uid in uids), key_of(SEED), Chance.of_seed(SEED).key}
    shoal.GeoInd(epsilon=0.01).protect(folder / "skewed.parquet", engine=spark, seed=SEED)
    files = list(lying_there(cluster.spill, spark._root.path))
    assert any(name.startswith("shuffle_") and name.endswith(".data") for name, _ in files)
    for name, content in files:
        assert not any(one in content for one in hidden), name


def lying_there(*roots):
    """Name and content of every file; Spark takes away, at any moment, the shuffles that nobody needs any longer."""
    for folder, _, names in (level for root in roots for level in os.walk(root)):
        for name in names:
            with suppress(FileNotFoundError):
                yield name, Path(folder, name).read_bytes()


def test_a_table_that_streams_through_the_driver_is_not_held_there(spark):
    """Ten buckets of 8 MB: what lies in Java's memory at the last is what lay there at the second."""
    java = spark.session.sparkContext._jvm.java.lang
    rows = spark.session.createDataFrame([(key,) for key in sorting.bucket_keys(spark.session, 10)], "bucket int")
    made = rows.repartition(10, "bucket").mapInArrow(_eight_megabytes, sorting.SCHEMA)
    held_mb = []
    for _, content in sorting.sorted_stream(made, 10, "uid"):
        assert len(content) > 2**22
        java.System.gc()
        held_mb.append((java.Runtime.getRuntime().totalMemory() - java.Runtime.getRuntime().freeMemory()) / 2**20)
    assert len(held_mb) == 10
    assert held_mb[-1] - held_mb[1] < 40


def _eight_megabytes(batches):
    for batch in batches:
        for bucket in batch["bucket"].to_pylist():
            table = pa.table({"uid": ["0" * 32] * 16_000, "x": [os.urandom(480) for _ in range(16_000)]})
            content = pa.array([sorting.as_bytes(table)], pa.binary())
            yield pa.record_batch({"bucket": pa.array([bucket], pa.int32()), "beside": [False], "content": content})
