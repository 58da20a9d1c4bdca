"""Made-up people who go straight ahead and stop on the way, and the sound release of their ways without the stops."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pyproj import Geod

from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import outsider
from shoal.contract.claims import SpeedSmoothing
from shoal.contract.kinds import POINTS

ALPHA_M = 100.0
LENGTH_M = 3_040.0
_START_S, _DAY_S = 1_700_006_400, 86_400
_RECORDS, _STOP, _STOPPED_S = 90, 10, 1_200
"""Records on a way, those of them at the stop in the middle, and how long that lasts."""

_SPEED = 1.5
_GEOD = Geod(ellps="WGS84")

Floats = NDArray[np.float64]


def sound_smoothing(
    *,
    people: int = 12,
    parts: int = 5,
    starts_m: tuple[float, float] = (1.2 * ALPHA_M, 2.8 * ALPHA_M),
    ends_m: tuple[float, float] = (1.2 * ALPHA_M, 2.8 * ALPHA_M),
    trim: str = "zone",
    seed: int | None = None,
) -> Draft:
    """Make a release that keeps its promise: points at equal steps on a straight way, from behind its start on.

    Parameters
    ----------
    starts_m, ends_m
        How much is cut off at the start and at the end of a way, at least and at most: drawn for each person.
    trim
        What the manifest calls that.
    """
    rng = np.random.default_rng(seed)
    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(people * parts)])
    raw, data, listed = [], [], []
    for person in range(people):
        home = rng.uniform(59, 61), rng.uniform(10, 12)
        cut = rng.uniform(*starts_m), rng.uniform(*ends_m)
        for part in range(parts + 1):
            # The last part stays at home: nothing is left of it.
            away = part < parts
            t, way = _recorded(rng, _START_S + part * _DAY_S, LENGTH_M if away else 30.0)
            azimuth = rng.uniform(0, 360)
            lat, lng = _places(home, azimuth, way)
            raw.append({"uid": np.repeat(names[person], t.size), "datetime": t, "lat": lat, "lng": lng})
            ends = t[0] * 1_000_000, t[-1] * 1_000_000
            listed.append((names[person], *ends, t.size, None if away else "short"))
            if not away:
                continue
            at = np.arange(cut[0], LENGTH_M - cut[1], ALPHA_M)
            lat, lng = _places(home, azimuth, at)
            began, ended = np.interp(at[[0, -1]], way, t).tolist()
            moments = np.rint(np.linspace(began, ended, at.size)).astype(np.int64)
            member = person * parts + part
            rows = {"uid": np.repeat(tokens[member], at.size), "datetime": moments}
            rows |= {"lat": np.round(lat, 6), "lng": np.round(lng, 6)}
            data.append(rows | {"group": np.repeat(person, at.size), "member": np.repeat(member, at.size)})
    raw.append({"uid": names[-1:], "datetime": np.array([_START_S]), "lat": np.array([60.0]), "lng": np.array([11.0])})
    records = _timed(raw)
    draft = Draft(
        POINTS,
        records[rng.permutation(records.height)],
        _timed(data),
        pl.DataFrame({"original_uid": names[:-1].repeat(parts), "uid": tokens}),
        outsider(names[-1]),
        {},
        tables={"parts": _listed(listed)},
    )
    parameters = {"alpha_m": ALPHA_M, "endpoint_trim": trim, "interpolation": "path", "min_per_day": 2.0}
    draft.manifest = manifest_of(draft, SpeedSmoothing(ALPHA_M), parameters)
    return draft


def _recorded(rng: np.random.Generator, start_s: int, length_m: float) -> tuple[NDArray[np.int64], Floats]:
    """Return times and ways of the records of one part: an even walk with a stop in the middle."""
    way = np.sort(np.concatenate(([0, length_m], rng.uniform(0, length_m, _RECORDS - 2))))
    middle = _RECORDS // 2
    way[middle : middle + _STOP] = way[middle]
    stopped = np.concatenate((np.zeros(middle), np.linspace(0, _STOPPED_S, _STOP), np.full(_RECORDS, _STOPPED_S)))
    t = start_s + rng.integers(0, 3600) + way / _SPEED + stopped[:_RECORDS] + np.arange(_RECORDS)
    return t.astype(np.int64), way


def _places(home: tuple[float, float], azimuth: float, way: Floats) -> tuple[Floats, Floats]:
    """Go straight on from home."""
    lat, lng, direction = (np.full(way.size, value) for value in (*home, azimuth))
    east, north, _ = _GEOD.fwd(lng, lat, direction, way)
    return np.asarray(north), np.asarray(east)


def _timed(blocks: list[dict[str, NDArray[np.generic]]]) -> pl.DataFrame:
    frame = pl.DataFrame({name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})
    return frame.with_columns((pl.col("datetime") * 1_000_000).cast(pl.Datetime("us", "UTC")))


def _listed(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    names = ("original_uid", "start", "end", "records", "reason")
    frame = pl.DataFrame([dict(zip(names, map(_plain, row), strict=True)) for row in rows])
    return frame.with_columns(pl.col("start", "end").cast(pl.Datetime("us", "UTC")))


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value
