"""Who hides with whom: GLOVE's greedy on the people of a data set."""

import numpy as np

from shoal.data import Traces
from shoal.errors import DataError
from shoal.kernels.glove import Grouping, glove
from shoal.mechanisms.base import Progress


def group_people(traces: Traces, k: int, leftover_limit: float, progress: Progress) -> Grouping:
    """Group everybody; there are at least k people."""
    traces.grid.check_caps()
    offsets = np.asarray(traces.offsets)
    try:
        return glove(
            offsets,
            traces.t,
            traces.x,
            traces.y,
            space_cap=traces.grid.space_cap,
            time_cap=traces.grid.time_cap,
            k=k,
            leftover_limit=leftover_limit,
            progress=progress,
        )
    except ValueError as problem:
        raise DataError(
            str(problem), expected="fingerprints that exact integers can hold", hint="use a coarser grid"
        ) from problem
