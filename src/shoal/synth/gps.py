"""Dense GPS traces of a town, with the truth about homes and stays beside them."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from shoal.progress import Progress
from shoal.synth.movement import DAY_S, Movement, move
from shoal.synth.projection import Floats, Plane
from shoal.synth.randomness import opaque_ids, require_counts, stream, uid_column
from shoal.synth.streets import build_streets

TOWN = Plane(38.74, -9.15)
"""On the meridian of Greenwich's clock in winter, so that local time is UTC."""

FIRST_DAY_S = int(np.datetime64("2024-01-01", "s").astype(np.int64))

NOISE_M = 2.5
DRIFT_M = 2.5
"""Standard deviation per axis of the error that changes with each fix, and of the one that drifts slowly."""

DRIFT_S = 600.0
OUTAGES_PER_DAY = 0.7
OFF_AT_NIGHT = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class GpsData:
    """Traces and the truth about them.

    Parameters
    ----------
    points
        ``uid, datetime, lat, lng``, person after person, in order of time.
    truth
        ``uid, kind, lat, lng, t_start, t_end``: per person one row for the home itself, without times, then a
        row per stay in order of time; kind is home, work or other.
    """

    points: pa.Table
    truth: pa.Table


def gps(users: int, days: int, *, seed: int = 0, progress: Progress | None = None) -> GpsData:
    """Make traces of `users` people over `days` days in a town of about 8 km across.

    People live at home, most work, and all go to shops and friends, on foot or by car along the quickest
    streets. A fix comes every 10 to 60 s, with an error of a few metres; devices fail now and then for
    minutes to hours, and some are off at night. The same arguments give the identical tables.

    Parameters
    ----------
    users, days
        How many; the first day is a Monday.
    seed
        Of everything.
    progress
        Called as ``progress(phase, done, total)``.

    Examples
    --------
    >>> data = gps(2, 1, seed=3)
    >>> data.points.column_names, data.truth.column_names
    (['uid', 'datetime', 'lat', 'lng'], ['uid', 'kind', 'lat', 'lng', 't_start', 't_end'])
    """
    require_counts(users=users, days=days, seed=seed)
    streets = build_streets(stream(seed, "streets"))
    ids = opaque_ids(stream(seed, "uids"), users)

    times, easts, norths = [], [], []
    truth: list[tuple[str, float, float, int | None, int | None]] = []
    rows_of_truth = []
    for person in range(users):
        rng = stream(seed, "gps", person)
        movement = move(rng, streets, days)
        t, x, y = _fixes(rng, movement, days)
        times.append(t)
        easts.append(x)
        norths.append(y)
        home = movement.stays[0].place
        truth.append(("home", home.x, home.y, None, None))
        truth += [(s.place.kind, s.place.x, s.place.y, int(s.start), int(s.end)) for s in movement.stays]
        rows_of_truth.append(1 + len(movement.stays))
        if progress is not None:
            progress("making traces", person + 1, users)

    counts = np.array([len(t) for t in times], np.int64)
    lat, lng = TOWN.to_degrees(np.concatenate(easts), np.concatenate(norths))
    points = pa.table(
        {
            "uid": uid_column(ids, counts),
            "datetime": _timestamps(pa.array(np.concatenate(times))),
            "lat": lat,
            "lng": lng,
        }
    )
    kinds, x_true, y_true, starts, ends = zip(*truth, strict=True)
    lat, lng = TOWN.to_degrees(np.array(x_true), np.array(y_true))
    stays = pa.table(
        {
            "uid": uid_column(ids, np.array(rows_of_truth, np.int64)),
            "kind": pa.array(kinds, pa.string()),
            "lat": lat,
            "lng": lng,
            "t_start": _timestamps(pa.array(starts, pa.int64())),
            "t_end": _timestamps(pa.array(ends, pa.int64())),
        }
    )
    return GpsData(points, stays)


def _fixes(rng: np.random.Generator, movement: Movement, days: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return what the device records of a movement: whole seconds, and metres with the device's errors."""
    every_s = rng.uniform(10, 50)
    span = days * DAY_S
    steps = rng.uniform(0.8, 1.2, int(span / every_s * 1.3) + 10) * every_s
    t = np.cumsum(steps).astype(np.int64)
    t = t[t < span]

    for _ in range(rng.poisson(OUTAGES_PER_DAY * days)):
        begin = rng.uniform(0, span)
        t = t[(t < begin) | (t > begin + rng.lognormal(np.log(900), 1.0))]
    if rng.random() < OFF_AT_NIGHT:
        second_of_day = t % DAY_S
        t = t[(second_of_day > rng.uniform(5.5, 7) * 3600) & (second_of_day < rng.uniform(22, 23.9) * 3600)]

    position = []
    for true in (movement.x, movement.y):
        drift_times = np.arange(0, span + DRIFT_S, DRIFT_S)
        drift = np.interp(t, drift_times, rng.normal(0, DRIFT_M, len(drift_times)))
        position.append(np.interp(t, movement.t, true) + drift + rng.normal(0, NOISE_M, len(t)))
    return t, position[0], position[1]


def _timestamps(seconds: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.multiply(pc.add(seconds, FIRST_DAY_S), 1_000_000).cast(pa.timestamp("us", "UTC"))
