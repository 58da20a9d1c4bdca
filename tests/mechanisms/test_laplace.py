"""Laplace noise for profiles: its law, where its randomness is from, what it costs, and what it leaves behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import shoal
from shoal.contract.claims.profiles import NOISE_STEPS
from shoal.data import Profiles
from shoal.engines.local import Local
from shoal.errors import ParameterError, ShoalError
from shoal.mechanisms.laplace import draws
from shoal.mechanisms.laplace.draws import scale_for, with_noise, with_repeatable_noise
from shoal.mechanisms.laplace.worker import measurement

ALIKE = 1e-4
"""A sound law gives less than this once in ten thousand runs. Exact noise cannot be seeded."""


def quiet(*_):
    pass


def profiles(people, towns, value=0.5, weeks=1):
    names = [f"p{i}" for i in range(people) for _ in range(towns)]
    places = [f"t{i}" for _ in range(people) for i in range(towns)]
    return Profiles(pa.array(names), pa.array(places), np.full((len(names), 6 * weeks), value), weeks)


def goodness(noise, scale):
    """The chance of noise at least so unlike the law: chi² over cells of about equal chance."""
    q = np.exp(-1 / scale)
    edges = np.unique(np.rint(stats.laplace(scale=scale).ppf(np.linspace(0.02, 0.98, 49))).astype(int))

    def below(n):
        """Chance of n or less: (1 - q)/(1 + q) q^|n| added up."""
        n = np.asarray(n, float)
        return np.where(n < 0, q ** (-n) / (1 + q), 1 - q ** (n + 1) / (1 + q))

    chances = np.diff(np.concatenate(([0.0], below(edges), [1.0])))
    counts = np.bincount(np.searchsorted(edges, noise, side="left"), minlength=edges.size + 1)
    fits = chances * noise.size > 5
    return stats.chisquare(
        np.append(counts[fits], counts[~fits].sum() + 1e-9),
        np.append(chances[fits], chances[~fits].sum() + 1e-9 / noise.size) * noise.size,
    ).pvalue


@pytest.mark.parametrize("scale", [1000.0, 333.33333333333337, 10.0, 1.5])
def test_the_law_of_exact_noise(scale):
    zeros = np.zeros(15_000, np.int32)
    assert goodness(with_noise(zeros, scale, quiet), scale) > ALIKE


@pytest.mark.parametrize("scale", [1000.0, 10.0])
def test_the_law_of_repeatable_noise(scale):
    zeros = np.zeros(100_000, np.int32)
    assert goodness(with_repeatable_noise(zeros, scale, 5, 0), scale) > ALIKE


def test_noise_of_half_the_scale_would_be_found_out():
    zeros = np.zeros(15_000, np.int32)
    assert goodness(with_repeatable_noise(zeros, 900.0, 5, 0), 1000.0) < ALIKE


@pytest.mark.parametrize("epsilon", [0.01, 0.07, 1.0, 3.0, 10.0, 100.0, 0.123457])
def test_a_cell_costs_epsilon_and_no_more(epsilon):
    """By OpenDP's own account, rounding included: a cell changes by all steps of the grid at most."""
    scale = scale_for(epsilon, NOISE_STEPS)
    assert measurement(scale).map(NOISE_STEPS) <= epsilon
    assert scale == pytest.approx(NOISE_STEPS / epsilon)


def test_another_process_draws_the_same_law_and_is_gone_afterwards():
    began = children()
    noise = with_noise(np.full(draws.FEW + 30_000, 7, np.int32), 10.0, quiet)
    assert goodness(noise - 7, 10.0) > ALIKE
    assert children() == began


def test_who_interrupts_leaves_no_process_behind():
    began = children()

    def interrupt(done, total):
        assert 0 < done < total
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        with_noise(np.zeros(draws.FEW + 30_000, np.int32), 10.0, interrupt)
    assert children() == began


def test_a_process_that_fails_is_told(monkeypatch, tmp_path):
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit(1)")
    monkeypatch.setattr(draws.worker, "__file__", str(broken))
    with pytest.raises(ShoalError, match="ended before its time"):
        with_noise(np.zeros(draws.FEW + 1, np.int32), 10.0, quiet)


