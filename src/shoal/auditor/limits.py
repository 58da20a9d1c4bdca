"""The thresholds that a manifest names: beyond them a box is withheld, and nothing else is for that reason."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints


class Limits(NamedTuple):
    """The widest side in metres and the longest time in seconds that a published box may have; None: any."""

    side_m: int | None
    time_s: int | None

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return self.side_m is not None or self.time_s is not None

    def wide(self, x: Ints, y: Ints) -> NDArray[np.bool_]:
        sides = np.maximum(x, y)
        return np.zeros(sides.shape, np.bool_) if self.side_m is None else sides > self.side_m

    def long(self, time: Ints) -> NDArray[np.bool_]:
        return np.zeros(time.shape, np.bool_) if self.time_s is None else time > self.time_s

    def beyond(self, x: int, y: int, time: int) -> bool:
        """Tell whether a single box is too wide or too long."""
        return (self.side_m is not None and max(x, y) > self.side_m) or (self.time_s is not None and time > self.time_s)


def limits(parameters: dict[str, Any]) -> Limits:
    """Read the thresholds; a float means the decimal number that it prints as.

    >>> limits({"suppress_km": 0.3, "suppress_hours": None})
    Limits(side_m=300, time_s=None)
    """
    found = []
    for name, unit in (("suppress_km", 1000), ("suppress_hours", 3600)):
        value = parameters.get(name)
        usable = isinstance(value, int | float) and not isinstance(value, bool)
        found.append(int(Fraction(str(value)) * unit) if usable else None)
    return Limits(*found)
