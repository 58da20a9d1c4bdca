"""The way from traces to boxes: who hides whom, what leaks, what is drawn."""

import math
from dataclasses import dataclass, replace

import numpy as np

from shoal.data import Traces
from shoal.errors import DataError
from shoal.kernels.common.content import content_rank
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import Scale
from shoal.kernels.kte.cover import shown
from shoal.kernels.kte.draw import Drawing, draw, new_drawing
from shoal.kernels.kte.leaks import Leaks
from shoal.kernels.kte.lives import pairs_by
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte.check import check_hiding
from shoal.mechanisms.kte.groups import hide_in_groups
from shoal.mechanisms.kte.hiding import Epochs, Hiding, epochs_of
from shoal.mechanisms.kte.publication import cells_with_samples, lives_of
from shoal.mechanisms.kte.repair import leaks_of, mend
from shoal.mechanisms.kte.windows import Windows
from shoal.workers import Workers

PER_MILLE = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """Who hides whom, the boxes that follow, and the share of intervals that leak, rounded up; None if none may."""

    hiding: Hiding
    drawing: Drawing
    far_leak_share: float | None


def decide(traces: Traces, tau: int, epsilon: int, k: int, variant: str, run: Run) -> Decision:
    """Decide who hides whom, and draw the boxes.

    Parameters
    ----------
    traces
        At least k people.
    tau, epsilon
        In slots.
    k, variant, run
        As in :class:`shoal.Kte`.
    """
    epochs = epochs_of(traces, tau, epsilon)
    if variant == "paper":
        from shoal.mechanisms.kte.paper import hide_as_printed

        hiding = hide_as_printed(traces, epochs, k, run)
        with run.engine.workers() as workers:
            return _drawn(traces, hiding, tau, epsilon, k, run, workers)
    with run.engine.workers() as workers:
        if epochs.windows == 1:
            hiding = hide_in_groups(traces, k, run.progress, workers=workers)
            check_hiding(hiding, k)
            return _drawn(traces, hiding, tau, epsilon, k, run, workers)
        # Time goes on after the data's end, where nobody has anything, so that intervals beyond it have a window too.
        epochs = replace(epochs, count=epochs.count + epochs.reach)
        mended = mend(_decided(traces, epochs, k, run, workers), run.progress, workers=workers)
    check_hiding(mended.hiding, k)
    return Decision(mended.hiding, mended.drawing, _share(mended.leaks, mended.hiding, k))


def _decided(traces: Traces, epochs: Epochs, k: int, run: Run, workers: Workers) -> Windows:
    """Who hides whom, window by window, before anything is known about leaks."""
    lives = lives_of(traces, epochs)
    try:
        rank = content_rank(pack(lives.offsets, lives.t, lives.x, lives.y, Scale(1, 1, 1, 1, 1)))
    except ValueError as problem:
        raise DataError(
            str(problem), expected="samples that exact integers can hold", hint="use a coarser grid"
        ) from problem
    windows = Windows(lives, epochs, cells_with_samples(lives, epochs), rank, k, traces.grid, workers)
    windows.decide(run.progress)
    return windows


def _drawn(traces: Traces, hiding: Hiding, tau: int, epsilon: int, k: int, run: Run, workers: Workers) -> Decision:
    """Draw what was decided otherwise, and count what leaks; parameters as in `decide`."""
    lives, drawing = lives_of(traces, hiding.epochs), new_drawing(traces.samples)
    hides = pairs_by(hiding.hider, hiding.window, hiding.hidden, len(traces))
    run.progress("boxes", 0, 1)
    draw(np.arange(len(traces)), lives, hiding.alive, hiding.epochs.reach, hides, drawing, workers=workers)
    run.progress("boxes", 1, 1)
    leaks = leaks_of(hiding, lives, shown(drawing, lives), tau, epsilon, hasty=False, workers=workers)
    return Decision(hiding, drawing, _share(leaks, hiding, k))


def _share(leaks: Leaks, hiding: Hiding, k: int) -> float | None:
    """What the manifest tells of leaks: for pairs, and for groups, whose members tell all to who knows the end only."""
    if k > 2 and hiding.epochs.windows > 1:
        return None
    return math.ceil(PER_MILLE * leaks.leaking / max(1, leaks.intervals)) / PER_MILLE
