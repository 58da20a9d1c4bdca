"""Whom an attack points at, and whether it is right: what linking attacks have in common."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.attacks.interval import Rate, wilson
from shoal.attacks.outcome import Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Linkage:
    """For each target the published people who are left, and whether the right one is among them.

    Attributes
    ----------
    candidates
        How many are left.
    right
        Whether the target's own individual is one of them.
    control
        Whether somebody else's is, taken at random: what the attack gives without knowing the right person.
    published
        How many people there are to choose from.
    """

    candidates: Ints
    right: NDArray[np.bool_]
    control: NDArray[np.bool_]
    published: int

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.candidates, self.published)

    @property
    def found(self) -> Rate:
        """Targets who are the only one left, rightly."""
        return wilson(int((self.right & (self.candidates == 1)).sum()), self.candidates.size)

    @property
    def success(self) -> float:
        """How often a guess among those left is right."""
        return self._guessed(self.right)

    @property
    def control_success(self) -> float:
        return self._guessed(self.control)

    def _guessed(self, among: NDArray[np.bool_]) -> float:
        return float((among / np.maximum(self.candidates, 1)).mean()) if self.candidates.size else 0.0

    def to_dict(self) -> dict[str, object]:
        """Figures: the outcome's, and how often the attack is right, beside its control."""
        return self.outcome.to_dict() | {
            "found": self.found.to_dict(),
            "success": round(self.success, 6),
            "control": round(self.control_success, 6),
        }


def tally(left: Iterable[Ints], weights: Ints, own: Ints, rng: np.random.Generator) -> Linkage:
    """Count who is left.

    Parameters
    ----------
    left
        For each target the individuals that the attack leaves.
    weights
        For how many people each individual stands.
    own
        Each target's own individual, -1 where there is none.

    >>> one = np.ones(3, np.int64)
    >>> tally([np.array([0]), np.array([0, 1])], one, np.array([0, 1]), np.random.default_rng(1)).candidates
    array([1, 2])
    """
    other = own[rng.permutation(own.size)] if own.size else own
    rows = [
        (int(weights[some].sum()), bool((some == mine).any()), bool((some == theirs).any() and theirs != mine))
        for some, mine, theirs in zip(left, own, other, strict=True)
    ]
    candidates, right, control = zip(*rows, strict=True) if rows else ((), (), ())
    return Linkage(
        np.array(candidates, np.int64), np.array(right, np.bool_), np.array(control, np.bool_), int(weights.sum())
    )
