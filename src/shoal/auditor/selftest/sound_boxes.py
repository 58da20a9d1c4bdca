"""Made-up people in groups, and the sound release of their boxes."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.attacks.crowd import Ints
from shoal.auditor.raw import project
from shoal.auditor.selftest.draft import BESIDE, Draft, manifest_of
from shoal.contract.claims import KAnonymity
from shoal.contract.kinds import BOXES

CRS = "+proj=laea +lat_0=6 +lon_0=-5 +datum=WGS84 +units=m +no_defs"
CELL_M, DT_S = 100, 60
START_S = 1_700_006_400
_SLOT_S = 7200
"""Every box has a slot of two hours to itself; the last slot of each person holds what is withheld."""

_SAMPLES = 3
"""Of each member in each box; one of them at the same moment for all."""

_WIDTH, _AT_HOME = 6, (2, 2, 5)
"""Cells that a box spans at most, and those of the samples at home: the first two in one place."""


def sound_boxes(*, groups: int = 24, k: int = 2, boxes: int = 8, seed: int | None = None) -> Draft:
    """Make a release that keeps every promise: groups of k, tight boxes, a withheld slot per group, one outsider."""
    rng = np.random.default_rng(seed)
    people = groups * k
    shape = (groups, boxes + 1, k, _SAMPLES)
    phase = rng.integers(0, 60, (groups, boxes + 1, 1, 1)) * DT_S
    moment = rng.integers(1, 30, shape) * DT_S
    moment[..., 0] = 0
    # The first member is seen before that moment, the others after it: so no box can be cut in two that hold all.
    moment[:, :, 0] *= -1
    t = START_S + np.arange(boxes + 1)[:, None, None] * _SLOT_S + phase + moment
    home = rng.integers(-400, 400, (2, groups, 1, 1, 1))
    at_home = np.arange(boxes + 1) % 3 == 0
    trip = rng.integers(-30, 30, (2, groups, boxes + 1, 1, 1)) * ~at_home[:, None, None]
    within = rng.integers(0, _WIDTH, (2, *shape))
    # Every third slot is spent at home, in the same cells, so that there is a most frequent place and area.
    within[:, :, at_home] = _AT_HOME
    x, y = (home + trip + within) * CELL_M

    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(people)])
    member = np.broadcast_to(np.arange(people).reshape(groups, 1, k, 1), shape)
    raw = scattered(names, member, t, x, y, rng)
    withheld = pl.concat([_withheld(names, member, t, x, y), outsider(names[-1])])
    mapping = pl.DataFrame({"original_uid": names[:-1], "uid": tokens})
    data = _published(tokens, t[:, :-1], x[:, :-1], y[:, :-1], k)
    draft = Draft(BOXES, raw, data, mapping, withheld, {})
    grid = {"cell_m": CELL_M, "dt_s": DT_S}
    samples = np.unique(np.stack([n.ravel() for n in (member, t, x, y)]), axis=1).shape[1]
    parameters = {
        "k": k,
        "publish": "kmerge",
        "suppress_share": 0.5,
        "suppress_share_reached": round((withheld.height - 1) / samples, 3),
        "leftover_limit": 1.0,
        "min_per_day": 2.0,
        **dict.fromkeys(("suppress_km", "suppress_hours", "align_m", "align_minutes", "partition")),
    }
    draft.manifest = manifest_of(draft, KAnonymity(k), parameters, crs=CRS, grid=grid, base_grid=dict(grid))
    return draft


def scattered(
    names: NDArray[np.str_], member: Ints, t: Ints, x: Ints, y: Ints, rng: np.random.Generator
) -> pl.DataFrame:
    """Scatter the samples inside their cells, in random order; the outsider is seen once."""
    owner = np.concatenate((member.ravel(), [names.size - 1]))
    seconds = np.concatenate((t.ravel(), [START_S])) + rng.integers(0, DT_S, owner.size)
    places = [np.concatenate((v.ravel(), [0])) + rng.uniform(5, CELL_M - 5, owner.size) for v in (x, y)]
    lng, lat = project(CRS, *places, inverse=True)
    frame = pl.DataFrame({"uid": names[owner], "datetime": seconds * 1_000_000, "lat": lat, "lng": lng})
    frame = frame.with_columns(pl.col("datetime").cast(pl.Datetime("us", "UTC")))
    return frame[rng.permutation(frame.height)]


def _withheld(names: NDArray[np.str_], member: Ints, t: Ints, x: Ints, y: Ints) -> pl.DataFrame:
    """List the last slot of every group, all members alike."""
    columns = {
        "original_uid": names[member[:, -1].ravel()],
        "t": t[:, -1].ravel() * 1_000_000,
        "x": x[:, -1].ravel(),
        "y": y[:, -1].ravel(),
    }
    rows = pl.DataFrame(columns).with_columns(pl.col("t").cast(pl.Datetime("us", "UTC")), reason=pl.lit("share"))
    return rows.unique()


def outsider(name: str) -> pl.DataFrame:
    """List a whole person as withheld."""
    blank = {"t": pl.lit(None, pl.Datetime("us", "UTC")), "x": pl.lit(None, pl.Int64), "y": pl.lit(None, pl.Int64)}
    return pl.DataFrame({"original_uid": [str(name)]}).with_columns(**blank, reason=pl.lit("screened"))


def _published(tokens: NDArray[np.str_], t: Ints, x: Ints, y: Ints, k: int) -> pl.DataFrame:
    """Draw the tight box around each slot of a group, and repeat it for each member."""
    groups, boxes = t.shape[:2]
    edges: dict[str, Ints] = {}
    for low, high, values, unit in (
        ("t_start", "t_end", t, DT_S),
        ("x_min", "x_max", x, CELL_M),
        ("y_min", "y_max", y, CELL_M),
    ):
        edges[low], edges[high] = values.min(axis=(2, 3)), values.max(axis=(2, 3)) + unit
    rows = {name: np.repeat(values, k, axis=0).ravel() for name, values in edges.items()}
    group = np.repeat(np.arange(groups), k * boxes)
    member = np.repeat(np.arange(groups * k), boxes)
    frame = pl.DataFrame({"uid": tokens[member], **rows, "group": group, "member": member})
    times = (pl.col(name) * 1_000_000 for name in ("t_start", "t_end"))
    return centred(frame.with_columns(time.cast(pl.Datetime("us", "UTC")) for time in times))


def centred(frame: pl.DataFrame) -> pl.DataFrame:
    """Set lat and lng to the middle of each box, and the columns in order."""
    middles = [((frame[f"{a}_min"] + frame[f"{a}_max"]) / 2).to_numpy() for a in ("x", "y")]
    lng, lat = project(CRS, *middles, inverse=True)
    frame = frame.with_columns(lat=pl.Series(np.round(lat, 6) + 0.0), lng=pl.Series(np.round(lng, 6) + 0.0))
    return frame.select(*(column.name for column in BOXES.columns), *BESIDE)
