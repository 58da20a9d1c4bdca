"""Whether a printed finding is met, and what is known about why not."""

from collections.abc import Mapping
from dataclasses import dataclass

from shoal import synth

AS_PRINTED = ("paper", "split")
"""Ways of publication that the paper may have used."""

FEW_TENS_OF_THOUSANDS = 20_000
"""Below so many people the paper, too, finds them harder to hide (§7.3)."""


@dataclass(frozen=True)
class Goal:
    """The range in which a number is called as printed; None where the paper prints nothing."""

    low: float | None
    high: float | None
    more_is_better: bool

    @classmethod
    def none(cls) -> "Goal":
        return cls(None, None, more_is_better=False)

    def off(self, value: float) -> int:
        """-1 below the range, 1 above it, 0 inside. Half a percent more or less is rounding.

        >>> [Goal(0.2, 0.4, more_is_better=True).off(v) for v in (0.1, 0.198, 0.402, 0.5)]
        [-1, 0, 0, 1]
        """
        if self.low is None or self.high is None:
            return 0
        slack = 0.005 * max(1.0, abs(self.high))
        return -1 if value < self.low - slack else 1 if value > self.high + slack else 0


def note_on(goal: Goal, read: Mapping[str, tuple[float, float]], why: str) -> str:
    """Say whether the paper's own boxes, counted as boxes, give what is printed; if not, what is known about it.

    Where k-merge alone was read, it is judged in their place.

    Parameters
    ----------
    read
        The number per sample and per box, by way of publication.
    """
    if goal.low is None:
        return ""
    candidates = [way for way in AS_PRINTED if way in read] or list(read)
    offs = {way: goal.off(read[way][1]) for way in candidates}
    met = [way for way, off in offs.items() if off == 0]
    if met:
        return "as printed: " + " and ".join(met)
    if all((off > 0) == goal.more_is_better for off in offs.values()):
        return "better than printed"
    return f"not met: {why}"


def usual_reason(name: str, people: int) -> str:
    """What is different from the paper's people, to begin with."""
    preset = synth.PRESETS.get(name)
    if preset is None:
        return "other people than the paper's"
    if people < preset.users / 2:
        return f"{people:,} people in place of {preset.users:,}, fewer to choose from (Fig. 11)"
    return "synthetic people"
