"""Who lives where, which places they go to, and what sort of phone users they are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.synth.network import Network
from shoal.synth.presets import Preset
from shoal.synth.projection import Floats
from shoal.synth.randomness import stratified, stream

HOME, WORK, FIRST_OTHER = 0, 1, 2
"""Columns of the table of places; the last column is where a traveller goes."""

LOCAL_LIMIT_KM = 60.0
NEAR_KM = 1.2
TRIP_KM = 100.0
BOUNCE_LIMIT_KM = 3.0
EMPLOYED = 0.65


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """One row per person.

    ``place`` and ``bounce`` hold antenna numbers per column of the table of places: the antenna of that place
    and the second one nearby that takes over when the first is busy.
    """

    samples: NDArray[np.int64]
    place: NDArray[np.int16]
    bounce: NDArray[np.int16]
    others: NDArray[np.int64]
    works: NDArray[np.bool_]
    outgoing: Floats
    travels: NDArray[np.bool_]


def settle(users: int, days: int, preset: Preset, network: Network, seed: int) -> People:
    """Give everybody a home, work, other places and a number of samples."""
    rng = stream(seed, "people")
    home = np.searchsorted(np.cumsum(network.people), stratified(rng, users) * (1 - 1e-9))
    jobs = _Pull(network.people * np.exp(-network.distance_km / preset.reach_km), network, 0, LOCAL_LIMIT_KM)
    near = _Pull(network.people * np.exp(-network.distance_km / NEAR_KM), network, 0, LOCAL_LIMIT_KM)
    far = _Pull(network.people / (1 + network.distance_km / TRIP_KM) ** 2, network, 30, np.inf)

    # Places beyond home and work: at least one, geometric, so a minority roams much more than the rest.
    mean_others = max(0.5, preset.places_per_user * 0.8 - 2)
    others = 1 + np.floor(np.log1p(-stratified(rng, users)) / np.log(1 - 1 / (1 + mean_others))).astype(np.int64)
    others = np.minimum(others, int(8 * mean_others) + 1)
    place = np.empty((users, FIRST_OTHER + int(others.max()) + 1), np.int16)
    place[:, HOME] = home
    place[:, WORK] = jobs.draw(home, rng.random(users))
    for column in range(FIRST_OTHER, place.shape[1] - 1):
        place[:, column] = near.draw(home, rng.random(users))
    place[:, -1] = far.draw(home, rng.random(users))

    return People(
        samples=_sample_counts(stratified(rng, users), days, preset),
        place=place,
        bounce=_bounce(rng, place, network),
        others=others,
        works=rng.random(users) < EMPLOYED,
        outgoing=rng.lognormal(0.0, 0.5, users),
        travels=stratified(rng, users) < preset.traveller_share,
    )


class _Pull:
    """Draws a destination for each origin with chances given by a row of weights per origin."""

    def __init__(self, weight: Floats, network: Network, nearest_km: float, farthest_km: float) -> None:
        weight = np.where((network.distance_km < nearest_km) | (network.distance_km > farthest_km), 0, weight)
        # Somebody with nothing in range stays: an origin always keeps a little weight of its own.
        weight[np.diag_indices_from(weight)] = np.maximum(0.2 * np.diag(weight), 1e-12)
        cumulated = np.cumsum(weight, axis=1)
        cumulated /= cumulated[:, -1:]
        self._size = len(weight)
        self._steps = (cumulated + np.arange(self._size)[:, None]).ravel()

    def draw(self, origin: NDArray[np.int64], u: Floats) -> NDArray[np.int64]:
        # One search over all rows at once: row i covers the numbers from i to i + 1.
        hit = np.searchsorted(self._steps, origin + u * (1 - 1e-9), side="right")
        return np.clip(hit - origin * self._size, 0, self._size - 1)


def _bounce(rng: np.random.Generator, place: NDArray[np.int16], network: Network) -> NDArray[np.int16]:
    """Pick one of the three antennas next to each place, or the place itself where they are far."""
    nearest = np.argsort(network.distance_km, axis=1)[:, 1:4]
    chosen = nearest[place, rng.integers(0, nearest.shape[1], place.shape)]
    return np.where(network.distance_km[place, chosen] <= BOUNCE_LIMIT_KM, chosen, place).astype(np.int16)


def _sample_counts(u: Floats, days: int, preset: Preset) -> NDArray[np.int64]:
    """Turn uniform numbers into heavy-tailed counts with the preset's mean and minimum.

    A log-normal above the minimum. `u` is stratified, so dividing by the mean of the draw itself hits the
    preset's mean at any number of people without bending the distribution.
    """
    least = preset.min_per_day * days
    mean = preset.samples_per_user * days / preset.days
    excess = np.exp(preset.samples_sigma * _normal_quantile(u))
    excess *= (mean - least) / excess.mean()
    # Nobody is active in more than a third of all minutes; this touches one person in ten thousands.
    return np.clip(np.rint(least + excess), max(1, np.ceil(least)), 480 * days).astype(np.int64)


def _normal_quantile(u: Floats) -> Floats:
    """Inverse of the normal distribution: Acklam's rational approximation, 1e-9, without scipy."""
    from statistics import NormalDist

    grid = np.linspace(-6, 6, 24_001)
    normal = NormalDist()
    return np.interp(u, [normal.cdf(z) for z in grid], grid)
