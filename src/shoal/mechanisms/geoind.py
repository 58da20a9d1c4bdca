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

from shoal.contract.claims import GeoIndistinguishability
from shoal.contract.claims.points import LARGEST_EPSILON
from shoal.contract.kinds import POINTS, Kind
from shoal.data import Fixes, Points
from shoal.data.layout import Floats, Ints64
from shoal.mechanisms.base import Mechanism, Run
from shoal.mechanisms.blocks import blocks_of
from shoal.mechanisms.budget import rounded_up
from shoal.mechanisms.options import LARGEST_CELL_M, rate, whole
from shoal.mechanisms.randomness import random_words
from shoal.progress import Progress
from shoal.release import Protected
from shoal.workers import Workers


class _Part(NamedTuple):
    """Points of some people, and the number of the block for its own stream of a seed."""

    offsets: Ints64
    lat: Floats
    lng: Floats
    number: int


class Moved(NamedTuple):
    """Where points went, and how many draws everybody took."""

    lat: Floats
    lng: Floats
    draws: Ints64


@dataclass(frozen=True)
class GeoInd(Mechanism):
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

    def _protect(self, people: Fixes, run: Run) -> Protected:
        blocks = blocks_of(people.offsets)
        parts = (
            _Part(
                people.offsets[block.first : block.last + 1] - block.start,
                people.lat[block.start : block.stop],
                people.lng[block.start : block.stop],
                number,
            )
            for number, block in enumerate(blocks)
        )
        work = partial(_move_part, epsilon=self.epsilon, memo_cell_m=self.memo_cell_m, seed=run.seed)
        sizes = [block.stop - block.start for block in blocks]
        done: Sequence[Moved] = run.engine.map(work, parts, progress=run.progress, phase="drawing noise", sizes=sizes)
        lat, lng, draws = (np.concatenate(column) for column in zip(*done, strict=True))
        median, most = (rounded_up(self.epsilon * float(count)) for count in (np.median(draws), draws.max()))
        return Protected(
            payload=Points(people.people, np.arange(len(people)), people.offsets, people.t_us, lat, lng),
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
    seed: int | None,
) -> Moved:
    """Draw noise for the points of some people."""
    if memo_cell_m is None:
        return Moved(*_noisy(part.lat, part.lng, epsilon, seed, part.number), np.diff(part.offsets))
    from shoal.kernels.points.noise import cells, middles

    row, column = np.empty(part.lat.size, np.int64), np.empty(part.lat.size, np.int64)
    cells(part.lat, part.lng, float(memo_cell_m), row, column)
    owner = np.repeat(np.arange(part.offsets.size - 1), np.diff(part.offsets))
    of_cell, first = _distinct(owner, row, column)
    lat, lng = np.empty(first.size), np.empty(first.size)
    middles(row[first], column[first], float(memo_cell_m), lat, lng)
    lat.flags.writeable = lng.flags.writeable = False  # as raw ones are: a kernel is compiled for either
    lat, lng = _noisy(lat, lng, epsilon, seed, part.number)
    return Moved(lat[of_cell], lng[of_cell], np.bincount(owner[first], minlength=part.offsets.size - 1))


def _distinct(*columns: Ints64) -> tuple[Ints64, Ints64]:
    """Number the distinct rows in their order, and tell where each occurs."""
    order = np.lexsort(columns[::-1])
    fresh = np.ones(order.size, np.bool_)
    fresh[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    number = np.empty(order.size, np.int64)
    number[order] = np.cumsum(fresh) - 1
    return number, order[fresh]


def _noisy(lat: Floats, lng: Floats, epsilon: float, seed: int | None, index: int) -> tuple[Floats, Floats]:
    from shoal.kernels.points.noise import WORDS, noisy

    words = random_words(WORDS * lat.size, seed=seed, name="geoind", index=index).reshape(-1, WORDS)
    moved = np.empty(lat.size), np.empty(lat.size)
    noisy(lat, lng, words, epsilon, *moved)
    return moved
