"""A country with towns, and the antennas that serve it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.synth.presets import Preset
from shoal.synth.projection import Floats, Plane
from shoal.synth.randomness import stream

SPACING_M = 150.0
"""Least distance between antennas. More than a 100 m cell's diagonal, so that no grid, however it is placed,
has two antennas in one cell, which is what the papers found in their data."""

CROWDING_SIGMA, ATTRACTION_SIGMA = 1.5, 1.0
"""How unevenly people live and go out: standard deviations of logarithms. Crowds make spatial stretches small."""

TOWN_GROWTH = 0.4
"""A town's radius grows with this power of its antennas: below 1/2, because large towns are denser."""

BESIDE, BESIDE_KM = 3, 3.0
"""An antenna's neighbours that may take over from it: how many, and from how far."""

VILLAGE_PEOPLE = 0.6
"""People per village antenna, relative to a town's: mobile networks cover empty land too."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Antennas.

    Parameters
    ----------
    x, y
        Metres from a corner of the country.
    people, visitors
        Share of the population that lives and that goes out at each one; either sums to 1.
    beside
        Per antenna the neighbours that may take over from it; itself where none is near.
    """

    x: Floats
    y: Floats
    lat: Floats
    lng: Floats
    people: Floats
    visitors: Floats
    distance_km: NDArray[np.float32]
    beside: NDArray[np.int16]


def build_network(preset: Preset, seed: int) -> Network:
    """Lay out towns and villages on a rectangle of the preset's area, and put antennas there.

    Town sizes follow Zipf's law below the capital. Towns and villages sit in different cells of a jittered
    lattice, so that they reach every corner of the area and do not overlap by accident.
    """
    rng = stream(seed, "network")
    width = np.sqrt(preset.area_km2 * 1.1) * 1000
    height = preset.area_km2 * 1e6 / width
    villages = round(preset.antennas * preset.rural_share)
    antennas_of_town = _town_sizes(preset, preset.antennas - villages)

    centres = _lattice_points(rng, preset.towns + villages, width, height)
    town = np.repeat(np.arange(preset.towns), antennas_of_town)
    spread_m = preset.town_spread_km * 1000 * antennas_of_town[town] ** TOWN_GROWTH

    x = np.concatenate([np.zeros(len(town)), centres[preset.towns :, 0]])
    y = np.concatenate([np.zeros(len(town)), centres[preset.towns :, 1]])
    unplaced = np.arange(len(town))
    while len(unplaced):
        offset = rng.standard_normal((len(unplaced), 2)) * spread_m[unplaced, None]
        x[unplaced] = _fold(centres[town[unplaced], 0] + offset[:, 0], width)
        y[unplaced] = _fold(centres[town[unplaced], 1] + offset[:, 1], height)
        unplaced = _too_close(x, y, len(town))

    people = rng.lognormal(0.0, CROWDING_SIGMA, len(x))
    people[len(town) :] *= VILLAGE_PEOPLE
    visitors = people * rng.lognormal(0.0, ATTRACTION_SIGMA, len(x))
    lat, lng = Plane(preset.lat, preset.lng).to_degrees(x - width / 2, y - height / 2)
    distance_km = np.hypot(x[:, None] - x, y[:, None] - y).astype(np.float32) / 1000
    return Network(
        x=x,
        y=y,
        lat=lat,
        lng=lng,
        people=people / people.sum(),
        visitors=visitors / visitors.sum(),
        distance_km=distance_km,
        beside=_beside(distance_km),
    )


def _town_sizes(preset: Preset, antennas: int) -> NDArray[np.int64]:
    """Share the antennas out: the capital's part first, the rest by Zipf's law, at least one each."""
    capital = round(preset.capital_share * preset.antennas)
    zipf = 1 / np.arange(2.0, preset.towns + 1)
    rest = np.maximum(1, np.floor((antennas - capital) * zipf / zipf.sum())).astype(np.int64)
    # What rounding left over (or, where many towns got their one antenna, took too much) is the capital's.
    return np.concatenate([[antennas - rest.sum()], rest])


def _lattice_points(rng: np.random.Generator, n: int, width: float, height: float) -> Floats:
    columns = int(np.ceil(np.sqrt(n * width / height)))
    rows = int(np.ceil(n / columns))
    cell = rng.permutation(columns * rows)[:n]
    jitter = rng.random((n, 2))
    return np.stack(
        [(cell % columns + jitter[:, 0]) * width / columns, (cell // columns + jitter[:, 1]) * height / rows],
        axis=1,
    )


def _fold(value: Floats, size: float) -> Floats:
    """Mirror what lies outside [0, size] back in, so that nothing piles up on a border."""
    return size - np.abs(size - np.abs(value) % (2 * size))


def _beside(distance_km: NDArray[np.float32]) -> NDArray[np.int16]:
    nearest = np.argsort(distance_km, axis=1)[:, 1 : BESIDE + 1]
    near = np.take_along_axis(distance_km, nearest, axis=1) <= BESIDE_KM
    return np.where(near, nearest, np.arange(len(nearest))[:, None]).astype(np.int16)


def _too_close(x: Floats, y: Floats, movable: int) -> NDArray[np.int64]:
    """Return those of the first `movable` antennas that stand too near to another one.

    Of two movable ones only the later must go; otherwise dense towns would never settle.
    """
    near = (x[:movable, None] - x) ** 2 + (y[:movable, None] - y) ** 2 < SPACING_M**2
    column = np.arange(len(x))
    near &= (column < np.arange(movable)[:, None]) | (column >= movable)
    return np.flatnonzero(near.any(axis=1))
