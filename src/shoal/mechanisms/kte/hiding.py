"""Who hides whom: what both variants decide, and what the publication and the publisher's own table follow from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.data.layout import Ints32, Ints64
from shoal.data.traces import Traces


@dataclass(frozen=True, slots=True)
class Epochs:
    """Time cut into epochs of length epsilon; window m covers the epochs m .. m + r.

    An interval of length tau that begins in epoch m ends in epoch m + r at the latest, so it lies in window m; one that
    begins later than in the last window's first epoch is cut short by the end of the data, and lies in the last window.

    Attributes
    ----------
    start
        First slot of the first epoch: the first sample's.
    length
        Slots in an epoch.
    count
        Number of epochs; the last may be shorter.
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

    def of(self, t: Ints32) -> Ints32:
        """The epoch of each slot.

        >>> Epochs(start=100, length=10, count=3, reach=1).of(np.array([100, 109, 110, 125], np.int32))
        array([0, 0, 1, 2], dtype=int32)
        """
        return ((t - np.int32(self.start)) // np.int32(self.length)).astype(np.int32)


def epochs_of(traces: Traces, tau: int, epsilon: int) -> Epochs:
    """Cut the time of the data; tau and epsilon in slots.

    The paper is silent about time that is no multiple of epsilon. Here the last epoch is the shorter for it. Were the
    rest joined to the epoch before, that one would be longer than epsilon: whoever hides a person there covers samples
    farther than epsilon from what an attacker knows, and no other hider could mend that.
    """
    start, span = int(traces.t.min()), int(traces.t.max()) - int(traces.t.min()) + 1
    reach = tau // epsilon
    return Epochs(start, epsilon, max(reach + 1, -(-span // epsilon)), reach)


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
