"""Made-up people and the sound release of their profiles with noise in every value."""

import math

import numpy as np
import polars as pl

from shoal.auditor.budgets import rounded_up
from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.auditor.selftest.sound_cells import Floats, made_up_names, made_up_values, profile_table
from shoal.contract.claims import CellNoise
from shoal.contract.claims.profiles import NOISE_STEPS
from shoal.contract.kinds import PROFILES

EPSILON = 2.0
WEEKS = 4
_TOWNS = 3


def sound_cell_noise(*, people: int = 120, seed: int | None = None) -> Draft:
    """Make a release that keeps its promise: noise of its own for each value, on the grid, cut to 0…1.

    Every third person has profiles in one, two and three municipalities.
    """
    rng = np.random.default_rng(seed)
    names = made_up_names(rng, people)
    person, town = (n.ravel() for n in np.indices((people, _TOWNS)))
    there = town <= person % _TOWNS
    person, town = person[there], town[there]
    municipality = np.array([f"town-{number}" for number in range(_TOWNS)])[town]
    values = made_up_values(rng, person.size, WEEKS)
    tokens = np.array([rng.bytes(16).hex() for _ in range(person.size)])
    raw = profile_table(names[person], municipality, values)
    published = with_noise(values, grid_noise(rng, values.shape))
    draft = Draft(
        PROFILES,
        raw[rng.permutation(raw.height)],
        profile_table(tokens, municipality, published).with_columns(group=person, member=person),
        pl.DataFrame({"original_uid": names[person], "uid": tokens, "municipality": municipality}),
        outsider("nobody").clear(),
        {},
    )
    claim = CellNoise(EPSILON)
    drawn = np.bincount(person) * values.shape[1]
    told = [EPSILON, *(rounded_up(EPSILON * float(value)) for value in (np.median(drawn), np.max(drawn)))]
    budgets = dict(zip(claim.budgets, told, strict=True))
    draft.manifest = manifest_of(draft, claim, {"epsilon": EPSILON, "min_per_day": 0.0}, budgets=budgets)
    return draft


def grid_noise(rng: np.random.Generator, shape: tuple[int, ...], epsilon: float = EPSILON) -> Floats:
    """Draw noise in whole steps, as shares: the difference of two geometric draws has the law."""
    chance = 1 - math.exp(-epsilon / NOISE_STEPS)
    return (rng.geometric(chance, shape) - rng.geometric(chance, shape)) / NOISE_STEPS


def with_noise(values: Floats, noise: Floats) -> Floats:
    """Add noise on the grid, and cut."""
    steps = np.rint(values * NOISE_STEPS) + np.rint(noise * NOISE_STEPS)
    return np.asarray(np.clip(steps, 0, NOISE_STEPS) / NOISE_STEPS + 0.0)
