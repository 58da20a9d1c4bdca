"""Who hides whom: what both variants decide, and what the publication and the publisher's own table follow from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.data.layout import Ints64


@dataclass(frozen=True, slots=True)
class Epochs:
    """Time cut into epochs of length epsilon; window m covers the epochs m .. m + r.

    Attributes
    ----------
    start
        First slot of the first epoch: the first sample's.
    length
        Slots in an epoch.
    count
        Number of epochs.
    reach
        r = tau / epsilon: epochs in a window, less one.
    """

    start: int
    length: int
    count: int
    reach: int

    @property
    def windows(self) -> int:
        return self.count - self.reach


@dataclass(frozen=True, slots=True, eq=False)
class Hiding:
    """What was decided before anything is merged.

    Attributes
    ----------
    epochs
        How time is cut.
    alive
        Of each person (row) and epoch, whether what they have there is published.
    window, hider, hidden
        A row for each pair of people: the hider's boxes cover the hidden one's samples in the epochs of the window.
    """

    epochs: Epochs
    alive: NDArray[np.bool_]
    window: Ints64
    hider: Ints64
    hidden: Ints64
