"""kte neighbourhood by neighbourhood (``--partition``): several machines, or threads, at once. Not in the paper.

People of a neighbourhood hide among each other only, under the epochs of everybody. What is promised of a neighbourhood
holds in the whole: those of the others can only add to who fits an interval, so at least as many fit, and what all of
them have in common is not more. No pair comes twice, since nobody is in two neighbourhoods. Of leaks as many are
counted as there would be without the others: never fewer than there are.
"""

from collections.abc import Callable

import numpy as np

from shoal.data import Traces
from shoal.data.layout import Ints64, rows_of
from shoal.kernels.kte.draw import Drawing, new_drawing
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte.decide import Decision
from shoal.mechanisms.kte.hiding import Hiding
from shoal.mechanisms.neighbourhoods import neighbourhoods
from shoal.progress import Progress
from shoal.workers import Workers

Work = Callable[[Traces, Workers, Progress], Decision]


def decide_in_parts(traces: Traces, most: int, work: Work, run: Run) -> Decision:
    """Decide for each neighbourhood by itself, and put it together.

    Parameters
    ----------
    traces
        Everybody.
    most
        People in a neighbourhood: 4 k or more, so that each has k people.
    work
        What is done for each.
    run
        Engine and progress; the result depends on neither.
    """
    parts = neighbourhoods(traces, most)
    found = run.engine.map(
        work,
        (traces.select(part) for part in parts),
        progress=run.progress,
        phase="hiding people",
        sizes=[part.size for part in parts],
    )
    return Decision(
        _all_hiding(len(traces), parts, [decision.hiding for decision in found]),
        _all_drawn(traces, parts, [decision.drawing for decision in found]),
        sum(decision.intervals for decision in found),
        sum(decision.leaking for decision in found),
    )


def _all_hiding(people: int, parts: list[Ints64], found: list[Hiding]) -> Hiding:
    """Who hides whom in all neighbourhoods, by the numbers that people have among all."""
    alive = np.empty((people, found[0].epochs.count), np.bool_)
    for part, hiding in zip(parts, found, strict=True):
        alive[part] = hiding.alive
    window = np.concatenate([hiding.window for hiding in found])
    hider = np.concatenate([part[hiding.hider] for part, hiding in zip(parts, found, strict=True)])
    hidden = np.concatenate([part[hiding.hidden] for part, hiding in zip(parts, found, strict=True)])
    return Hiding(found[0].epochs, alive, window, hider, hidden)


def _all_drawn(traces: Traces, parts: list[Ints64], found: list[Drawing]) -> Drawing:
    """The boxes of everybody, at the places of their samples."""
    drawing = new_drawing(traces.samples)
    for part, (is_box, box) in zip(parts, found, strict=True):
        _, rows = rows_of(traces.offsets, part)
        drawing.is_box[rows], drawing.box[rows] = is_box, box
    return drawing
