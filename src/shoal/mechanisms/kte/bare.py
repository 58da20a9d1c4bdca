"""Nobody is published bare: whoever hides nobody would have boxes around their own samples alone.

The promise would hold all the same, as others cover the person. But whoever takes the tightest fit would be right.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.data.layout import Ints64
from shoal.kernels.kte.hiders import NOBODY
from shoal.mechanisms.kte.windows import NONE, Windows


def bare_cells(windows: Windows) -> NDArray[np.bool_]:
    """Of each person (row) and epoch, whether something is published and the person hides nobody there.

    Whom somebody hides in a window is there in the same epochs of it, so it is enough to hide anybody in a window.
    """
    epochs, bare = windows.epochs, windows.alive.copy()
    for window, hider in enumerate(windows.hider):
        bare[hider, window : window + epochs.reach + 1] = False
    return bare


def cover_the_bare(windows: Windows) -> Ints64:
    """Let those who are bare hide somebody near, as far as there are any; return who they are.

    One more hider harms nobody: of those who fit a person there are more.
    """
    reach, changed, bare = windows.epochs.reach, [NONE], bare_cells(windows)
    for window in np.flatnonzero(_windows_with(bare, windows.epochs.windows, reach)):
        asked = np.flatnonzero(bare[:, window : window + reach + 1].any(axis=1))
        stretch, bits = windows.stretch(int(window), priced=False), windows.bits(int(window))
        for kind in np.unique(bits[asked]):
            people = windows.in_order(np.flatnonzero(bits == kind))
            mine = windows.in_order(asked[bits[asked] == kind])
            near = windows.candidates(mine, people, stretch, int(kind), 1).hider[:, 0]
            found = near != NOBODY
            mine = mine[found]
            windows.add(int(window), mine, people[near[found]])
            bare[mine, window : window + reach + 1] = False
            changed.append(mine)
    return np.unique(np.concatenate(changed))


def _windows_with(bare: NDArray[np.bool_], count: int, reach: int) -> NDArray[np.bool_]:
    """Windows that cover a bare cell."""
    some: NDArray[np.bool_] = np.logical_or.reduce(bare, axis=0)
    return np.array([bool(some[window : window + reach + 1].any()) for window in range(count)])