def test_the_process_needs_no_guard_and_ends_with_who_started_it(tmp_path):
    """A program without ``if __name__ == "__main__"`` would start itself over and over with multiprocessing."""
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, os, signal\n"
        "from shoal.mechanisms.laplace import draws\n"
        "def die(done, total):\n"
        "    print(open(f'/proc/{os.getpid()}/task/{os.getpid()}/children').read().split()[0], flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "draws.with_noise(np.zeros(draws.FEW * 5, np.int32), 10.0, die)\n"
    )
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == -9
    child = int(done.stdout)
    for _ in range(200):
        if not alive(child):
            break
        time.sleep(0.1)
    assert not alive(child)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children():
    """Processes that this one started and that still are."""
    listed = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    return sorted(pid for pid in listed if alive(int(pid)))


def test_no_generator_that_can_be_seeded_draws_what_is_released(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a generator with a seed")

    with_noise(np.zeros(1, np.int32), 10.0, quiet)  # OpenDP loads other packages when it is called first
    for name in ("default_rng", "SeedSequence", "seed"):
        monkeypatch.setattr(np.random, name, refuse)
    mechanism = shoal.LaplaceProfiles(epsilon=1)
    one, two = (mechanism.protect(profiles(20, 2)) for _ in range(2))
    assert one.data.drop_columns(["uid"]) != two.data.drop_columns(["uid"])


@pytest.mark.parametrize("seed", [None, 3])
def test_the_law_of_what_is_released(seed):
    """Values in the middle and little noise: next to nothing is cut off."""
    data = shoal.LaplaceProfiles(epsilon=10).protect(profiles(1_000, 2), seed=seed).data
    values = np.concatenate([data[name].to_numpy() for name in data.column_names[2:]])
    assert goodness(np.rint((values - 0.5) * NOISE_STEPS).astype(int), NOISE_STEPS / 10) > ALIKE


def test_a_seed_repeats_it_whatever_the_threads(monkeypatch):
    monkeypatch.setattr("shoal.mechanisms.laplace.parameters.VALUES", 50)
    mechanism, people = shoal.LaplaceProfiles(epsilon=1), profiles(40, 2)
    one, two, other = (
        mechanism.protect(people, seed=seed, engine=Local(threads)) for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    assert one.data == two.data
    assert one.manifest["not_for_release"] is True
    assert not one.data.equals(other.data)
    # Each part has draws of its own.
    values = one.data["w1_weekday_day"].to_numpy()
    assert len(set(values.tolist())) > 20


@pytest.mark.parametrize("value", [0.0, 1.0, 1 / 3])
def test_values_lie_on_the_grid_between_0_and_1(value):
    data = shoal.LaplaceProfiles(epsilon=2).protect(profiles(100, 2, value)).data
    values = np.column_stack([data[name].to_numpy() for name in data.column_names[2:]])
    assert values.min() >= 0
    assert values.max() <= 1
    np.testing.assert_array_equal(values, np.rint(values * NOISE_STEPS) / NOISE_STEPS)
    assert {0.0, 1.0} <= set(values.ravel().tolist())
    assert np.unique(values).size > 100


def test_the_budgets_count_cells_and_municipalities():
    rows = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("c", "x")]
    people, towns = (pa.array([row[i] for row in rows]) for i in range(2))
    release = shoal.LaplaceProfiles(epsilon=0.5).protect(Profiles(people, towns, np.zeros((5, 24)), 4))
    assert release.manifest["budgets"] == {
        "epsilon_of_a_cell": 0.5,
        "epsilon_of_a_person_median": 12.0,
        "epsilon_of_a_person_max": 36.0,
    }
    assert release.manifest["promise"]["claim"] == {"name": "cell-noise", "epsilon": 0.5}
    odd = shoal.LaplaceProfiles(epsilon=0.517).protect(Profiles(people, towns, np.zeros((5, 6)), 1))
    assert odd.manifest["budgets"]["epsilon_of_a_person_max"] == 9.4  # 9.306, rounded up
    twice = Profiles(pa.array(["a", "a"]), pa.array(["x", "x"]), np.zeros((2, 6)), 1)
    with pytest.raises(ShoalError, match="too many"):
        shoal.LaplaceProfiles(epsilon=1).protect(twice)


@pytest.mark.parametrize("epsilon", [0, -1, 0.009, 101, float("inf"), float("nan"), "1", True, None])
def test_noise_that_cannot_be_asked_for(epsilon):
    with pytest.raises(ParameterError, match="epsilon"):
        shoal.LaplaceProfiles(epsilon=epsilon)
