"""How sure a measured rate is: Wilson's interval, which stays sound at 0 and at 1."""

import math
from dataclasses import dataclass

_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its 95 % interval, and how many trials it rests on."""

    value: float
    low: float
    high: float
    trials: int

    def to_dict(self) -> dict[str, float | int]:
        return {
            "share": round(self.value, 6),
            "low": round(self.low, 6),
            "high": round(self.high, 6),
            "trials": self.trials,
        }


def wilson(successes: int, trials: int, z: float = _Z_95) -> Rate:
    """Return the share and its Wilson score interval; without trials nothing is known.

    >>> rate = wilson(0, 100)
    >>> (rate.value, rate.low, round(rate.high, 3))
    (0.0, 0.0, 0.037)
    >>> wilson(0, 0)
    Rate(value=0.0, low=0.0, high=1.0, trials=0)
    """
    if not trials:
        return Rate(0.0, 0.0, 1.0, 0)
    share = successes / trials
    weight = z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / (4 * trials))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return Rate(share, low, high, trials)
