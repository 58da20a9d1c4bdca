"""Laplace noise for profiles: its law, where its randomness is from, what it costs, and what it leaves behind."""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import shoal
from shoal.contract.claims.profiles import NOISE_STEPS
from shoal.data import Profiles
from shoal.engines.local import Local
from shoal.errors import ParameterError, ShoalError
from shoal.mechanisms.laplace import draws
from shoal.mechanisms.laplace.draws import Noise, from_a_seed, from_the_system
from shoal.mechanisms.laplace.law import NoiseLaw
from shoal.mechanisms.laplace.parameters import law_of

ALIKE = 1e-4
"""A sound law gives less than this once in ten thousand runs. Noise for a release cannot be seeded."""


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


@pytest.mark.parametrize("scale", [Fraction(10), Fraction(10_000, 3), Fraction(1000)])
def test_borders_are_bounded_from_both_sides(scale):
    """What is called certain is: bounds on either side, both of them, lie on their own side of the border."""
    law, bits = NoiseLaw(scale, most=40), 20
    below, above = (list(law._borders(bits, up=up)) for up in (False, True))
    finer = law.borders(bits + 200)
    assert all(low <= border >> 200 <= high for low, border, high in zip(below, finer, above, strict=True))
    assert all(low < high for low, high in zip(below, above, strict=True)), "no border has so few digits"


def drawn(scale, size, source=from_the_system):
    """Noise so far from being cut that it never is."""
    return Noise(NoiseLaw(Fraction(scale), most=60 * round(scale))).draw(size, source)


@pytest.mark.parametrize("scale", [1000, Fraction(1000, 3), 10, Fraction(3, 2)])
def test_the_law_of_noise(scale):
    assert goodness(drawn(scale, 200_000), float(scale)) > ALIKE


@pytest.mark.parametrize("scale", [1000, 10])
def test_the_law_of_repeatable_noise(scale):
    assert goodness(drawn(scale, 200_000, from_a_seed(5, 0)), scale) > ALIKE


def test_noise_of_another_scale_would_be_found_out():
    assert goodness(drawn(970, 100_000, from_a_seed(5, 0)), 1000.0) < ALIKE


@pytest.mark.parametrize("scale", [1000.0, 12.5])
def test_noise_is_like_opendps(scale):
    """Another exact sampler, by other people: Canonne, Kamath and Steinke's, which counts coins."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    theirs = make_laplace(vector_domain(atom_domain(T="i32")), l1_distance(T="i32"), scale)
    assert theirs.map(NOISE_STEPS) == pytest.approx(NOISE_STEPS / scale)
    assert goodness(np.array(theirs([0] * 15_000)), scale) > ALIKE
    assert stats.ks_2samp(theirs([0] * 10_000), drawn(scale, 100_000)).pvalue > ALIKE


def exact_borders(scale, most):
    """F(n) by the formula, in decimals of 300 digits."""
    with localcontext() as context:
        context.prec = 300
        q = (-1 / (Decimal(scale.numerator) / Decimal(scale.denominator))).exp()
        left = [q**n / (1 + q) for n in range(most, 0, -1)]
        return [*left, *(1 - border for border in reversed(left))]


@pytest.mark.parametrize(
    "scale", [Fraction(1000), Fraction(1000, 3), Fraction(10), Fraction(12345, 1234), Fraction(10**5)]
)
@pytest.mark.parametrize("bits", [8, 64, 192])
def test_borders_are_right_to_the_last_digit(scale, bits):
    with localcontext() as context:
        context.prec = 300
        expected = [int(border * 2**bits) for border in exact_borders(scale, 300)]
    assert NoiseLaw(scale, most=300).borders(bits) == expected


@given(numerator=st.integers(1, 10**6), denominator=st.integers(1, 10**4), bits=st.integers(1, 200))
def test_borders_of_any_scale(numerator, denominator, bits):
    scale = 1 + Fraction(numerator, denominator)
    with localcontext() as context:
        context.prec = 300
        expected = [int(border * 2**bits) for border in exact_borders(scale, 5)]
    assert NoiseLaw(scale, most=5).borders(bits) == expected


def test_every_step_has_its_chance_and_no_other():
    """Of the words of 64 digits so many lead to n that its chance is right to one word at either end."""
    most, scale = 1000, Fraction(100)
    borders = [-1, *NoiseLaw(scale, most).borders(64), 2**64]
    with localcontext() as context:
        context.prec = 300
        q = (-1 / Decimal(100)).exp()
        chances = [(1 - q) / (1 + q) * q ** abs(n) for n in range(-most + 1, most)]
        for chance, low, high in zip(chances, borders[1:-2], borders[2:-1], strict=True):
            # Words between two borders surely lead to n; those that equal one may.
            assert high - low - 1 <= chance * 2**64 <= high - low + 1


def test_no_release_tells_values_apart_better_than_epsilon():
    """The chances of all that can be published, for the two values that lie farthest apart, cut to 0…1000."""
    epsilon, steps = 2, NOISE_STEPS
    with localcontext() as context:
        context.prec = 300
        borders = [Decimal(0), *exact_borders(law_of(epsilon).scale, steps), Decimal(1)]
        chance = [high - low for low, high in pairwise(borders)]  # of noise from -1000 to 1000
        of_none = [sum(chance[: steps + 1]), *chance[steps + 1 :]]
        of_all = [*chance[:steps], sum(chance[steps:])]
        worst = max(max(a / b, b / a) for a, b in zip(of_none, of_all, strict=True))
        assert worst <= Decimal(epsilon).exp() * (1 + Decimal(10) ** -200)
        assert worst > Decimal(epsilon).exp() * (1 - Decimal(10) ** -200)


@pytest.mark.parametrize(("scale", "ties"), [(1000, 1), (1000, 3), (10, 2), (10, 4)])
@pytest.mark.parametrize("which", [-1000, -999, -1, 0, 1, 998, 999])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_word_that_begins_like_a_border_is_decided_by_further_digits(scale, which, ties, side):
    """The chance is one in 10^16 a value: so words are chosen, to equal a border for a while and then leave it."""
    law = NoiseLaw(Fraction(scale), most=1000)
    digits = law.borders(64 * (ties + 1))[which + 1000]
    words = [digits >> 64 * n & (2**64 - 1) for n in range(ties, -1, -1)]
    words[-1] += side
    assert 0 <= words[-1] < 2**64
    source = iter(words)
    noise = Noise(law).draw(1, lambda size: np.array([next(source) for _ in range(size)], np.uint64))
    assert noise.tolist() == [which if side < 0 else which + 1]
    assert next(source, None) is None, "digits left over"


def test_words_at_both_ends():
    law = NoiseLaw(Fraction(1000), most=1000)
    assert Noise(law).draw(2, lambda _: np.array([0, 2**64 - 1], np.uint64)).tolist() == [-1000, 1000]


@pytest.mark.parametrize("epsilon", [0.01, 0.07, 1.0, 3.0, 10.0, 100.0, 0.123457])
def test_a_cell_costs_epsilon_as_it_is_printed(epsilon):
    """A cell changes by all steps of the grid at most, which costs steps / scale."""
    assert NOISE_STEPS / law_of(epsilon).scale == Fraction(f"{epsilon:f}")


def test_who_interrupts_stops_it():
    def interrupt(done, total):
        assert 0 < done < total
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Noise(law_of(1.0)).added_to(np.zeros(2 * draws.PIECE, np.int32), from_the_system, interrupt)


def test_no_generator_that_can_be_seeded_draws_what_is_released(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a generator with a seed")

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
