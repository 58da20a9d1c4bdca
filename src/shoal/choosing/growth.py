"""What more people would change: measured on smaller crowds, and carried on to all people with an error."""

import math
from typing import NamedTuple

import numpy as np

_FEWEST, _MOST = 0.001, 0.999
"""Shares are kept away from 0 and 1, where odds have no logarithm."""


class Foretold(NamedTuple):
    """A share for a number of people, and how far off it may be (one standard error).

    Attributes
    ----------
    measured
        Whether it was measured on all people, or is carried on from smaller crowds.
    slope
        Change of the logarithm of the odds when there are e times as many people.
    """

    share: float
    error: float
    measured: bool
    slope: float = 0.0

    def people_for(self, share: float, people: int) -> float | None:
        """Return how many people it would take to come to a share; None where more people do not help."""
        if self.slope <= 0:
            return None
        return people * math.exp((_log_odds(share) - _log_odds(self.share)) / self.slope)


def foretell(people: list[int], shares: list[float], wanted: int) -> Foretold:
    """Carry on shares of crowds to another number of people: log odds are a straight line in the log of the crowd.

    The error has two parts: how far the crowds lie from the line, and how far beyond them the line is followed.

    Parameters
    ----------
    people, shares
        Crowds that were tried, and what came out; of at least two sizes.
    wanted
        The crowd to foretell.

    >>> found = foretell([500, 500, 1000, 1000, 2000], [0.3, 0.32, 0.4, 0.41, 0.5], 5000)
    >>> 0.6 < found.share < 0.66, found.error < 0.05
    (True, True)
    """
    x, y = np.log(np.array(people, float)), np.array([_log_odds(share) for share in shares])
    off = x - x.mean()
    slope = float((off * y).sum() / (off * off).sum())
    residual = y - y.mean() - slope * off
    freedom = max(len(people) - 2, 1)
    away = math.log(wanted) - float(x.mean())
    spread = math.sqrt(float((residual**2).sum()) / freedom)
    error = spread * math.sqrt(1 / len(people) + away * away / float((off * off).sum()))
    share = 1 / (1 + math.exp(-(float(y.mean()) + slope * away)))
    return Foretold(share, share * (1 - share) * error, False, slope)


def _log_odds(share: float) -> float:
    kept = min(max(share, _FEWEST), _MOST)
    return math.log(kept / (1 - kept))
