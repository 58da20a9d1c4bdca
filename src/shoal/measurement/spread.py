"""People who are spread over machines, counted where they are: rows are shuffled once by person, and only counts go to
the driver. Those are three numbers a person, and how often each gap and each place occurs.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

from shoal.data.grid import Grid
from shoal.data.options import ReadOptions
from shoal.data.projection import Projection
from shoal.data.read import ReadReport, check_grid, traces_from_points
from shoal.data.traces import Traces
from shoal.engines import Engine
from shoal.engines.spark import Spark
from shoal.engines.spark.failures import careful, failures_told
from shoal.engines.spark.people import columns_of, whole_people
from shoal.engines.spark.rows import can_be_read, open_rows, survey
from shoal.measurement.tally import Tally
from shoal.progress import Progress, silent


def tally_there(
    data: Any, grid: Grid, options: ReadOptions, engine: Engine, progress: Progress | None
) -> tuple[Tally, ReadReport] | None:
    """Count people where they are; None where they are not on Spark, or Spark cannot read them itself.

    Parameters
    ----------
    data, grid, options, progress
        As in :func:`shoal.overview`.
    engine
        Where.
    """
    if not (isinstance(engine, Spark) and can_be_read(data, options)):
        return None
    check_grid(Traces, grid)
    tell = progress or silent
    rows = open_rows(engine.session, data, options)
    tell("reading", 0, 1)
    known = survey(rows)
    tell("reading", 1, 1)
    points = known.report.points
    tell("counting", 0, points)
    made = rows.by_person(engine.tasks_for(points)).mapInArrow(
        careful(partial(_counted, crs=known.crs, grid=grid)), "found binary"
    )
    with failures_told():
        # Our own tasks made them.
        parts = [pickle.loads(bytes(row["found"])) for row in made.toLocalIterator(prefetchPartitions=True)]
    tally = Tally.together(parts)
    tell("counting", points, points)
    return tally, replace(known.report, merged=points - int(tally.samples.sum()))


def _counted(batches: Iterable[pa.RecordBatch], *, crs: Projection, grid: Grid) -> Iterator[pa.RecordBatch]:
    """Count the people of a partition, many at a time: what a task does; nothing where nobody is."""
    parts = [Tally.of(traces_from_points(*columns_of(table), crs, grid)) for table in whole_people(batches, "uid")]
    if parts:
        yield pa.record_batch({"found": pa.array([pickle.dumps(Tally.together(parts))], pa.binary())})
