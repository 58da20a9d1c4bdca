"""The checks of profiles: against plain versions, on sound releases of every sort, and on what they must not miss."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.naive_profiles import (
    agreeing,
    budget_of_people,
    crowds,
    cut_chances,
    nearest_is_right,
    noise_chances,
    people_agreeing,
    wrong_means,
)
from shoal.auditor import checks
from shoal.auditor.budgets import rounded_up
from shoal.auditor.case import Case
from shoal.auditor.cell_draws import Law, draws
from shoal.auditor.noise_seeds import drawn_again, noises
from shoal.auditor.profile_attacks import _hits
from shoal.auditor.registry import run_checks
from shoal.auditor.selftest.draft import Draft, manifest_of
from shoal.auditor.selftest.sound_cell_noise import grid_noise, sound_cell_noise, with_noise
from shoal.auditor.selftest.sound_cells import profile_table, sound_cells, withheld
from shoal.contract.claims import CellNoise, KAnonymousCells
from shoal.contract.kinds import PROFILES, cell_names

assert checks.THEMES

CELLS = cell_names(1)
ALL_CHECKS = ("cells_agree", "people_agree", "cells_truthful", "profiles_listed", "cells_named", "everyone", "mapping")
TOKENS = [f"{number:032x}" for number in range(40)]


def audited(draft, folder, *only, alone=False):
    written = draft.write(folder)
    case = Case(written.release) if alone else Case(written.release, original=written.original, secret=written.secret)
    return {check.id: check for check in run_checks(case, only=set(only))}


value = st.sampled_from([0.0, 0.5, 1.0])
row = st.tuples(st.integers(0, 3), st.sampled_from(["pisa", "lucca"]), value, value)
profiles = st.lists(row, min_size=1, max_size=14, unique_by=lambda one: one[:2])


def released(rows, k, published=None, **parameters):
    """A release of rows (person, town, two values), claimed to agree on those two cells."""
    values = np.zeros((len(rows), len(CELLS)))
    values[:, :2] = [one[2:] for one in rows]
    said = values.copy()
    if published is not None:
        said[:, :2] = published
    people = np.array([f"person-{one[0]}" for one in rows])
    towns = np.array([one[1] for one in rows])
    tokens = np.array(TOKENS[: len(rows)])
    draft = Draft(
        PROFILES,
        profile_table(people, towns, values),
        profile_table(tokens, towns, said),
        pl.DataFrame({"original_uid": people, "uid": tokens, "municipality": towns}),
        withheld("nobody", None).clear(),
        {},
    )
    draft.manifest = manifest_of(draft, KAnonymousCells(k, CELLS[:2]), {"k": k, **parameters})
    return draft, draft.data.to_dicts(), draft.raw.to_dicts()


@settings(max_examples=60, deadline=None)
@given(profiles, st.integers(2, 3), st.booleans())
def test_agreement_is_what_the_definition_says(tmp_path_factory, rows, k, keep):
    draft, said, _ = released(rows, k, **({"small": "keep"} if keep else {}))
    found = audited(draft, tmp_path_factory.mktemp("r"), "cells_agree", "people_agree")
    large = [size >= k for size in crowds(said)]
    short = [many < k and fine for many, fine in zip(agreeing(said, CELLS[:2]), large, strict=True)]
    assert ("at_least_k" in found["cells_agree"].broken) == any(short)
    assert ("small" in found["cells_agree"].broken) == (not keep and not all(large))
    people = people_agreeing(said, CELLS[:2], [one[0] for one in rows])
    fewer = any(many < k and fine for many, fine in zip(people, large, strict=True))
    assert (found["people_agree"].broken == ("at_least_k",)) == fewer


@settings(max_examples=60, deadline=None)
@given(profiles, st.data())
def test_means_are_what_the_definition_says(tmp_path_factory, rows, data):
    """Published values are means of random groups, or not quite."""
    group = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    key = [(one, row[1]) for one, row in zip(group, rows, strict=True)]
    published = np.array(
        [np.mean([other[2:] for where, other in zip(key, rows, strict=True) if where == mine], axis=0) for mine in key]
    )
    for at in data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=2)):
        published[at, 0] = rows[at][2]
    # With k = 2 and single ones kept as they were, which is another condition.
    draft, said, true = released(rows, 2, published, small="keep")
    found = audited(draft, tmp_path_factory.mktemp("r"), "cells_truthful")["cells_truthful"]
    small = {number for number, size in enumerate(crowds(said)) if size < 2}
    wrong = wrong_means(said, true, CELLS[:2]) - small
    assert ("means" in found.broken) == bool(wrong)
    if wrong:
        assert f"{len(wrong):,} profiles have values" in found.reason


@pytest.mark.parametrize("epsilon", [20.0, 300.0])
def test_the_law_of_noise_is_the_one_that_was_written_down(epsilon):
    law, chances = Law.of(epsilon), noise_chances(epsilon, 5000)
    for z in (-40, -3, -1, 0, 1, 2, 55):
        below = sum(chance for other, chance in chances.items() if other < z)
        assert abs(float(law.below(np.array(z))) - below) < 1e-9
    assert abs(law.none - chances[0]) < 1e-9
    assert abs(law.meeting - sum(chance**2 for chance in chances.values())) < 1e-9


@pytest.mark.parametrize("base", [0, 7, 400, 1000])
def test_draws_have_the_chances_of_the_law_after_cutting(base):
    """The stretch of the law that a published step stands for is as long as its chance."""
    epsilon, steps = 8.0, np.array([0, 1, 2, 300, 999, 1000])
    chances = cut_chances(epsilon, base, 9000)
    low, high = (
        draws(steps[None] / 1000, np.full((1, 6), base / 1000), Law.of(epsilon), Fixed(at)).place for at in (0.0, 1.0)
    )
    assert np.allclose(high - low, [chances[step] for step in steps.tolist()], atol=1e-9)
    found = draws(steps[None] / 1000, np.full((1, 6), base / 1000), Law.of(epsilon), Fixed(0.5))
    assert np.allclose(found.same_chance, chances[base])
    assert np.allclose(found.cut_chance, chances[0] + chances[1000])
    assert found.same.tolist() == [(steps == base).tolist()]


class Fixed:
    """Stands for a generator, and always draws the same."""

    def __init__(self, at):
        self.at = at

    def random(self, shape):
        return np.full(shape, self.at)


def test_recorded_values_between_two_steps_may_have_gone_to_either():
    third = np.full((1, 1), 1 / 3)
    found = draws(np.array([[0.334]]), third, Law.of(10.0), Fixed(0.5))
    other = Law.of(10.0).below(np.array(0)) + 0.5 * Law.of(10.0).none
    assert abs(found.place[0, 0] - other) <= found.loose[0, 0]


few = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=6)


@given(few, st.lists(st.integers(0, 4), min_size=3, max_size=3), st.data())
def test_the_nearest_profile_is_what_the_definition_says(published, known, data):
    own = data.draw(st.integers(0, len(published) - 1))
    quarters = [[Fraction(value, 4) for value in row] for row in published]
    true = nearest_is_right([Fraction(value, 4) for value in known], quarters, own)
    found = _hits(np.array([known]) / 4, np.array(published) / 4, np.array([own]))
    assert abs(found - float(true)) < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_sound_releases_pass(tmp_path, seed):
    found = audited(sound_cells(seed=seed), tmp_path / "cells", *ALL_CHECKS, "attack_profile", "cells_alike")
    assert {check.status for check in found.values()} == {"pass", "note"}
    found = audited(
        sound_cell_noise(seed=seed), tmp_path / "noise", "cells_noise", "noise_grid", "budgets", *ALL_CHECKS
    )
    assert not [check for check in found.values() if check.broken]


def test_budgets_are_counted_over_all_municipalities(tmp_path):
    draft = sound_cell_noise(seed=1)
    rows = draft.mapping.select("original_uid", "municipality").rows()
    true = sorted(budget_of_people(2.0, 24, rows).values())
    middle = (true[(len(true) - 1) // 2] + true[len(true) // 2]) / 2
    told = draft.manifest["budgets"]
    assert told["epsilon_of_a_person_max"] == rounded_up(true[-1]) == rounded_up(2 * 24 * 3)
    assert told["epsilon_of_a_person_median"] == rounded_up(middle)
    assert Counter(Counter(person for person, _ in rows).values()) == {1: 40, 2: 40, 3: 40}
    assert audited(draft, tmp_path, "budgets")["budgets"].status == "pass"


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 10.0, 100.0])
def test_noise_of_any_strength_passes(tmp_path, epsilon):
    """Whatever was recorded: shares of five days, of three, or anything between."""
    draft, rng = sound_cell_noise(seed=2), np.random.default_rng(int(epsilon * 100))
    cells = list(cell_names(4))
    true = rng.random((draft.raw.height, len(cells)))
    true[:, ::2] = rng.integers(0, 4, true[:, ::2].shape) / 3
    draft.raw = draft.raw.with_columns(**{name: pl.Series(true[:, at]) for at, name in enumerate(cells)})
    key = ["original_uid", "municipality"]
    whose = draft.data.select("uid").join(draft.mapping, on="uid", maintain_order="left")
    values = (
        whose.join(draft.raw.rename({"uid": "original_uid"}), on=key, maintain_order="left").select(cells).to_numpy()
    )
    said = with_noise(values, grid_noise(rng, values.shape, epsilon))
    draft.data = draft.data.with_columns(**{name: pl.Series(said[:, at]) for at, name in enumerate(cells)})
    draft.manifest["promise"] = CellNoise(epsilon).promise({}).to_dict()
    check = audited(draft, tmp_path, "cells_noise")["cells_noise"]
    assert check.status == "pass", check.reason


@pytest.mark.parametrize(
    "start",
    [
        lambda: np.random.default_rng(7),
        lambda: np.random.RandomState(20240101),
        lambda: np.random.Generator(np.random.MT19937(3)),
        lambda: np.random.Generator(np.random.Philox(99)),
        lambda: np.random.Generator(np.random.SFC64(1000)),
    ],
)
def test_noise_from_a_likely_seed_is_drawn_again(start):
    true = np.tile([0, 200, 400, 1000], 15)
    said = np.clip(true + np.rint(start().laplace(0, 500, true.size)), 0, 1000)
    assert drawn_again(said, true, 2.0)
    assert not drawn_again(said[::-1], true[::-1], 2.0)
    assert noises().shape[0] > 50_000


def test_too_few_values_are_no_proof_of_a_seed():
    true = np.array([0, 0, 400])
    said = np.clip(true + np.rint(np.random.default_rng(7).laplace(0, 500, 3)), 0, 1000)
    assert not drawn_again(said, true, 2.0)


def test_without_the_original_the_release_is_looked_at_alone(tmp_path):
    found = audited(sound_cells(seed=3), tmp_path / "a", "cells_agree", "people_agree", "cells_truthful", alone=True)
    assert [found[name].status for name in found] == ["pass", "not_run", "not_run"]
    found = audited(sound_cell_noise(seed=3), tmp_path / "b", "noise_grid", "cells_noise", "budgets", alone=True)
    assert {name: check.status for name, check in found.items()} == {
        "noise_grid": "pass",
        "cells_noise": "not_run",
        "budgets": "pass",
    }


def test_the_risk_outside_the_claim_is_told(tmp_path):
    check = audited(sound_cells(seed=4), tmp_path, "attack_profile")["attack_profile"]
    assert check.status == "note"
    assert check.figures["cells_outside_the_claim"] == 6
    assert check.figures["outside_the_claim"]["share_above_one_in_k"] > 0.9
    assert len(check.figures["whole_profile"]["risk_deciles"]) == 11
    assert check.figures["nearest_is_right"]["share"] > 0.5


@pytest.mark.parametrize("base", [0, 7, 400, 1000])
def test_how_far_draws_go_is_a_share_of_those_that_are_not_cut(base):
    epsilon, steps = 8.0, np.array([1, 2, 300, 410, 999])
    chances = {base + z: chance for z, chance in noise_chances(epsilon, 9000).items() if 0 < base + z < 1000}
    whole = sum(chances.values())
    found = draws(steps[None] / 1000, np.full((1, 5), base / 1000), Law.of(epsilon), Fixed(1.0)).extent[0]
    for step, share in zip(steps.tolist(), found, strict=True):
        less = sum(chance for other, chance in chances.items() if abs(other - base) <= abs(step - base))
        assert abs(share - less / whole) < 1e-9
