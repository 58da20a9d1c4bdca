"""Made-up people and the sound release of their points, in parts: several names for each of them."""

import numpy as np
import polars as pl

from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.contract.claims import Nothing
from shoal.contract.kinds import POINTS

_START_US = 1_700_006_400_000_000
_PART_US, _POINT_US = 7_200_000_000, 61_000_250
"""Times have fractions of a second: points may."""


def sound_points(*, people: int = 30, parts: int = 3, points: int = 6, seed: int | None = None) -> Draft:
    """Make a release that claims nothing: everybody's points, moved a little; each part under a name of its own."""
    rng = np.random.default_rng(seed)
    rows = people * parts * points
    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(people * parts)])
    person, part, point = (n.ravel() for n in np.indices((people, parts, points)))
    t_us = _START_US + part * _PART_US + point * _POINT_US
    lat, lng = rng.uniform(5, 7, (people, 1, 2)).repeat(parts * points, 1).reshape(rows, 2).T
    raw = pl.DataFrame(
        {"uid": [*names[person], names[-1]], "datetime": [*t_us, _START_US], "lat": [*lat, 6.0], "lng": [*-lng, -5.0]}
    ).with_columns(pl.col("datetime").cast(pl.Datetime("us", "UTC")))
    member = person * parts + part
    moved = [np.round(degrees + rng.normal(0, 1e-3, rows), 6) + 0.0 for degrees in (lat, -lng)]
    data = pl.DataFrame(
        {"uid": tokens[member], "datetime": t_us, "lat": moved[0], "lng": moved[1], "group": person, "member": member}
    ).with_columns(pl.col("datetime").cast(pl.Datetime("us", "UTC")))
    mapping = pl.DataFrame({"original_uid": names[:-1].repeat(parts), "uid": tokens})
    draft = Draft(POINTS, raw[rng.permutation(raw.height)], data, mapping, outsider(names[-1]), {})
    draft.manifest = manifest_of(draft, Nothing(), {"spread_m": 100, "min_per_day": 2.0})
    return draft
