"""Leak repair: another hider where all who fit give away something far from what the attacker knows.

A hider may cover, somewhere far from the window in which it hides a person, another sample of that person by accident.
If all who fit do, whoever knows the window learns of it.

With three or more to fit, one more hider who does not cover that sample mends it. Nothing may be left: where nobody is
found, what leaks is struck from the data.

With k = 2 the accident of a single hider is enough, and one interval in six leaks after two weeks. One more hider for
each would make everybody's boxes larger by a third. So another one takes the place of the first, who covers nothing of
the person beyond the window. As its own boxes change later, that is done a few times; the share that is left is told.
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np

from shoal.data.layout import Ints64, rows_of
from shoal.kernels.kte.cover import Shown, index_of, shown
from shoal.kernels.kte.draw import Drawing, draw, new_drawing
from shoal.kernels.kte.hiders import NOBODY, Avoid
from shoal.kernels.kte.leaks import Clock, Leaks, far_leaks
from shoal.kernels.kte.lives import Lives, pairs_by
from shoal.mechanisms.kte.bare import cover_the_bare
from shoal.mechanisms.kte.hiding import Hiding
from shoal.mechanisms.kte.windows import NONE, Windows
from shoal.progress import Progress
from shoal.workers import Workers

ROUNDS = 2
"""Of repair, with k = 2."""

CANDIDATES = 24
"""For each leak, among whom the cheapest is taken."""


class Mended(NamedTuple):
    """What is published, and what still leaks."""

    hiding: Hiding
    drawing: Drawing
    leaks: Leaks


def leaks_of(
    hiding: Hiding, lives: Lives, boxes: Shown, tau: int, epsilon: int, *, hasty: bool, workers: Workers
) -> Leaks:
    """What leaks in a release, whoever decided it.

    Parameters
    ----------
    hiding, lives, boxes
        Who hides whom, samples, and what is published.
    tau, epsilon
        In slots.
    hasty
        Whether to tell who leaks in which window only, not all that leaks, and to count no more than that.
    workers
        Who does it.
    """
    epochs, people = hiding.epochs, len(hiding.alive)
    clock = Clock(epochs.start, int(lives.t.max()), epochs.length, epsilon, tau)
    hidden_by = pairs_by(hiding.hidden, hiding.window, hiding.hider, people)
    index = index_of(boxes, lives, epochs.start, epochs.length, epochs.count)
    return far_leaks(
        np.arange(people), clock, lives, hiding.alive, hidden_by, boxes, index, hasty=hasty, workers=workers
    )


def mend(windows: Windows, progress: Progress, *, workers: Workers) -> Mended:
    """Draw the boxes, and give hiders until nothing leaks; with k = 2, `ROUNDS` times.

    Parameters
    ----------
    windows
        What is decided; changed.
    progress
        Told of rounds.
    workers
        Who does it.
    """
    lives, everybody = windows.lives, np.arange(len(windows.alive))
    epsilon, tau = windows.epochs.length, windows.epochs.length * windows.epochs.reach
    drawing, changed = new_drawing(lives.t.size), everybody
    for turn in count():
        phase = f"repairing leaks, round {turn + 1}"
        progress(phase, 0, windows.epochs.windows)
        changed = np.union1d(changed, cover_the_bare(windows))
        hiding = windows.hiding()
        hides = pairs_by(hiding.hider, hiding.window, hiding.hidden, everybody.size)
        draw(changed, lives, hiding.alive, hiding.epochs.reach, hides, drawing, workers=workers)
        boxes = shown(drawing, lives)
        last = windows.k == 2 and turn == ROUNDS
        hasty = windows.k == 2 and not last  # whoever takes the place of a hider must avoid all samples anyway
        leaks = leaks_of(hiding, lives, boxes, tau, epsilon, hasty=hasty, workers=workers)
        if not leaks.person.size or last:
            progress(phase, windows.epochs.windows, windows.epochs.windows)
            return Mended(hiding, drawing, leaks)
        changed, hopeless = _give_hiders(windows, leaks, boxes, partial(progress, phase))
        if windows.k > 2 and hopeless.size:
            windows.strike(leaks.person[hopeless], lives.epoch[leaks.sample[hopeless]].astype(np.int64))
            windows.decide(progress)
            changed = everybody
    raise AssertionError("unreachable")


def _give_hiders(
    windows: Windows, leaks: Leaks, boxes: Shown, tell: Callable[[int, int], None]
) -> tuple[Ints64, Ints64]:
    """Give another hider to whoever leaks; return whose boxes change, and the leaks for which there is nobody."""
    order = np.lexsort((leaks.sample, leaks.person, leaks.window))
    changed, hopeless = [NONE], [NONE]
    for in_window in np.split(order, np.flatnonzero(np.diff(leaks.window[order])) + 1):
        window = int(leaks.window[in_window[0]])
        tell(window, windows.epochs.windows)
        stretch, bits = windows.stretch(window), windows.bits(window)
        for kind in np.unique(bits[leaks.person[in_window]]):
            rows = in_window[bits[leaks.person[in_window]] == kind]
            asked, at = np.unique(leaks.person[rows], return_index=True)
            avoid = Avoid(boxes, np.append(at, rows.size), leaks.sample[rows])
            if windows.k == 2:
                avoid = _everything_far(windows, asked, window, boxes)
            people = windows.in_order(np.flatnonzero(bits == kind))
            hider = windows.candidates(asked, people, stretch, int(kind), CANDIDATES, avoid).hider[:, 0]
            found = hider != NOBODY
            if windows.k == 2:
                changed.append(windows.take_back(window, asked[found]))
            windows.add(window, people[hider[found]], asked[found])
            changed.append(people[hider[found]])
            hopeless.append(rows[np.isin(leaks.person[rows], asked[~found])])
    return np.unique(np.concatenate(changed)), np.concatenate(hopeless)


def _everything_far(windows: Windows, asked: Ints64, window: int, boxes: Shown) -> Avoid:
    """All that is published of people beyond the epochs of a window."""
    lives = windows.lives
    offsets, rows = rows_of(lives.offsets, asked)
    person, epoch = np.repeat(asked, np.diff(offsets)), lives.epoch[rows]
    far = windows.alive[person, epoch] & ((epoch < window) | (epoch > window + windows.epochs.reach))
    return Avoid(boxes, np.concatenate(([0], np.cumsum(far)))[offsets], rows[far])
