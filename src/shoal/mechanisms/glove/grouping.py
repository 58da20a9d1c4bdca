"""Who hides with whom: GLOVE's greedy on everybody at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.data import Traces
from shoal.data.layout import Ints64
from shoal.errors import DataError
from shoal.kernels.glove.driver import Grouping, glove
from shoal.progress import Progress
from shoal.workers import Workers

Fingerprints = tuple[Ints64, tuple[Ints64, ...], Ints64]
"""The greedy's own boxes: offsets per group, (t, dt, x, dx, y, dy), and of each sample the box it is in, or -1."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Groups without the greedy's working memory, which is larger than the data.

    Attributes
    ----------
    members
        Of each group, indices of people, ascending.
    suppressed
        People in no group.
    boxes
        The greedy's own, where they are wanted.
    value, value_greedy
        Where groups were chosen for what is published: what they cost, and what the greedy's would have cost
        (`shoal.kernels.regroup.value`).
    greedy
        There, members of the greedy's groups: no more people may lose everything than with these.
    """

    members: list[Ints64]
    suppressed: Ints64
    boxes: Fingerprints | None
    value: float = 0.0
    value_greedy: float = 0.0
    greedy: list[Ints64] | None = None

    def fingerprints(self) -> Fingerprints:
        """The paper's boxes, before any reshaping."""
        assert self.boxes is not None, "asked for boxes that were not kept"
        return self.boxes


Better = Callable[..., Settled]
"""Called with people, their groups, progress and workers: gives better groups of the same people."""


def settled(grouping: Grouping, *, boxes: bool) -> Settled:
    """Let the working memory go; the greedy's own boxes are kept where they will be published."""
    return Settled(grouping.members, grouping.suppressed, grouping.fingerprints() if boxes else None)


def group_people(
    traces: Traces, k: int, leftover_limit: float, progress: Progress, *, boxes: bool = True, workers: Workers
) -> Grouping:
    """Group everybody.

    Parameters
    ----------
    traces
        At least k people.
    k, leftover_limit
        As in :class:`shoal.Glove`.
    progress
        Told of all people, called in this thread.
    boxes
        Whether the greedy's own boxes are wanted.
    workers
        Who does it; the calling thread must be none of them.
    """
    traces.grid.check_caps()
    try:
        return glove(
            np.asarray(traces.offsets),
            traces.t,
            traces.x,
            traces.y,
            space_cap=traces.grid.space_cap,
            time_cap=traces.grid.time_cap,
            k=k,
            leftover_limit=leftover_limit,
            boxes=boxes,
            workers=workers,
            progress=progress,
        )
    except ValueError as problem:
        raise DataError(
            str(problem), expected="fingerprints that exact integers can hold", hint="use a coarser grid"
        ) from problem
