"""A last look at what was decided, before it is handed over."""

import numpy as np

from shoal.mechanisms.kte.hiding import Hiding


class BrokenHidingError(RuntimeError):
    """What was decided breaks the promise: a fault of this package, and nothing is published."""


def check_hiding(hiding: Hiding, k: int) -> None:
    """Refuse a hiding that does not keep the promise.

    Hiders are there in every cell that they hide, and nowhere else in the window; everybody who has something in a
    window has at least k - 1 hiders there, all different; no pair comes in two windows.
    """
    epochs, alive = hiding.epochs, hiding.alive
    window, hider, hidden = hiding.window, hiding.hider, hiding.hidden
    people = len(alive)
    if (hider == hidden).any():
        raise BrokenHidingError("somebody hides among nobody else")
    cells = window[:, None] + np.arange(epochs.reach + 1)
    of_hider, of_hidden = alive[hider[:, None], cells], alive[hidden[:, None], cells]
    if (of_hider != of_hidden).any() or not of_hidden.any(axis=1).all():
        raise BrokenHidingError("a hider is not there where somebody is hidden")
    rows = np.unique((window * people + hidden) * people + hider)
    if rows.size != window.size:
        raise BrokenHidingError("a pair comes twice in a window")
    _, hiders = np.unique(rows // people, return_counts=True)
    something = sum(
        int(alive[:, first : first + epochs.reach + 1].any(axis=1).sum()) for first in range(epochs.windows)
    )
    if hiders.size != something or (hiders < k - 1).any():
        raise BrokenHidingError("somebody has too few hiders")
    either = np.minimum(hider, hidden) * people + np.maximum(hider, hidden)
    if np.unique(either).size != np.unique(either * epochs.windows + window).size:
        raise BrokenHidingError("a pair comes in two windows")
