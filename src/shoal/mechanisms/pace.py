"""About how long mechanisms take: measured once, in one place, for estimates and for nothing else.

Processor time for synthetic call records, dense GPS and call profiles, without compiling. `docs/how-to/recipes.md` says
what such an estimate is worth. With samples :math:`S` and people :math:`N` it is
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
    "geoind": Pace(0.7),
    "glove": Pace(8, 0.5),
    "kte": Pace(85, 8),
    "laplace": Pace(10),
    "primule": Pace(25),
    "promesse": Pace(0.3),
    "uniform": Pace(0.4),
    "w4m": Pace(1, 70),
}
"""Of the built-in mechanisms; of others nothing is known. Measured on 500 to 6,000 people of call records, 10 to 40 of
GPS and 1,000 to 20,000 of profiles, whose samples are profiles."""
