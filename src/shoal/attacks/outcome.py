"""What an attack found: for each target, how many published individuals fit what the attacker knows."""

from dataclasses import dataclass

import numpy as np

from shoal.attacks.crowd import Ints
from shoal.attacks.interval import wilson


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Candidates of each target, among so many published individuals."""

    candidates: Ints
    published: int

    @property
    def unique(self) -> int:
        """Targets with exactly one candidate: singled out."""
        return int((self.candidates == 1).sum())

    @property
    def fewest(self) -> int | None:
        """The smallest number of candidates of any target that has some."""
        some = self.candidates[self.candidates > 0]
        return int(some.min()) if some.size else None

    def below(self, k: int) -> int:
        """Targets with some candidates, but fewer than k."""
        return int(((self.candidates > 0) & (self.candidates < k)).sum())

    def to_dict(self) -> dict[str, object]:
        """Rates beside their control: a guess among all published people, which needs no attack at all.

        >>> figures = Outcome(np.array([1, 1, 2, 0]), 10).to_dict()
        >>> figures["unique"]["share"], figures["none"]["share"], figures["expected_success"], figures["baseline"]
        (0.5, 0.25, 0.625, 0.1)
        """
        n = int(self.candidates.size)
        some = self.candidates[self.candidates > 0]
        return {
            "unique": wilson(self.unique, n).to_dict(),
            "none": wilson(n - int(some.size), n).to_dict(),
            "fewest_candidates": self.fewest,
            "median_candidates": float(np.median(self.candidates)) if n else None,
            "expected_success": round(float((1 / some).sum()) / n, 6) if n else None,
            "baseline": round(1 / self.published, 6) if self.published else None,
        }
