"""Broken in the noise of profiles: too little, in some places none, used again, from a seed, or counted wrongly."""

from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.auditor.selftest.broken import Broken, Change, say_more
from shoal.auditor.selftest.broken_cells import one_more_week
from shoal.auditor.selftest.draft import Draft
from shoal.auditor.selftest.sound_cell_noise import EPSILON, WEEKS, grid_noise, with_noise
from shoal.auditor.selftest.sound_cells import Floats, withheld
from shoal.contract.claims import CellNoise
from shoal.contract.kinds import PROFILES, cell_names

Noise = Callable[[pl.DataFrame, Floats, np.random.Generator], Floats]
"""Shares to add, for rows ``original_uid, municipality, member`` by person and place, and what was recorded there."""

_CELLS = list(cell_names(WEEKS))
_LAST = 2
"""A person with profiles in all towns."""


def _publish(made: Callable[[pl.DataFrame, Floats, np.random.Generator], Floats]) -> Change:
    """Publish other values, made of what was recorded."""

    def change(draft: Draft) -> None:
        key = ["original_uid", "municipality"]
        whose = draft.data.select("uid", "group", "member").join(draft.mapping, on="uid", maintain_order="left")
        table = whose.join(draft.raw.rename({"uid": "original_uid"}), on=key, maintain_order="left").sort(key)
        values = made(table, table.select(_CELLS).to_numpy(), np.random.default_rng())
        cells = {name: values[:, number] for number, name in enumerate(_CELLS)}
        draft.data = (
            table.select("uid", "municipality", "group", "member")
            .with_columns(**{name: pl.Series(column) for name, column in cells.items()})
            .select(draft.data.columns)
        )

    return change


def _with(noise: Noise) -> Change:
    return _publish(lambda table, values, rng: with_noise(values, noise(table, values, rng)))


def _weak(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    return grid_noise(rng, values.shape, 1.5 * EPSILON)


def _folded(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    """Reflect at the edges, instead of cutting."""
    noisy = values + grid_noise(rng, values.shape)
    return np.asarray(np.abs((noisy + 1) % 2 - 1) - values)


def _one_cell(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    noise = grid_noise(rng, values.shape)
    noise[:, 5] /= 20
    return noise


def _zeros_stay(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    return np.where(values == 0, 0.0, grid_noise(rng, values.shape))


def _some_stay(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    return np.where(rng.random(values.shape) < 0.02, 0.0, grid_noise(rng, values.shape))


def _one_person(scale: float) -> Noise:
    def noise(table: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
        mine = (table["member"] == _LAST).to_numpy()[:, None]
        return np.asarray(grid_noise(rng, values.shape) * np.where(mine, scale, 1.0))

    return noise


def _for_everybody(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    return np.tile(grid_noise(rng, (1, values.shape[1])), (len(values), 1))


def _for_all_cells(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    return np.tile(grid_noise(rng, (len(values), 1)), (1, values.shape[1]))


def _in_each_town(table: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    """Start over in each municipality."""
    rank = table.select(pl.int_range(pl.len()).over("municipality")).to_series().to_numpy()
    return np.asarray(grid_noise(rng, values.shape)[rank])


def _mirrored(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    """Let every second draw go the other way than the one before."""
    noise = grid_noise(rng, values.shape)
    noise[:, 1::2] = -np.sign(noise[:, ::2]) * np.abs(noise[:, 1::2])
    return noise


def _from_seed(_: pl.DataFrame, values: Floats, __: np.random.Generator) -> Floats:
    return np.random.default_rng(42).laplace(0, 1 / EPSILON, values.shape)


def _from_old_seed(table: pl.DataFrame, values: Floats, _: np.random.Generator) -> Floats:
    """Draw cell after cell, in the order of municipalities."""
    order = np.lexsort((table["original_uid"].to_numpy(), table["municipality"].to_numpy()))
    noise = np.empty(values.shape)
    noise[order] = np.random.RandomState(20240229).laplace(0, 1 / EPSILON, values.T.shape).T
    return noise


def _off_grid(_: pl.DataFrame, values: Floats, rng: np.random.Generator) -> Floats:
    return np.clip(values + rng.laplace(0, 1 / EPSILON, values.shape), 0, 1)


def _withhold(draft: Draft) -> None:
    """Withhold the first profile as of a small municipality, where there is nothing to be small for."""
    name, uid, town = draft.mapping.row(0)
    draft.suppressed = withheld(name, town)
    draft.data = draft.data.filter(pl.col("uid") != uid)
    draft.mapping = draft.mapping.filter(pl.col("uid") != uid)


def _broken(words: str, condition: str, change: Change) -> Broken:
    return Broken(words, condition, change, kind=PROFILES, claim=CellNoise)


def _noise(words: str, condition: str, noise: Noise) -> Broken:
    return _broken(words, f"cells_noise.{condition}", _with(noise))


def _budget(words: str, condition: str, **told: float) -> Broken:
    return _broken(words, f"budgets.{condition}", say_more("budgets", **told))


_CELL, _MEDIAN, _MAX = CellNoise.budgets
_OF_A_PROFILE = EPSILON * len(_CELLS)

CELL_NOISE = (
    _broken("values with noise off the grid", "noise_grid.on_grid", _publish(_off_grid)),
    _broken("profiles with noise of fewer weeks", "cells_noise.weeks", one_more_week),
    _noise("noise of a smaller scale in profiles", "law", _weak),
    _noise("noise that is folded back", "law", _folded),
    _noise("a cell with less noise", "everywhere", _one_cell),
    _noise("noise only where there is something", "everywhere", _zeros_stay),
    _noise("some values without noise", "all_moved", _some_stay),
    _noise("profiles of one person with less noise", "people_alike", _one_person(0.1)),
    _noise("profiles of one person as they were", "people_alike", _one_person(0.0)),
    _noise("profiles of one person with more noise", "people_alike", _one_person(20.0)),
    _noise("the same noise for everybody", "new_draws", _for_everybody),
    _noise("one draw for all cells of a profile", "new_draws", _for_all_cells),
    _noise("noise that starts over in each municipality", "new_draws", _in_each_town),
    _noise("noise that goes the other way every second time", "independent", _mirrored),
    _noise("noise of profiles from a seed", "seeded", _from_seed),
    _noise("noise of profiles from a day as the seed", "seeded", _from_old_seed),
    _broken("noise, and a profile withheld as small", "profiles_listed.reasons_asked_for", _withhold),
)

CELL_BUDGETS = (
    _budget("a budget of a cell that is too small", "cell", **{_CELL: EPSILON / 2}),
    _budget("a budget that leaves out other municipalities", "largest", **{_MAX: _OF_A_PROFILE}),
    _budget("a median that leaves out other municipalities", "median", **{_MEDIAN: _OF_A_PROFILE}),
    _budget("a budget of a person that is the one of a cell", "at_least", **{_MAX: EPSILON}),
)
