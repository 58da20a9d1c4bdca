"""Positions of people on Spark: read from Parquet under all rules, a batch at a time, and surveyed before the work.

The rules and the types are those of the reader here (:mod:`shoal.data.sightings`), applied where the rows are. What
differs: times have to be time stamps, for text and numbers are understood from all of them together; and a row that
breaks a rule has no number, for nobody counts rows across machines.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal.data import ReadOptions, ReadReport, schemas
from shoal.data.arrow import to_polars
from shoal.data.cells import read_cells
from shoal.data.degrees import Degrees, on_circle, wrapped
from shoal.data.loading import Loaded, nothing_kept
from shoal.data.paths import paths_in
from shoal.data.projection import Projection
from shoal.data.rules import Rule
from shoal.data.sightings import positions_in, rules_for
from shoal.data.sources import open_files
from shoal.engines.spark.failures import careful, failures_told
from shoal.errors import DataError, counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

POSITIONS = "uid string, epoch_us long, lat double, lng double"
_ROWS = 250_000
_HALF_TURN = 180


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of an input that is on Spark, under the names that columns mean here.

    Attributes
    ----------
    frame
        The columns that are used.
    options
        How tasks have to understand them: without paths, which are the driver's.
    stop
        Whether a row that breaks a rule stops everything.
    """

    frame: "DataFrame"
    kind: schemas.SightingKind
    options: ReadOptions
    stop: bool
    ignored_columns: tuple[str, ...]

    def positions(self) -> "DataFrame":
        """The positions that keep all rules."""
        return self.frame.mapInArrow(careful(partial(_positions, options=self.options)), POSITIONS)

    def by_person(self, tasks: int) -> "DataFrame":
        """The positions, everybody's together in one of so many tasks, in order."""
        return self.positions().repartition(tasks, "uid").sortWithinPartitions("uid", "epoch_us", "lat", "lng")


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of all rows before anything is made of them.

    Attributes
    ----------
    report
        As reading here gives it; what falls on one sample is not known yet.
    first_us, last_us
        The first and the last time.
    crs
        The projection around everybody.
    """

    report: ReadReport
    first_us: int
    last_us: int
    crs: Projection


def can_be_read(source: Any, options: ReadOptions) -> bool:
    """Tell what Spark reads itself: a frame of its own, Parquet here, or anything with a scheme, such as ``s3a://``."""
    if _is_frame(source) or _has_scheme(source):
        return True
    if paths_in(source) is None:
        return False
    tree = schemas.find_preset(options.schema).tree if options.schema else None
    return tree is None and open_files(paths_in(source) or ()).parquet


def open_rows(session: "SparkSession", source: Any, options: ReadOptions) -> Rows:
    """Find the columns of an input, without reading it.

    Parameters
    ----------
    session
        Where it is read.
    source
        What `can_be_read` allows.
    options
        As in :func:`shoal.read`.
    """
    frame = opened(session, source)
    preset = schemas.find_preset(options.schema) if options.schema else None
    mapping = schemas.resolve(list(frame.columns), options.columns, preset, options.person)
    kind = schemas.kind_of_sightings(mapping)
    require_time_stamps(frame, mapping["datetime"])
    ignored = tuple(name for name in frame.columns if name not in set(mapping.values()))
    cells = None if kind == "points" else read_cells(options).to_arrow()
    there = replace(as_tasks_take(options), cells=cells)
    return Rows(frame.select(named(mapping)), kind, there, options.bad_rows == "stop", ignored)


def require_time_stamps(frame: "DataFrame", name: str) -> None:
    """Refuse times that are something else."""
    from pyspark.sql import types

    if not isinstance(frame.schema[name].dataType, types.TimestampType | types.TimestampNTZType):
        raise DataError(
            "times that are no time stamps, on Spark",
            expected="a column of time stamps: text and numbers are understood from all of them together",
            hint="convert the column, or read the files with `engine='local'`",
        )


def named(mapping: Mapping[str, str]) -> list[Any]:
    """Columns of an input under the names that they mean here."""
    from pyspark.sql import functions

    return [functions.col(f"`{actual.replace('`', '``')}`").alias(name) for name, actual in mapping.items()]


def as_tasks_take(options: ReadOptions) -> ReadOptions:
    """What of the options is left for tasks: names are settled, tables are read, and bad rows are counted."""
    return replace(options, columns=None, schema=None, person=None, cells=None, cells_columns=None, bad_rows="drop")


def survey(rows: Rows) -> Survey:
    """Go through all rows once: count them, hold them to the rules, find their period and their middle."""
    with failures_told():
        blobs = rows.frame.mapInArrow(careful(partial(_surveyed, options=rows.options)), "found binary").collect()
    parts = [pickle.loads(bytes(row["found"])) for row in blobs]  # our own tasks made them
    dropped: Counter[str] = sum((part["dropped"] for part in parts), Counter())
    counts = {name: sum(part[name] for part in parts) for name in ("rows", "records", "points")}
    rules = rules_for(rows.kind, allow_zero=rows.options.allow_zero)
    refuse(rules, counts["rows"], counts["records"], dropped, stop=rows.stop)
    dropped = Counter({rule.name: dropped[rule.name] for rule in rules if rule.name in dropped})  # as read here
    zone = next(part["zone"] for part in parts if part["zone"])
    report = ReadReport(rows.kind, **counts, merged=0, time_zone=zone, ignored_columns=rows.ignored_columns)
    seen = [part for part in parts if part["points"]]
    return Survey(
        replace(report, dropped=dict(dropped)),
        min(part["first"] for part in seen),
        max(part["last"] for part in seen),
        _around(rows, Degrees.together(part["lat"] for part in seen), Degrees.together(part["lng"] for part in seen)),
    )


