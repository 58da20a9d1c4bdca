"""Samples and the boxes of the groups that they lie in."""

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.auditor.case import Case


def boxes_of_samples(case: Case) -> tuple[Ints, Ints, Ints]:
    """Return the group, the place in its sequence and the sample, for all covered samples."""
    rows = np.flatnonzero(case.cover.box_of >= 0)
    box, crowd = case.cover.box_of[rows], case.boxes.crowd
    within = np.arange(crowd.t0.size) - np.repeat(crowd.offsets[:-1], crowd.lengths)
    return case.groups.of[crowd.owner[box]], within[box], rows
