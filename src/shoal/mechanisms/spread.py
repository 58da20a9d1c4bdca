"""People who are spread over machines, protected where they are: for mechanisms that protect everybody alone.

Rows are shuffled once by person, and what is made of them once by published name; the driver never holds them. It does
hold who is who, since the secret directory and the ledger need that. Keys travel with the tasks' code, never as a
broadcast, which would lie on every disk; names and chance are functions of a key and the person, so that a task that is
done twice gives the same twice.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.data import Fixes, Grid, ReadOptions, ReadReport, Traces
from shoal.data.fixes import fixes_from_points
from shoal.data.layout import Span
from shoal.data.projection import Projection
from shoal.data.read import check_grid, traces_from_points
from shoal.data.screen import active_enough
from shoal.data.times import SECOND_US
from shoal.engines.local import Local
from shoal.engines.spark import Spark
from shoal.engines.spark.failures import careful
from shoal.engines.spark.people import columns_of, whole_people
from shoal.engines.spark.rows import Survey, open_rows, survey
from shoal.engines.spark.sorting import SCHEMA, Made, bucket_keys, from_bytes, in_buckets, sorted_stream
from shoal.errors import DataError
from shoal.mechanisms.alone import Alone, Beside
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.randomness import Chance
from shoal.progress import Progress, silent
from shoal.release import Release, suppressed
from shoal.release.build import Published, publish, release_of
from shoal.release.spool import Spooled, in_memory, spool
from shoal.release.tokens import key_of

_ANEW = (
    "kernels were compiled anew in every process: no folder for compiled code can be written to there; name one with "
    "NUMBA_CACHE_DIR"
)


@dataclass(frozen=True)
class Task:
    """All that a task needs to know; small enough to travel with its code.

    Attributes
    ----------
    mechanism
        How to protect people.
    crs, grid
        Of traces.
    span_s
        The time that all data cover: what screening counts by.
    key, chance
        What names and draws follow from.
    buckets
        As in :func:`shoal.engines.spark.sorting.in_buckets`.
    """

    mechanism: Alone
    crs: Projection
    grid: Grid
    span_s: Span
    key: bytes
    chance: Chance
    buckets: list[int]

    def __repr__(self) -> str:
        return f"Task({self.mechanism.name})"  # keys are nobody's business


def protect_spread(
    mechanism: Alone,
    data: Any,
    *,
    engine: Spark,
    grid: Grid | None = None,
    options: ReadOptions | None = None,
    on_read: Callable[[ReadReport], None] | None = None,
    progress: Progress | None = None,
    seed: int | None = None,
) -> Release:
    """Protect people where they are, and build the release.

    Parameters
    ----------
    mechanism
        How to protect them.
    data
        Parquet, or a frame of Spark.
    engine
        Where.
    grid, options, on_read, progress, seed
        As in :func:`shoal.protect`.
    """
    tell, grid = progress or silent, grid or Grid()
    check_grid(mechanism.takes, grid)
    rows = open_rows(engine.session, data, options or ReadOptions())
    tell("reading", 0, 1)
    known = survey(rows)
    tell("reading", 1, 1)
    if on_read:
        on_read(known.report)
    points = known.report.points
    tasks = engine.tasks_for(points)
    task = Task(
        mechanism,
        known.crs,
        grid,
        _span_s(mechanism, known, grid),
        key_of(seed),
        Chance.drawn() if seed is None else Chance.of_seed(seed),
        bucket_keys(engine.session, tasks),
    )
    made = rows.by_person(tasks).mapInArrow(careful(partial(_protected, task=task)), SCHEMA)
    books: list[Beside] = []
    tell("protecting", 0, points)
    spooled = spool(_pieces(sorted_stream(made, tasks, "uid"), books))
    tell("protecting", points, points)
    return _release(task, spooled, books, engine, stamped=seed is not None)


def _pieces(stream: Iterable[tuple[bool, bytes]], books: list[Beside]) -> Iterator[pa.Table]:
    """Keep what stands beside, and hand on the rest."""
    for beside, content in stream:
        if beside:
            books.append(pickle.loads(content))  # our own tasks made it
        else:
            yield from_bytes(content)


def _release(task: Task, spooled: Spooled | None, books: list[Beside], engine: Spark, *, stamped: bool) -> Release:
    """Put the books of all tasks together: what everybody's data here would give."""
    mechanism = task.mechanism
    some = [book for book in books if book.people]
    if not some:
        raise DataError("nobody left after screening", expected="people to protect", hint="lower `min_per_day`")
    found = mechanism._found(some)
    assert spooled is not None, "people of whom nothing is published, and who are not withheld"
    mapping = _by_person(pa.concat_tables([book.mapping for book in some]))
    assert pc.count_distinct(mapping["uid"]).as_py() == mapping.num_rows, "a person whom two tasks protected"
    screened = pa.chunked_array([book.screened.cast(pa.string()) for book in books], pa.string())
    screened = suppressed.whole_people(screened.take(pc.sort_indices(screened)), "screened")
    on_grid = mechanism.takes is Traces
    return release_of(
        Published(mechanism.gives, spooled, mapping, task.crs if on_grid else None, task.grid if on_grid else None),
        replace(
            found,
            withheld=_by_person(found.withheld),
            tables={name: _by_person(table) for name, table in found.tables.items()},
            remarks=(*found.remarks, *((_ANEW,) if any(book.anew for book in some) else ())),
        ),
        mechanism=mechanism.name,
        parameters=mechanism.parameters(),
        claim=mechanism.claim,
        span_s=_covered(some),
        screened=screened,
        run={**_facts(task, some), "screened": screened.num_rows, **engine.facts()},
        stamped=stamped,
    )


