"""Made-up people who walk in company, and the sound release of their traces in cylinders."""

import numpy as np
import polars as pl

from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.auditor.selftest.sound_noise import moved
from shoal.contract.claims import Cylinder
from shoal.contract.kinds import POINTS

DELTA_M = 200.0
_START_US, _DAY_US = 1_700_006_400_000_000, 86_400_000_000
_STRIDE_M = 300.0


def sound_cylinders(*, clusters: int = 24, k: int = 2, points: int = 12, seed: int | None = None) -> Draft:
    """Make a release that keeps its promise: a trace as it was, and k - 1 others, moved as near as they must be.

    All clusters live in one town, and every third one has the same times: company is not told by times alone.
    """
    rng = np.random.default_rng(seed)
    people = clusters * k
    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(people)])
    t_us = np.sort(rng.integers(0, _DAY_US // 1_000_000, (clusters, points)), axis=1) * 1_000_000 + _START_US
    t_us[::3] = t_us[0]
    start = np.stack(np.divmod(np.arange(clusters), 6), axis=1)[:, None] * 2_000.0
    walk = start + rng.normal(0, _STRIDE_M, (clusters, points, 2)).cumsum(axis=1)
    angle, share = rng.uniform(0, 1, (2, clusters, k, points))
    way = np.stack((np.cos(2 * np.pi * angle), np.sin(2 * np.pi * angle)), axis=-1)
    # Some were in the cylinder, and stay where they were; the others are moved to its edge.
    away = share * 2 * DELTA_M
    away[:, 0] = 0  # the pivot
    was, beside = way * away[..., None], way * np.minimum(away, DELTA_M / 2)[..., None]
    east, north = np.moveaxis(walk[:, None] + beside, -1, 0)
    member = np.repeat(np.arange(people), points)
    cluster = member // k
    times = np.repeat(t_us[:, None], k, axis=1).ravel()
    origin = np.full(member.size, 45.0), np.full(member.size, 7.0)
    lat, lng = moved(*origin, east.ravel(), north.ravel())
    rows = {"uid": tokens[member], "datetime": times, "lat": np.round(lat, 6), "lng": np.round(lng, 6)}
    data = pl.DataFrame({**rows, "group": cluster, "member": member})
    east, north = np.moveaxis(walk[:, None] + was, -1, 0)
    lat, lng = moved(*origin, east.ravel(), north.ravel())
    # Those who are no pivot were there a little later.
    late = np.where(member % k == 0, 0, 7_000_000)
    raw = pl.DataFrame(
        {
            "uid": [*names[member], names[-1]],
            "datetime": [*(times + late), _START_US],
            "lat": [*lat, 45.0],
            "lng": [*lng, 7.0],
        }
    )
    utc = pl.col("datetime").cast(pl.Datetime("us", "UTC"))
    draft = Draft(
        POINTS,
        raw.with_columns(utc)[rng.permutation(raw.height)],
        data.with_columns(utc),
        pl.DataFrame({"original_uid": names[:-1], "uid": tokens}),
        outsider(names[-1]),
        {},
    )
    parameters = {"k": k, "delta_m": DELTA_M, "trash": 0.1, "min_per_day": 2.0}
    draft.manifest = manifest_of(draft, Cylinder(k, DELTA_M), parameters)
    return draft
