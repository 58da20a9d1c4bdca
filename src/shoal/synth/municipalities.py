"""A region of municipalities, each with the cells of its mobile network."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.errors import ParameterError
from shoal.synth.projection import Floats, Plane

REGION = Plane(43.5, 11.1)
SPACING_M = 12_000.0
"""Distance between neighbouring municipalities' centres."""

CITY = 2
COLUMNS = ("municipality", "lat", "lng", "population")


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Municipalities and cells, as flat arrays; ``first_cell[m]`` to ``first_cell[m + 1]`` belong to m."""

    name: list[str]
    x: Floats
    y: Floats
    population: NDArray[np.int64]
    cell_x: Floats
    cell_y: Floats
    first_cell: NDArray[np.int64]

    def cells(self, rng: np.random.Generator, municipality: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw a cell of each given municipality."""
        first, last = self.first_cell[municipality], self.first_cell[municipality + 1]
        return rng.integers(first, last)

    def nearest(self, count: int) -> NDArray[np.int64]:
        """Return the nearest others of each municipality, nearest first; all of them where there are fewer."""
        distance = np.hypot(self.x[:, None] - self.x, self.y[:, None] - self.y)
        np.fill_diagonal(distance, np.inf)
        return np.argsort(distance, axis=1, kind="stable")[:, : min(count, len(self.x) - 1)]

    def neighbour(self, municipality: int, without: set[int]) -> int | None:
        """Return the nearest municipality that is not in `without`, if there is one."""
        distance = np.hypot(self.x - self.x[municipality], self.y - self.y[municipality])
        return next((int(m) for m in np.argsort(distance) if int(m) not in without), None)


def build_region(
    rng: np.random.Generator, users: int, *, people_each: int = 150, most: int = 80, city: bool = False
) -> Region:
    """Lay out municipalities on a jittered lattice, with Zipf populations and a cell per 4,000 people.

    There are more of them the more people are asked for, so that each has enough for k-anonymity.

    Parameters
    ----------
    users
        How many people will be spread over them.
    people_each, most
        A municipality for so many people, up to so many.
    city
        Let the first one have `CITY` times the population of all others together.
    """
    count = int(np.clip(users // people_each, 5, most))
    side = int(np.ceil(np.sqrt(count)))
    spot = rng.permutation(side * side)[:count]
    jitter = rng.uniform(-0.3, 0.3, (count, 2))
    x = (spot % side - (side - 1) / 2 + jitter[:, 0]) * SPACING_M
    y = (spot // side - (side - 1) / 2 + jitter[:, 1]) * SPACING_M
    population = (180_000 / np.arange(1, count + 1) ** 0.8 * rng.uniform(0.8, 1.2, count)).astype(np.int64)
    if city:
        population[0] = CITY * population[1:].sum()
    return _with_cells(rng, [f"M{m:03d}" for m in range(count)], x, y, population)


def region_of(rng: np.random.Generator, table: pa.Table) -> Region:
    """Take municipalities from a table ``municipality, lat, lng, population``, and give each its cells."""
    missing = [name for name in COLUMNS if name not in table.column_names]
    if missing or not table.num_rows:
        raise ParameterError(
            f"`municipalities` without {', '.join(missing) or 'a row'}",
            expected=f"a table of {', '.join(COLUMNS)}",
            hint="or leave it out, for invented ones",
        )
    x, y = REGION.to_metres(table["lat"].to_numpy(), table["lng"].to_numpy())
    population = table["population"].to_numpy().astype(np.int64)
    return _with_cells(rng, table["municipality"].to_pylist(), x, y, population)


def _with_cells(
    rng: np.random.Generator, name: list[str], x: Floats, y: Floats, population: NDArray[np.int64]
) -> Region:
    cells = np.maximum(2, population // 4_000)
    owner = np.repeat(np.arange(len(name)), cells)
    # Within a quarter of the lattice's spacing around the centre: cells of neighbours do not mix.
    angle = rng.uniform(0, 2 * np.pi, len(owner))
    radius = np.sqrt(rng.random(len(owner))) * SPACING_M / 5
    return Region(
        name=name,
        x=x,
        y=y,
        population=population,
        cell_x=x[owner] + radius * np.cos(angle),
        cell_y=y[owner] + radius * np.sin(angle),
        first_cell=np.concatenate([[0], np.cumsum(cells)]),
    )
