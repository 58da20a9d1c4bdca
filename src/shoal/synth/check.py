"""Do synthetic records have the statistics that the papers print?"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from shoal.synth.presets import Preset, find_preset
from shoal.synth.projection import Floats, Plane
from shoal.synth.randomness import require_counts

TOLERANCE = 0.15
CELL_M = 100
MINUTE_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Statistic:
    """A figure of the data beside the one a paper prints.

    ``target`` is None where the two cannot be compared; ``note`` says why.
    """

    name: str
    unit: str
    target: float | None
    measured: float
    note: str = ""

    @property
    def within(self) -> bool | None:
        """Whether `measured` is within 15 % of `target`; None where there is no target.

        >>> Statistic("antennas", "", 100, 90).within, Statistic("antennas", "", None, 90).within
        (True, None)
        """
        if self.target is None:
            return None
        return abs(self.measured - self.target) <= TOLERANCE * abs(self.target)


def check(table: pa.Table, preset: str | Preset, users: int, days: int) -> list[Statistic]:
    """Measure records made by `cdr` and set the result beside the preset's printed figures.

    Everything is measured on the table itself, as one would on data of unknown origin.

    Parameters
    ----------
    table
        Columns ``uid, datetime, lat, lng``.
    preset, users, days
        What the table was made with. Statistics that hang on the number of people or days are compared only
        at the preset's own.

    Returns
    -------
    list of Statistic
        A plain list: whoever can measure more appends to it.
    """
    chosen = find_preset(preset)
    require_counts(users=users, days=days)
    samples = _on_the_grid(table, chosen)
    gyration_km = samples.radius_of_gyration_m() / 1000
    at_home = users in (chosen.users, *chosen.other_users)
    few = "" if at_home else f"not compared: depends on the number of people, {chosen.users:,} in the paper"
    short = "" if days == chosen.days else f"not compared: depends on the days, {chosen.days} in the paper"
    unprinted = "not compared: no paper prints it for this preset"

    def only(condition: bool, target: float | None) -> float | None:
        return target if condition else None

    return [
        Statistic("users", "people", only(at_home, float(users)), float(samples.people), few),
        Statistic(
            "samples per user",
            "samples",
            chosen.samples_per_user * days / chosen.days,
            len(samples.person) / samples.people,
            "" if days == chosen.days else f"the paper's {chosen.samples_per_user:g}, scaled to {days} days",
        ),
        Statistic("antennas in use", "antennas", only(at_home, chosen.antennas), float(len(samples.x)), few),
        Statistic("area", "km²", only(at_home, chosen.area_km2), samples.area_km2(), few),
        Statistic(
            "radius of gyration, median",
            "km",
            only(days == chosen.days, chosen.rog_median_km),
            float(np.median(gyration_km)),
            unprinted if chosen.rog_median_km is None else short,
        ),
        Statistic(
            "radius of gyration, mean",
            "km",
            only(days == chosen.days, chosen.rog_mean_km),
            float(gyration_km.mean()),
            unprinted if chosen.rog_mean_km is None else short,
        ),
        Statistic(
            "places per user",
            "antennas",
            None,
            samples.places_per_person(),
            "not compared: no paper prints it",
        ),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Samples:
    """Distinct (person, cell, minute); ``x`` and ``y`` in metres per distinct cell."""

    people: int
    person: NDArray[np.int64]
    cell: NDArray[np.int64]
    x: Floats
    y: Floats

    def radius_of_gyration_m(self) -> Floats:
        counts = np.bincount(self.person, minlength=self.people)
        squares = np.zeros(self.people)
        for coordinate in (self.x, self.y):
            at = coordinate[self.cell]
            mean = np.bincount(self.person, at, self.people) / counts
            squares += np.bincount(self.person, (at - mean[self.person]) ** 2, self.people) / counts
        return np.sqrt(squares)

    def area_km2(self) -> float:
        """Area of the rectangle, in an equal-area plane, around every place in use."""
        return float(np.ptp(self.x) * np.ptp(self.y)) / 1e6

    def places_per_person(self) -> float:
        return len(_distinct(self.person * len(self.x) + self.cell)) / self.people


def _on_the_grid(table: pa.Table, preset: Preset) -> _Samples:
    """Snap to 100 m and one minute and drop what falls together, as the papers did (GLOVE §3)."""
    lat, lng = _codes(table["lat"]), _codes(table["lng"])
    pair, pairs = _codes(pa.chunked_array([pa.array(lat[0].astype(np.int64) * len(lng[1]) + lng[0])]))
    x, y = Plane(preset.lat, preset.lng).to_metres(lat[1][pairs // len(lng[1])], lng[1][pairs % len(lng[1])])
    cells, cell_of_pair = np.unique(np.stack([np.floor(x / CELL_M), np.floor(y / CELL_M)]), axis=1, return_inverse=True)

    person, people = _codes(table["uid"])
    minute = table["datetime"].cast(pa.int64()).to_numpy() // MINUTE_US
    minute -= minute.min()
    shape = (len(people), int(minute.max()) + 1, cells.shape[1])
    keys = _distinct(np.ravel_multi_index((person, minute, cell_of_pair.ravel()[pair]), shape))
    kept_person, _, kept_cell = np.unravel_index(keys, shape)
    return _Samples(len(people), kept_person, kept_cell, cells[0] * CELL_M, cells[1] * CELL_M)


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort and drop repeats; on millions of mostly different keys much faster than ``np.unique``'s hashing."""
    keys = np.sort(keys)
    result: NDArray[np.int64] = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    return result


def _codes(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], NDArray[np.generic]]:
    """Return a number per row and the distinct values that the numbers stand for."""
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column)
    encoded = column.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    return encoded.indices.to_numpy(), encoded.dictionary.to_numpy(zero_copy_only=False)