def _facts(task: Task, books: list[Beside]) -> dict[str, object]:
    """Say what went in, as for data here."""
    return {
        "mechanism": task.mechanism.name,
        "parameters": task.mechanism.parameters(),
        **({"grid": task.grid.to_dict()} if task.mechanism.takes is Traces else {}),
        "people": sum(book.people for book in books),
        "records": sum(book.records for book in books),
        "span_s": list(_covered(books)),
    }


def _covered(books: list[Beside]) -> Span:
    """The time that those cover who took part."""
    return min(book.span_s[0] for book in books), max(book.span_s[1] for book in books)


def _by_person(table: pa.Table) -> pa.Table:
    """In the order in which data here would have them; what one person has keeps its order."""
    return table.take(pc.sort_indices(table["original_uid"]))


def _span_s(mechanism: Mechanism, known: Survey, grid: Grid) -> Span:
    """The time covered, as the data here would tell it."""
    step = grid.dt_s if mechanism.takes is Traces else 1
    first, last = (time // (step * SECOND_US) for time in (known.first_us, known.last_us))
    return first * step, (last + 1) * step


def _protected(batches: Iterable[pa.RecordBatch], *, task: Task) -> Iterator[pa.RecordBatch]:
    """Protect the people of a partition, many at a time: what a task does."""
    made = (_made(table, task) for table in whole_people(batches, "uid"))
    yield from in_buckets(made, task.buckets, "uid")


def _made(table: pa.Table, task: Task) -> Made:
    """Protect some people, name and sort what is published of them."""
    mechanism, people = task.mechanism, _people(table, task)
    keep = active_enough(people, mechanism.min_per_day, task.span_s)
    screened = people.people.filter(pa.array(~keep))
    if not keep.all():
        people = people.select(keep)
    if not keep.any():
        return Made(pa.table({"uid": pa.array([], pa.string())}), pickle.dumps(Beside(screened=screened)))
    some = mechanism._protect_some(people, Run(Local(1), silent, key=task.chance.key))
    published = publish(some.payload, task.key)
    beside = Beside(
        mapping=published.mapping,
        withheld=some.withheld,
        tables=some.tables,
        tally=some.tally,
        screened=screened,
        people=len(people),
        records=people.records,
        span_s=people.span_s,
        anew=mechanism.compiles and compiles_anew(),
    )
    return Made(in_memory(published.rows), pickle.dumps(beside))


def _people(table: pa.Table, task: Task) -> Traces | Fixes:
    """Rows of whole people as the mechanism takes them."""
    if task.mechanism.takes is Traces:
        return traces_from_points(*columns_of(table), task.crs, task.grid)
    return fixes_from_points(*columns_of(table))


def compiles_anew() -> bool:
    """Whether there is no place here for compiled code."""
    from shoal.kernels.common.jit import cache_folder

    return cache_folder("common") is None
