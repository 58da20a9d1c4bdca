"""About how long mechanisms take: measured once, in one place, for estimates and for nothing else.

Processor time of civ-like call records, dense synthetic GPS and synthetic call profiles on a 2 GHz core, in 2026;
`docs/how-to/recipes.md` says what such an estimate is worth. With samples :math:`S` and people :math:`N` it is
:math:`S (a + b N)`: a part that grows with the data, and one for comparing everybody with everybody.
"""

from typing import NamedTuple


class Pace(NamedTuple):
    """Processor microseconds per sample, and nanoseconds per sample and person."""

    sample_us: float
    pair_ns: float = 0.0

    def seconds(self, people: int, samples: int, threads: int = 1) -> float:
        """Estimate the time of a run.

        >>> Pace(5, 1).seconds(people=1_000, samples=1_000_000, threads=2)
        3.0
        """
        return samples * (self.sample_us * 1e-6 + self.pair_ns * 1e-9 * people) / threads


PACES = {
    "geoind": Pace(3),
    "glove": Pace(5, 0.7),
    "kte": Pace(80, 13),
    "laplace": Pace(200),
    "primule": Pace(300),
    "promesse": Pace(3),
    "uniform": Pace(0.5),
    "w4m": Pace(5, 1),
}
"""Of the built-in mechanisms; of others nothing is known."""
