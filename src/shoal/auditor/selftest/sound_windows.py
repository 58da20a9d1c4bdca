"""Made-up people who hide in crowds that change, and the sound release of their boxes.

People are points of small planes of q × q, q prime: any two points lie on exactly one line, and the lines of one
direction split the plane into q crowds of q. Each *epoch* has a direction. A crowd meets in it at a place of its own,
far from all others, and each member publishes the box around all of the crowd's samples. So with k = q

- all members of a crowd cover each other's samples of an epoch, with the very same box: k people fit, none fits more
  tightly than another, and no box stands where one of them never was;
- epochs are farther apart than τ, so no interval sees two of them;
- two people meet once, and nobody else comes near: what all who fit have in common ends with the epoch. Nothing leaks.

A last epoch is withheld of some, who lie then in no box of theirs.
"""

import numpy as np
import polars as pl

from shoal.attacks.crowd import Ints
from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_boxes import CELL_M, CRS, DT_S, START_S, centred, outsider, scattered
from shoal.contract.claims import WindowHiding
from shoal.contract.kinds import BOXES

TAU_S = EPSILON_S = 3600
EPOCH_S = 3 * 3600
"""From one epoch to the next: longer than τ, and than ε."""

_SAMPLES, _WIDTH, _APART, _LASTS = 3, 6, 40, 30
"""Samples of a person in an epoch; cells that a crowd spans, and from one crowd to the next; slots that it stays."""


def sound_windows(*, k: int = 3, planes: int = 6, seed: int | None = None) -> Draft:
    """Make a release that keeps every promise; k is 2 or 3, or another prime."""
    rng = np.random.default_rng(seed)
    people, epochs = planes * k * k, k + 1
    crowd = _crowds(k, planes)
    shape = (people, epochs + 1, _SAMPLES)
    # Every crowd starts at its own minute, and all are gone before the next epoch.
    phase = rng.integers(0, 30, (epochs + 1, planes * k))
    moments = rng.permuted(np.broadcast_to(np.arange(_LASTS), (*shape[:2], _LASTS)), axis=2)[..., :_SAMPLES]
    t = _at(crowd, phase)[..., None] + moments
    t = START_S + t * DT_S + np.arange(epochs + 1)[:, None] * EPOCH_S
    column, line = (_at(crowd, rng.permuted(np.tile(np.arange(planes * k), (epochs + 1, 1)), axis=1)) for _ in "xy")
    x, y = (
        (_APART * (place[..., None] - planes * k // 2) + rng.integers(0, _WIDTH, shape)) * CELL_M
        for place in (column, line)
    )

    names = np.array([f"person-{number:09}" for number in rng.choice(10**9, people + 1, replace=False)])
    tokens = np.array([rng.bytes(16).hex() for _ in range(people)])
    member = np.broadcast_to(np.arange(people)[:, None, None], shape)
    seen = np.ones(shape, np.bool_)
    # Not everybody was there in the last epoch, of which nothing is published.
    seen[rng.choice(people, people // 2, replace=False), -1] = False
    raw = scattered(names, member[seen], t[seen], x[seen], y[seen], rng)
    data = _published(tokens, crowd[:, :-1], t[:, :-1], x[:, :-1], y[:, :-1])
    rest = [values[:, -1][seen[:, -1]] for values in (member, t, x, y)]
    withheld = pl.concat([_unhidden(names, *rest), outsider(names[-1])])
    mapping = pl.DataFrame({"original_uid": names[:-1], "uid": tokens})
    draft = Draft(BOXES, raw, data, mapping, withheld, {})
    parameters = {"k": k, "tau": TAU_S, "epsilon": EPSILON_S, "min_per_day": 1.5}
    if k == 2:
        parameters["far_leak_share"] = 0.0
    grid = {"cell_m": CELL_M, "dt_s": DT_S}
    claim = WindowHiding(k, TAU_S, EPSILON_S)
    draft.manifest = manifest_of(draft, claim, parameters, crs=CRS, grid=grid, base_grid=dict(grid))
    return draft


def _crowds(q: int, planes: int) -> Ints:
    """The crowd of each person in each epoch: the line through its point, of the epoch's direction."""
    row, column = np.divmod(np.arange(q * q), q)
    lines = [column, *((row + slope * column) % q for slope in range(q)), column]
    return np.concatenate([np.stack(lines, axis=1) + plane * q for plane in range(planes)])


def _at(crowd: Ints, values: Ints) -> Ints:
    """Look up what belongs to each person's crowd, epoch by epoch."""
    return values[np.arange(crowd.shape[1]), crowd]


def _published(tokens: np.ndarray, crowd: Ints, t: Ints, x: Ints, y: Ints) -> pl.DataFrame:
    """Draw the box around each crowd in each epoch, once for each member."""
    people, epochs = crowd.shape
    member, epoch = (axis.ravel() for axis in np.indices((people, epochs)))
    rows = {"uid": tokens[member], "group": (crowd + epoch.reshape(crowd.shape) * people).ravel(), "member": member}
    for low, high, values, unit in (
        ("t_start", "t_end", t, DT_S),
        ("x_min", "x_max", x, CELL_M),
        ("y_min", "y_max", y, CELL_M),
    ):
        rows[low], rows[high] = values.min(axis=2).ravel(), values.max(axis=2).ravel() + unit
    frame = pl.DataFrame(rows)
    hull = [getattr(pl.col(name), name[-3:])().over("group") for name in ("x_min", "x_max", "y_min", "y_max")]
    times = (pl.col("t_start").min().over("group"), pl.col("t_end").max().over("group"))
    frame = frame.with_columns(*hull, *times)
    return centred(frame.with_columns((pl.col("t_start", "t_end") * 1_000_000).cast(pl.Datetime("us", "UTC"))))


def _unhidden(names: np.ndarray, member: Ints, t: Ints, x: Ints, y: Ints) -> pl.DataFrame:
    rows = pl.DataFrame({"original_uid": names[member], "t": t * 1_000_000, "x": x, "y": y})
    return rows.with_columns(pl.col("t").cast(pl.Datetime("us", "UTC")), reason=pl.lit("unhidden")).unique()
