"""Call profiles on Spark: calls are shuffled by person, and everybody's profiles made where they are.

First all calls are gone through once, for the rules and the period: shares are of the days that there are. What is
built, a row for each person and municipality, goes to the driver, which sorts it.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa

from shoal.contract.kinds import cell_names
from shoal.data import ReadOptions, schemas
from shoal.data.call_profiles import RULES, Building, CallProfiles, Calls
from shoal.data.cells import read_municipalities
from shoal.data.profiles import Profiles
from shoal.engines.spark.failures import careful, failures_told
from shoal.engines.spark.rows import as_tasks_take, in_loads, named, opened, refuse, require_time_stamps

if TYPE_CHECKING:
    from shoal.engines.spark.engine import Spark


def call_profiles(engine: "Spark", source: Any, options: ReadOptions) -> CallProfiles:
    """Build profiles as :func:`shoal.data.call_profiles.read_call_profiles` does.

    Parameters
    ----------
    engine
        Where.
    source
        What Spark can read itself.
    options
        As there.
    """
    frame = opened(engine.session, source)
    mapping = schemas.resolve_calls(list(frame.columns), options.columns, options.person)
    require_time_stamps(frame, mapping["datetime"])
    Calls(options)  # what is wrong with the options is told here, and not by a task
    there = replace(as_tasks_take(options), cells=read_municipalities(options).to_arrow())
    calls = frame.select(named(mapping))
    with failures_told():
        found = _answers(calls.mapInArrow(careful(partial(_gone_through, options=there)), "found binary").collect())
    dropped: Counter[str] = sum((part.dropped for part in found), Counter())
    rows, records = sum(part.rows for part in found), sum(part.records for part in found)
    refuse(RULES, rows, records, dropped, stop=options.bad_rows == "stop")
    some = [part for part in found if part.records]
    period = min(part.first_day for part in some), max(part.last_day for part in some)
    built = calls.repartition(engine.tasks_for(rows), "uid").mapInArrow(
        careful(partial(_built, options=there, period=period)), "found binary"
    )
    with failures_told():
        parts: list[tuple[pa.Table, Building]] = _answers(built.toLocalIterator(prefetchPartitions=True))
    ignored = tuple(name for name in frame.columns if name not in set(mapping.values()))
    together = Building.together([building for _, building in parts])
    zone = next(part.time_zone for part in some)
    return CallProfiles(_sorted([table for table, _ in parts]), rows, records, zone, ignored, dict(dropped), together)


class _Found:
    """What a task found that went through some calls."""

    def __init__(self, calls: Calls) -> None:
        self.rows, self.records, self.dropped = calls.rows, calls.records, calls.dropped
        self.first_day, self.last_day, self.time_zone = calls.first_day, calls.last_day, calls.time_zone


def _gone_through(batches: Iterable[pa.RecordBatch], *, options: ReadOptions) -> Iterator[pa.RecordBatch]:
    """Hold some calls to the rules, and find their period: what a task does."""
    yield _answer(_Found(_collected(batches, options)))


def _built(
    batches: Iterable[pa.RecordBatch], *, options: ReadOptions, period: tuple[int, int]
) -> Iterator[pa.RecordBatch]:
    """Build the profiles of some people: what a task does."""
    calls = _collected(batches, options)
    if calls.records:
        result = calls.result(period)
        yield _answer((result.profiles.to_arrow(), result.building))


def _collected(batches: Iterable[pa.RecordBatch], options: ReadOptions) -> Calls:
    calls = Calls(options)
    for some in in_loads(batches):
        calls.add(some)
    return calls


def _sorted(tables: list[pa.Table]) -> Profiles:
    """Everybody's profiles, by person and municipality."""
    frame = pl.concat([pl.DataFrame(table) for table in tables]).sort("uid", "municipality")
    values = frame.drop("uid", "municipality").to_numpy(order="c")
    people, places = (frame[name].to_arrow().cast(pa.string()) for name in ("uid", "municipality"))
    return Profiles(people, places, values, values.shape[1] // len(cell_names(1)))


def _answer(found: Any) -> pa.RecordBatch:
    return pa.record_batch({"found": pa.array([pickle.dumps(found)], pa.binary())})


def _answers(rows: Iterable[Any]) -> list[Any]:
    """What tasks answered; they are our own."""
    return [pickle.loads(bytes(row["found"])) for row in rows]
