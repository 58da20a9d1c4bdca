"""Values of profiles as whole numbers, so that sums, means and distances are exact.

A cell is a number of days over 1 to 5 days: a multiple of 1/60. Where all values are such multiples, they are counted
in 60ths, and nothing is lost. Tables that come with other values, decimals for instance, are counted in steps of
1/3,000,000: a multiple of 1/60 and any number of six decimals are whole numbers of those; whatever is finer is rounded
to them, by less than two ten-millionths.
"""

from typing import NamedTuple

import numpy as np

from shoal.data.layout import Floats, Ints64

DAYS, FINE = 60, 3_000_000
_NOISE = 1e-9
"""In 60ths: what computing a fraction in floats can have left, and far less than any other fraction differs by."""


class Units(NamedTuple):
    """Values counted in steps of 1 / ``scale``."""

    counts: Ints64
    scale: int


def in_units(values: Floats) -> Units:
    """Count values in the coarsest steps that show them.

    >>> in_units(np.array([0.2, 0.5, 1 / 3]))
    Units(counts=array([12, 30, 20]), scale=60)
    >>> in_units(np.array([0.2, 0.123456]))
    Units(counts=array([600000, 370368]), scale=3000000)
    """
    counts = np.rint(values * DAYS)
    if (np.abs(values * DAYS - counts) <= _NOISE).all():
        return Units(counts.astype(np.int64), DAYS)
    return Units(np.rint(values * FINE).astype(np.int64), FINE)
