"""Who lives where, where they work and go, and how much they use their phones."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from shoal.synth.chances import Chances, Ints
from shoal.synth.network import Network
from shoal.synth.presets import USUAL_PLACES, Preset
from shoal.synth.projection import Floats
from shoal.synth.randomness import fixed_uniform, stratified, stream

NEAR_KM = 4.5
"""How far from home the other places of somebody with the usual number of places are."""

OTHERS_PER_PLACE = 15
"""Places somebody knows for each one that two weeks of calls show; most are visited too rarely to be seen."""

TRIP_LEAST_KM = 30.0
EMPLOYED = 0.85
OUTGOING_SIGMA = 0.5
MOST_VISITS = 8

MOST_PER_DAY = 480
"""Nobody has samples in more than a third of all minutes; this touches one person in tens of thousands."""


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """One entry per person; places are antenna numbers.

    Parameters
    ----------
    samples
        How many each has in all.
    home, work, away
        Work is -1 for those without; away is where a traveller goes, -1 for the others.
    others
        How many further places somebody knows; see `other_place`.
    outgoing
        How readily somebody goes there, 1 for most.
    visits_per_slot
        Places one can be at within two hours.
    second
        Which of the antennas beside one's own takes over when that is busy.
    """

    samples: Ints
    home: Ints
    work: Ints
    away: Ints
    others: Ints
    outgoing: Floats
    visits_per_slot: int
    second: Ints
    _near: Chances
    _seed: int

    def other_place(self, person: Ints, rank: Ints) -> Ints:
        """Return the place that ranks `rank`-th (from 0) among the other places of each person.

        Computed anew at each visit from a hash, because a table of all of them would outgrow the data.
        """
        return self._near.draw(self.home[person], fixed_uniform(self._seed, person, rank))


def settle(users: int, days: int, preset: Preset, network: Network, seed: int) -> People:
    """Give everybody a home, work, other places and a number of samples.

    Work and other places are the nearer and the more popular the likelier, so that neighbours meet in the same
    ones. The pull falls like a Gaussian: a longer tail would put a far-away sample into everybody's records,
    and only a few people in the papers' data leave their surroundings.
    """
    rng = stream(seed, "people")
    roaming = preset.places_per_user / USUAL_PLACES
    home = Chances(network.people[None, :]).draw(np.zeros(users, np.int64), stratified(rng, users))
    jobs = _pull(network, np.exp(-((network.distance_km / preset.reach_km) ** 2)))
    far = _pull(network, network.distance_km > TRIP_LEAST_KM)
    # Geometric, so that a minority roams much more than the rest.
    mean_others = OTHERS_PER_PLACE * preset.places_per_user
    others = 1 + np.floor(np.log1p(-stratified(rng, users)) / np.log1p(-1 / mean_others)).astype(np.int64)
    return People(
        samples=_sample_counts(stratified(rng, users), days, preset),
        home=home,
        work=np.where(rng.random(users) < EMPLOYED, jobs.draw(home, rng.random(users)), -1),
        away=np.where(stratified(rng, users) < preset.traveller_share, far.draw(home, rng.random(users)), -1),
        others=others,
        outgoing=rng.lognormal(0.0, OUTGOING_SIGMA, users) * roaming,
        visits_per_slot=int(np.clip(np.rint(roaming), 1, MOST_VISITS)),
        second=rng.integers(0, network.beside.shape[1], users),
        _near=_pull(network, np.exp(-((network.distance_km / (NEAR_KM * roaming)) ** 2)), evenness=max(1.0, roaming)),
        _seed=seed,
    )


def _pull(network: Network, nearness: NDArray[np.floating | np.bool_], evenness: float = 1.0) -> Chances:
    """Chances to go from each antenna to each; the more even, the less the crowd's choice matters."""
    weight = network.visitors ** (1 / evenness) * nearness
    # Home itself is no destination; yet where nothing else is in reach, people stay.
    diagonal = np.diag_indices_from(weight)
    weight[diagonal] = np.maximum(0.2 * weight[diagonal], 1e-12)
    return Chances(weight)


def _sample_counts(u: Floats, days: int, preset: Preset) -> Ints:
    """Turn uniform numbers into heavy-tailed counts with the preset's mean and minimum.

    A log-normal above the minimum. `u` is stratified, so dividing by the mean of the draw itself hits the
    preset's mean at any number of people without bending the distribution.
    """
    least = preset.min_per_day * days
    mean = preset.samples_per_user * days / preset.days
    excess = np.exp(preset.samples_sigma * _normal_quantile(u))
    excess *= (mean - least) / excess.mean()
    return np.clip(np.rint(least + excess), max(1, np.ceil(least)), MOST_PER_DAY * days).astype(np.int64)


def _normal_quantile(u: Floats) -> Floats:
    """Inverse of the normal distribution function, interpolated: scipy takes longer to import than all this."""
    grid = np.linspace(-6, 6, 12_001)
    normal = NormalDist()
    return np.interp(u, [normal.cdf(z) for z in grid], grid)
