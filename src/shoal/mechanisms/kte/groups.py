"""One window that covers all of the data: groups of k or more, whose members all hide each other.

Then every interval of length tau is in that window, nothing of the data is farther than epsilon from it, and what holds
is k-anonymity (kte §II-C3). The groups are GLOVE's; their members have the same boxes, and nothing is suppressed.
"""

import numpy as np

from shoal.data import Traces
from shoal.mechanisms.glove.grouping import group_people
from shoal.mechanisms.kte.hiding import Epochs, Hiding
from shoal.progress import Progress
from shoal.workers import Workers


def hide_in_groups(traces: Traces, epochs: Epochs, k: int, progress: Progress, *, workers: Workers) -> Hiding:
    """Decide who is with whom, in one epoch that holds everything.

    Parameters
    ----------
    traces
        At least k people.
    epochs
        How time is cut, into one window.
    k
        Least number of people in a group.
    progress, workers
        As in `group_people`.
    """
    groups = group_people(traces, k, 1.0, progress, boxes=False, workers=workers).members
    hider = np.concatenate([np.repeat(group, group.size) for group in groups])
    hidden = np.concatenate([np.tile(group, group.size) for group in groups])
    hider, hidden = hider[hider != hidden], hidden[hider != hidden]
    epochs = Epochs(epochs.start, epochs.length * epochs.count, count=1, reach=0)
    return Hiding(epochs, np.ones((len(traces), 1), np.bool_), np.zeros(hider.size, np.int64), hider, hidden)
