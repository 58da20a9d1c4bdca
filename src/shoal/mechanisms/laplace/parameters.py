"""The parameter, checked once, and the way from profiles to a release.

Values are rounded to a public grid of 1/1000 and get discrete Laplace noise on it, exact; then they are cut to 0…1. A
value lies between 0 and 1 before and after rounding, so a cell changes by 1000 steps at most: with a scale of 1000 /
epsilon steps a cell costs epsilon, no more. Rounding before the noise moves a value by 0.0005 at most, and cutting it
afterwards costs no privacy. Because of that cut, noise of more than 1000 steps is all the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.contract.claims import CellNoise
from shoal.contract.claims.profiles import NOISE_STEPS
from shoal.contract.kinds import PROFILES, Kind
from shoal.data import Profiles
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.budget import rounded_up
from shoal.mechanisms.laplace.draws import Counts, Noise, from_a_seed, from_the_system
from shoal.mechanisms.laplace.law import NoiseLaw
from shoal.mechanisms.options import real
from shoal.mechanisms.profile_rows import about_the_period, rows_per_person
from shoal.progress import Progress
from shoal.release import Protected
from shoal.workers import Workers

VALUES = 2_000_000
"""Of a part, about: a fraction of a second's work."""


class _Part(NamedTuple):
    """Values of some profiles, and the number of the part for its own stream of a seed."""

    counts: Counts
    number: int


@dataclass(frozen=True)
class LaplaceProfiles(Mechanism):
    """Add Laplace noise of scale 1 / ``epsilon`` to every cell of every profile, cut to 0…1 (PRIMULE §7).

    >>> LaplaceProfiles(epsilon=2).claim
    CellNoise(epsilon=2.0)
    """

    name: ClassVar[str] = "laplace"
    summary: ClassVar[str] = "Laplace noise for every cell of every profile."
    example: ClassVar[str] = "--epsilon 1"
    takes: ClassVar[type[Profiles]] = Profiles
    gives: ClassVar[Kind] = PROFILES
    suits: ClassVar[tuple[str, ...]] = ("profiles",)
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ({"epsilon": 0.5}, {"epsilon": 2.0}, {"epsilon": 8.0})

    epsilon: float = real(
        help="Loss of privacy per cell; noise is 1/EPSILON on the mean, before it is cut to 0…1.",
        low=0.01,
        high=100,
        short=True,
        unit="EPSILON",
        hint="for example 1; more is less noise",
    )

    @property
    def claim(self) -> CellNoise:
        return CellNoise(self.epsilon)

    def _protect(self, people: Profiles, run: Run) -> Protected:
        rows = rows_per_person(people)
        counts = np.rint(people.values * NOISE_STEPS).astype(np.int32)
        work = partial(_noisy_part, noise=Noise(law_of(self.epsilon)), seed=run.seed)
        parts = list(_parts_of(counts.ravel()))
        sizes = [part.counts.size for part in parts]
        done = run.engine.map(work, parts, progress=run.progress, phase="drawing noise", sizes=sizes)
        noisy = np.concatenate(done).reshape(counts.shape)
        values = np.clip(noisy, 0, NOISE_STEPS) / NOISE_STEPS
        cells = counts.shape[1]
        median, most = (rounded_up(self.epsilon * cells * float(count)) for count in (np.median(rows), rows.max()))
        return Protected(
            payload=Profiles(people.people, people.municipalities, values, people.weeks),
            budgets=dict(zip(CellNoise.budgets, (self.epsilon, median, most), strict=True)),
            facts=about_the_period(people),
            run={"draws": int(counts.size)},
            remarks=(f"budget: {self.epsilon:g} a cell; of a person: median {median:g}, largest {most:g}",),
        )


def _parts_of(counts: Counts) -> Iterator[_Part]:
    """Cut values into parts. It depends on the data alone, hence so may what a seed gives."""
    pieces = max(1, -(-counts.size // VALUES))
    return (_Part(part, number) for number, part in enumerate(np.array_split(counts, pieces)))


def law_of(epsilon: float) -> NoiseLaw:
    """Return the law under which a change by all steps of the grid costs epsilon, in the digits that are published.

    >>> law_of(0.3).scale
    Fraction(10000, 3)
    """
    return NoiseLaw(NOISE_STEPS / Fraction(str(epsilon)), most=NOISE_STEPS)


def _noisy_part(
    part: _Part,
    workers: Workers,  # noqa: ARG001  # a part is one piece
    progress: Progress,
    *,
    noise: Noise,
    seed: int | None,
) -> Counts:
    """Draw noise for some values."""
    source = from_the_system if seed is None else from_a_seed(seed, part.number)
    return noise.added_to(part.counts, source, partial(progress, "drawing noise"))
