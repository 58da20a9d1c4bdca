"""Geo-indistinguishability: planar Laplace noise for every point (Andrés et al. 2013).

Noise is drawn in metres and turned into degrees at the point's latitude, never in degrees. What finite numbers cost:

- Rounding to 6 decimals, a public grid, happens after the noise: it costs nothing.
- Positions are computed with errors of less than 1e-12 degrees, a millionth of the grid's cells (between 89 degrees
  south and north). That changes the chance of a cell by a factor of at most 1 + 4e-6, so for places that are d metres
  apart a draw costs ``epsilon * d``, and at most 0.00001 besides.
- A draw has 3 × 53 random bits. Out to a radius of 60 / epsilon every cell is reached in countless ways; that a draw
  goes farther has a chance of less than 1e-24.
- The Earth is no plane. On a sphere the law is flatter than on a plane, which costs nothing. The ellipsoid's curvature
  changes along the way: distances are wrong by a millionth for each kilometre.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from shoal.contract.claims import GeoIndistinguishability
from shoal.contract.claims.points import LARGEST_EPSILON
from shoal.contract.kinds import POINTS, Kind
from shoal.data import Fixes, Points
from shoal.data.layout import Floats, Ints64
from shoal.mechanisms.alone import Alone, Some, Tally
from shoal.mechanisms.base import Run
from shoal.mechanisms.blocks import blocks_of
from shoal.mechanisms.budget import rounded_up
from shoal.mechanisms.options import LARGEST_CELL_M, rate, whole
from shoal.mechanisms.randomness import Chance
from shoal.progress import Progress
from shoal.release import Findings
from shoal.workers import Workers


class _Part(NamedTuple):
    """Points of some people, and who they are: with a key, chance depends on that."""

    people: pa.Array
    offsets: Ints64
    lat: Floats
    lng: Floats


class Moved(NamedTuple):
    """Where points went, and how many draws everybody took."""

    lat: Floats
    lng: Floats
    draws: Ints64


@dataclass(frozen=True)
class GeoInd(Alone):
    """Move every point by planar Laplace noise of ``epsilon`` per metre; times stay as they are.

    With ``memo_cell_m`` points are first moved to the middle of their cell in a public lattice, and one draw for each
    person and cell serves all of that person's points there.

    >>> from shoal.data import read_fixes
    >>> fix = read_fixes({"uid": ["a"], "datetime": ["2020-01-01T00:00Z"], "lat": [45.0], "lng": [5.0]})
    >>> mechanism = GeoInd(epsilon="ln(4)/200")
    >>> mechanism.epsilon
    0.00693147
    >>> mechanism.protect(fix).manifest["budgets"]["epsilon_per_m_of_a_person_max"]
    0.007
    """

    name: ClassVar[str] = "geoind"
    summary: ClassVar[str] = "Planar Laplace noise for every point, or for every person and cell."
    example: ClassVar[str] = "--epsilon 'ln(4)/200'"
    takes: ClassVar[type[Fixes]] = Fixes
    gives: ClassVar[Kind] = POINTS
    compiles: ClassVar[bool] = True
    suits: ClassVar[tuple[str, ...]] = ("events", "calls", "dense")
    typical: ClassVar[tuple[Mapping[str, Any], ...]] = ({"epsilon": "ln(2)/500"}, {"epsilon": "ln(4)/200"})

    epsilon: float = rate(
        help="Loss of privacy per metre and draw; noise is 2/EPSILON metres on the mean.",
        low=1e-5,
        high=LARGEST_EPSILON,
        unit="EPSILON",
        hint="for example ln(4)/200",
    )
    memo_cell_m: int | None = whole(
        help="One draw for each person and cell of this side, metres.",
        low=1,
        high=LARGEST_CELL_M,
        default=None,
        unit="M",
        hint="for example 200",
    )

    @property
    def claim(self) -> GeoIndistinguishability:
        return GeoIndistinguishability(self.epsilon)

    def _protect_some(self, people: Fixes, run: Run) -> Some:
        blocks = blocks_of(people.offsets)
        parts = (
            _Part(
                people.people[block.first : block.last],
                people.offsets[block.first : block.last + 1] - block.start,
                people.lat[block.start : block.stop],
                people.lng[block.start : block.stop],
            )
            for block in blocks
        )
        work = partial(_move_part, epsilon=self.epsilon, memo_cell_m=self.memo_cell_m, chance=run.chance)
        sizes = [block.stop - block.start for block in blocks]
        done: Sequence[Moved] = run.engine.map(work, parts, progress=run.progress, phase="drawing noise", sizes=sizes)
        lat, lng, draws = (np.concatenate(column) for column in zip(*done, strict=True))
        points = Points(people.people, np.arange(len(people)), people.offsets, people.t_us, lat, lng)
        return Some(points, tally={"draws": draws})

    def _account(self, tally: Tally) -> Findings:
        draws = tally["draws"]
        median, most = (rounded_up(self.epsilon * float(count)) for count in (np.median(draws), draws.max()))
        return Findings(
            budgets=dict(zip(GeoIndistinguishability.budgets, (median, most), strict=True)),
            run={"draws": int(draws.sum())},
            remarks=(f"budget of a person, per metre: median {median:g}, largest {most:g}",),
        )


def _move_part(
    part: _Part,
    workers: Workers,  # noqa: ARG001  # a part is one piece
    progress: Progress,  # noqa: ARG001
    *,
    epsilon: float,
    memo_cell_m: int | None,
    chance: Chance,
) -> Moved:
    """Draw noise for the points of some people."""
    draws = np.diff(part.offsets)
    if memo_cell_m is None:
        return Moved(*_noisy(part.lat, part.lng, epsilon, part.people, draws, chance), draws)
    from shoal.kernels.points.noise import cells, middles

    row, column = np.empty(part.lat.size, np.int64), np.empty(part.lat.size, np.int64)
    cells(part.lat, part.lng, float(memo_cell_m), row, column)
    owner = np.repeat(np.arange(part.offsets.size - 1), np.diff(part.offsets))
    of_cell, first = _distinct(owner, row, column)
    lat, lng = np.empty(first.size), np.empty(first.size)
    middles(row[first], column[first], float(memo_cell_m), lat, lng)
    lat.flags.writeable = lng.flags.writeable = False  # as raw ones are: a kernel is compiled for either
    draws = np.bincount(owner[first], minlength=part.offsets.size - 1)
    lat, lng = _noisy(lat, lng, epsilon, part.people, draws, chance)
    return Moved(lat[of_cell], lng[of_cell], draws)


def _distinct(*columns: Ints64) -> tuple[Ints64, Ints64]:
    """Number the distinct rows in their order, and tell where each occurs."""
    order = np.lexsort(columns[::-1])
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number, order[fresh]


def _noisy(
    lat: Floats, lng: Floats, epsilon: float, people: pa.Array, draws: Ints64, chance: Chance
) -> tuple[Floats, Floats]:
    """Move points, so many of each person, one person after the other."""
    from shoal.kernels.points.noise import WORDS, noisy

    words = chance.words("geoind", people, WORDS * draws).reshape(-1, WORDS)
    moved = np.empty(lat.size), np.empty(lat.size)
    noisy(lat, lng, words, epsilon, *moved)
    return moved