def refuse(rules: list[Rule], found: int, kept: int, dropped: Mapping[str, int], *, stop: bool) -> None:
    """Refuse no rows, rows that break a rule unless they may be dropped, and nothing left."""
    if not found:
        raise DataError("no rows", expected="at least one record", hint="was the export finished?")
    if dropped and stop:
        rule = next(rule for rule in rules if rule.name in dropped)
        raise DataError(
            f"{rule.found} ({counted(dropped[rule.name], 'such row', 'such rows')})",
            expected=rule.expected,
            hint=f"{rule.hint}; or drop such rows with `bad_rows='drop'`",
        )
    if not kept:
        raise nothing_kept(dropped, rules)


def _around(rows: Rows, lat: Degrees, lng: Degrees) -> Projection:
    """The projection that reading here would choose: around the median, sound across the antimeridian."""
    if lng.spread > _HALF_TURN:
        cut = lng.east_of_widest_gap()
        with failures_told():
            work = careful(partial(_longitudes, options=rows.options, cut=cut))
            blobs = rows.frame.mapInArrow(work, "found binary").collect()
        lng = Degrees.together(pickle.loads(bytes(row["found"])) for row in blobs)  # as above
    return Projection(lat.middle(), wrapped(lng.middle()))


def _is_frame(source: Any) -> bool:
    return type(source).__module__.startswith("pyspark.sql") and hasattr(source, "mapInArrow")


def _has_scheme(source: Any) -> bool:
    several = source if isinstance(source, list | tuple) else [source]
    return bool(several) and all(isinstance(one, str) and "://" in one for one in several)


def opened(session: "SparkSession", source: Any) -> "DataFrame":
    """The frame of an input that `can_be_read` allows."""
    from pyspark.errors import PySparkException

    if _is_frame(source):
        frame: DataFrame = source
        return frame
    several = source if isinstance(source, list | tuple) else [source]
    paths = (
        several if _has_scheme(source) else [str(path.resolve()) for path in open_files(paths_in(source) or ()).paths]
    )
    try:
        return session.read.parquet(*paths)
    except PySparkException:
        raise DataError(
            "files that Spark cannot read",
            expected="Parquet with time stamps in microseconds, at a place that all machines see",
            hint="check the path and the permissions; nanoseconds are not known there",
        ) from None


def _positions(batches: Iterable[pa.RecordBatch], *, options: ReadOptions) -> Iterator[pa.RecordBatch]:
    """Positions of some rows, under all rules: what a task does."""
    for loaded in in_loads(batches):
        frame, _, _ = positions_in(loaded, options)
        table = pa.table(
            {
                "uid": frame["uid"].to_arrow().cast(pa.string()),
                "epoch_us": frame["epoch_us"].to_numpy(),
                # A minus zero is equal to zero and looks different: of two such rows none could come first.
                "lat": frame["lat"].to_numpy() + 0.0,
                "lng": frame["lng"].to_numpy() + 0.0,
            }
        )
        yield from table.to_batches(max_chunksize=_ROWS)


def _surveyed(batches: Iterable[pa.RecordBatch], *, options: ReadOptions) -> Iterator[pa.RecordBatch]:
    """Count some rows, in one answer: what a task does."""
    found: dict[str, Any] = {"rows": 0, "records": 0, "points": 0, "dropped": Counter(), "zone": ""}
    lat, lng, times = [], [], []
    for loaded in in_loads(batches):
        frame, kept, found["zone"] = positions_in(loaded, options)
        found["rows"] += loaded.rows
        found["records"] += kept.frame.height
        found["points"] += frame.height
        found["dropped"].update(kept.dropped)
        if frame.height:
            lat.append(Degrees.of(frame["lat"].to_numpy()))
            lng.append(Degrees.of(frame["lng"].to_numpy()))
            epoch_us = frame["epoch_us"].to_numpy()
            times += [int(epoch_us.min()), int(epoch_us.max())]
    if times:
        found |= {"first": min(times), "last": max(times), "lat": Degrees.together(lat), "lng": Degrees.together(lng)}
    yield _answer(found)


def _longitudes(batches: Iterable[pa.RecordBatch], *, options: ReadOptions, cut: float) -> Iterator[pa.RecordBatch]:
    """Longitudes of some rows on a circle that is cut: what a task does."""
    frames = (positions_in(loaded, options)[0] for loaded in in_loads(batches))
    yield _answer(Degrees.together(Degrees.of(on_circle(frame["lng"].to_numpy(), cut)) for frame in frames))


def _answer(found: Any) -> pa.RecordBatch:
    return pa.record_batch({"found": pa.array([pickle.dumps(found)], pa.binary())})


def in_loads(batches: Iterable[pa.RecordBatch]) -> Iterator[Loaded]:
    """Rows of batches as the reader takes them, many at a time; nothing where there are none."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= _ROWS:
            yield _asloaded(waiting)
            waiting = []
    if sum(one.num_rows for one in waiting):
        yield _asloaded(waiting)


def _asloaded(batches: list[pa.RecordBatch]) -> Loaded:
    table = pa.Table.from_batches(batches)
    return Loaded(to_polars({name: table[name] for name in table.column_names}).rechunk(), (), 0)
