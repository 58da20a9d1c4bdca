"""What more people would change: measured on smaller crowds, and carried on to all people with an error."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_FEWEST, _MOST = 0.001, 0.999
"""Shares are kept away from 0 and 1, where odds have no logarithm."""

_MOST_TIMES = 1_000
"""A line that hardly rises comes to any share in the end, with numbers of people that nobody has."""


class Foretold(NamedTuple):
    """A share for a number of people, and how far off it may be (one standard error).

    Attributes
    ----------
    measured
        Whether it was measured on all people, or is carried on from smaller crowds.
    slope
        Change of the logarithm of the odds when there are e times as many people.
    crowd
        Where so small a crowd was enough to see that all people cannot come near what is wanted: its size. Then share
        and error are those of that crowd.
    """

    share: float
    error: float
    measured: bool
    slope: float = 0.0
    crowd: int | None = None

    def people_for(self, share: float, people: int) -> float | None:
        """Return how many people it would take to come to a share; None where more people do not help enough."""
        way = _log_odds(share) - _log_odds(self.share)
        if self.slope <= 0 or way > self.slope * math.log(_MOST_TIMES):
            return None
        return people * math.exp(way / self.slope)


class Line(NamedTuple):
    """Log odds of a share against the logarithm of the crowd: where the line is at some crowd, and how sure that is."""

    log_odds: float
    error: float

    @property
    def share(self) -> float:
        return 1 / (1 + math.exp(-self.log_odds))


def foretell(people: list[int], shares: list[float], lost: list[float], wanted: int) -> Foretold:
    """Carry on shares of crowds to another number of people.

    What is near is what is left at all, times what is near of that. Both have log odds that are nearly a straight
    line in the logarithm of the crowd; their product has not, where much is left out of small crowds.

    Parameters
    ----------
    people, shares, lost
        Crowds that were tried, the share that was near and the share that was left out; of at least two sizes.
    wanted
        The crowd to foretell.

    >>> found = foretell([500, 500, 1000, 1000, 2000], [0.3, 0.32, 0.4, 0.41, 0.5], [0.0] * 5, 5000)
    >>> 0.6 < found.share < 0.66, found.error < 0.05
    (True, True)
    """
    left = [1 - one for one in lost]
    near = [share / max(one, _FEWEST) for share, one in zip(shares, left, strict=True)]

    def at(crowd: int) -> tuple[float, float]:
        if not any(lost):
            line = follow(people, near, crowd)
            return line.share, line.share * (1 - line.share) * line.error
        kept, close = follow(people, left, crowd), follow(people, near, crowd)
        relative = math.hypot((1 - kept.share) * kept.error, (1 - close.share) * close.error)
        return kept.share * close.share, kept.share * close.share * relative

    share, error = at(wanted)
    slope = (_log_odds(at(2 * wanted)[0]) - _log_odds(share)) / math.log(2)
    return Foretold(share, error, False, slope)


def follow(people: list[int], shares: list[float], wanted: int) -> Line:
    """Follow the line through some crowds to another one.

    The error has three parts: how far the crowds lie from the line, how far beyond them it is followed, and how wrong
    the smaller crowds alone would have been about the largest.

    >>> round(follow([100, 200, 400], [0.2, 1 / 3, 0.5], 800).share, 3)
    0.667
    """
    x, y = np.log(np.array(people, float)), np.array([_log_odds(share) for share in shares])
    log_odds, slope = _line(x, y, math.log(wanted))
    off = x - x.mean()
    spread = math.sqrt(float(((y - y.mean() - slope * off) ** 2).sum()) / max(x.size - 2, 1))
    away = math.log(wanted) - float(x.mean())
    error = spread * math.sqrt(1 / x.size + away * away / float((off * off).sum()))
    return Line(log_odds, math.hypot(error, _missed(x, y) * max(math.log(wanted) - x.max(), 0.0)))


def _missed(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return by how much smaller crowds would have missed the largest, for each e-fold of the way to it."""
    smaller = x < x.max()
    if np.unique(x[smaller]).size < 2:
        return 0.0
    told, _ = _line(x[smaller], y[smaller], float(x.max()))
    return abs(told - float(y[~smaller].mean())) / float(x.max() - x[smaller].max())


def _line(x: NDArray[np.float64], y: NDArray[np.float64], at: float) -> tuple[float, float]:
    """Return the height of the line of least squares at some place, and its slope."""
    off = x - x.mean()
    slope = float((off * y).sum() / (off * off).sum())
    return float(y.mean()) + slope * (at - float(x.mean())), slope


def _log_odds(share: float) -> float:
    kept = min(max(share, _FEWEST), _MOST)
    return math.log(kept / (1 - kept))
