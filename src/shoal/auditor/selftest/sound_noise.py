"""Made-up people in the north, and the sound release of their points with noise, for each point or for each cell."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.auditor.budgets import rounded_up
from shoal.auditor.points_draws import lattice
from shoal.auditor.points_geometry import degree_lengths
from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.contract.claims import GeoIndistinguishability
from shoal.contract.kinds import POINTS

EPSILON = 0.01
MEMO_M = 200
_START_US, _STEP_US = 1_700_006_400_000_000, 300_000_000
_SPREAD_M = 1_000.0

Floats = NDArray[np.float64]


def sound_noise(*, people: int = 16, points: int = 600, memo_m: int | None = None, seed: int | None = None) -> Draft:
    """Make a release that keeps its promise: each point moved by planar Laplace noise, in metres.

    Parameters
    ----------
    memo_m
        One draw for each person and cell of so many metres, from its middle, instead.
    """
    rng = np.random.default_rng(seed)
    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(people)])
    person = np.repeat(np.arange(people), points)
    t_us = _START_US + np.tile(np.arange(points), people) * _STEP_US + rng.integers(0, 10**8, people)[person]
    # A degree to the east is half as long as one to the north here: noise in degrees shows.
    home = rng.uniform(59.9, 60.1, people)[person], rng.uniform(10, 12, people)[person]
    lat, lng = moved(*home, *rng.normal(0, _SPREAD_M, (2, person.size)))
    raw = pl.DataFrame(
        {
            "uid": [*names[person], names[-1]],
            "datetime": [*t_us, _START_US],
            "lat": [*lat, 60.0],
            "lng": [*lng, 11.0],
        }
    ).with_columns(pl.col("datetime").cast(pl.Datetime("us", "UTC")))
    if memo_m:
        lat, lng, cell = _middles(lat, lng, memo_m)
        _, model, drawn = np.unique(np.stack((person, *cell)), axis=1, return_index=True, return_inverse=True)
        east, north = (column[drawn.ravel()] for column in planar_noise(rng, model.size))
    else:
        east, north = planar_noise(rng, person.size)
    lat, lng = moved(lat, lng, east, north)
    rows = {"uid": tokens[person], "datetime": t_us, "lat": np.round(lat, 6), "lng": np.round(lng, 6)}
    data = pl.DataFrame({**rows, "group": person, "member": person})
    draft = Draft(
        POINTS,
        raw[rng.permutation(raw.height)],
        data.with_columns(pl.col("datetime").cast(pl.Datetime("us", "UTC"))),
        pl.DataFrame({"original_uid": names[:-1], "uid": tokens}),
        outsider(names[-1]),
        {},
    )
    claim, parameters = GeoIndistinguishability(EPSILON), {"memo_cell_m": memo_m, "min_per_day": 2.0}
    places = draft.data.select("uid", "lat", "lng").unique() if memo_m else draft.data
    draws = places.group_by("uid").len()["len"].to_numpy()
    told = [rounded_up(EPSILON * float(value)) for value in (np.median(draws), np.max(draws))]
    draft.manifest = manifest_of(draft, claim, parameters, budgets=dict(zip(claim.budgets, told, strict=True)))
    return draft


def planar_noise(rng: np.random.Generator, size: int, epsilon: float = EPSILON) -> tuple[Floats, Floats]:
    """Draw noise: any direction, and a distance that follows a gamma law of shape 2."""
    radius, angle = rng.gamma(2, 1 / epsilon, size), rng.uniform(0, 2 * np.pi, size)
    return radius * np.cos(angle), radius * np.sin(angle)


def moved(lat: Floats, lng: Floats, east: Floats, north: Floats) -> tuple[Floats, Floats]:
    """Go so many metres to the east and to the north."""
    to_lat = lat + north / degree_lengths(lat)[1]
    return to_lat, lng + east / degree_lengths((lat + to_lat) / 2)[0]


def _middles(lat: Floats, lng: Floats, cell_m: float) -> tuple[Floats, Floats, tuple[NDArray[np.int64], ...]]:
    """Move places to the middle of their cell of the public lattice, and return the cell."""
    line, column, middle_lat, middle_lng, _ = lattice(lat, lng, cell_m)
    return middle_lat, middle_lng, (line, column)
