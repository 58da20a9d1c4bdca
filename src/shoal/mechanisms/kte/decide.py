"""The way from traces to boxes: who hides whom, what leaks, what is drawn."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from shoal.data import Traces
from shoal.errors import DataError
from shoal.kernels.common.content import content_rank
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import Scale
from shoal.kernels.kte.cover import shown
from shoal.kernels.kte.draw import Drawing, draw, new_drawing
from shoal.kernels.kte.lives import pairs_by
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte.check import check_hiding
from shoal.mechanisms.kte.groups import hide_in_groups
from shoal.mechanisms.kte.hiding import Epochs, Hiding, epochs_of
from shoal.mechanisms.kte.publication import cells_with_samples, lives_of
from shoal.mechanisms.kte.repair import leaks_of, mend
from shoal.mechanisms.kte.windows import Windows
from shoal.progress import Progress
from shoal.workers import Workers


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Who hides whom, the boxes that follow, how many intervals there are in which something is, and how many leak."""

    hiding: Hiding
    drawing: Drawing
    intervals: int
    leaking: int


def decide(
    traces: Traces, tau: int, epsilon: int, k: int, variant: str, run: Run, partition: int | None = None
) -> Decision:
    """Decide who hides whom, and draw the boxes.

    Parameters
    ----------
    traces
        At least k people.
    tau, epsilon
        In slots.
    k, variant, run, partition
        As in :class:`shoal.Kte`.
    """
    epochs = epochs_of(traces, tau, epsilon)
    if variant == "paper":
        from shoal.mechanisms.kte.paper import hide_as_printed

        hiding = hide_as_printed(traces, epochs, k, run)
        with run.engine.workers() as workers:
            return _drawn(traces, hiding, tau, epsilon, run.progress, workers)
    work = partial(decide_part, epochs=epochs, tau=tau, epsilon=epsilon, k=k)
    if partition is None:
        with run.engine.workers() as workers:
            decision = work(traces, workers, run.progress)
    else:
        from shoal.mechanisms.kte.partition import decide_in_parts

        decision = decide_in_parts(traces, partition, work, run)
    check_hiding(decision.hiding, k)
    return decision


def decide_part(
    traces: Traces, workers: Workers, progress: Progress, *, epochs: Epochs, tau: int, epsilon: int, k: int
) -> Decision:
    """Decide for people who hide among each other: everybody, or one neighbourhood, as an engine does it for each.

    Parameters
    ----------
    traces
        The people.
    workers, progress
        From the engine.
    epochs
        How the time of everybody is cut, whoever is here.
    tau, epsilon, k
        As in `decide`.
    """
    if epochs.windows == 1:
        hiding = hide_in_groups(traces, epochs, k, progress, workers=workers)
        return _drawn(traces, hiding, tau, epsilon, progress, workers)
    # Time goes on after the data's end, where nobody has anything, so that intervals beyond it have a window too.
    epochs = replace(epochs, count=epochs.count + epochs.reach)
    mended = mend(_decided(traces, epochs, k, progress, workers), progress, workers=workers)
    return Decision(mended.hiding, mended.drawing, mended.leaks.intervals, mended.leaks.leaking)


def _decided(traces: Traces, epochs: Epochs, k: int, progress: Progress, workers: Workers) -> Windows:
    """Who hides whom, window by window, before anything is known about leaks."""
    lives = lives_of(traces, epochs)
    try:
        rank = content_rank(pack(lives.offsets, lives.t, lives.x, lives.y, Scale(1, 1, 1, 1, 1)))
    except ValueError as problem:
        raise DataError(
            str(problem), expected="samples that exact integers can hold", hint="use a coarser grid"
        ) from problem
    windows = Windows(lives, epochs, cells_with_samples(lives, epochs), rank, k, traces.grid, workers)
    windows.decide(progress)
    return windows


def _drawn(traces: Traces, hiding: Hiding, tau: int, epsilon: int, progress: Progress, workers: Workers) -> Decision:
    """Draw what was decided otherwise, and count what leaks; parameters as in `decide_part`."""
    lives, drawing = lives_of(traces, hiding.epochs), new_drawing(traces.samples)
    hides = pairs_by(hiding.hider, hiding.window, hiding.hidden, len(traces))
    progress("boxes", 0, 1)
    draw(np.arange(len(traces)), lives, hiding.alive, hiding.epochs.reach, hides, drawing, workers=workers)
    progress("boxes", 1, 1)
    leaks = leaks_of(hiding, lives, shown(drawing, lives), tau, epsilon, hasty=False, workers=workers)
    return Decision(hiding, drawing, leaks.intervals, leaks.leaking)
