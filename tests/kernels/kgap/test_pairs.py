"""Stretch and matches of given pairs, against the oracle."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings

import naive
from kernels.crowds import CAPS, FINE, FINE_CAPS, FINE_NEAR, crowds, directed_total, flat
from shoal.kernels.common.people import pack
from shoal.kernels.common.scale import scale_of
from shoal.kernels.kgap.pairs import match_pairs, stretch_pairs
from shoal.kernels.kgap.stretch import SCANNED_SAMPLES


def packed(people, caps):
    scale = scale_of(**caps)
    return pack(*flat(people), scale), scale


def all_pairs(people):
    return np.array(list(itertools.product(range(len(people)), repeat=2))).T


def check_stretches(people, caps):
    arrays, scale = packed(people, caps)
    first, second = all_pairs(people)
    total, longer = stretch_pairs(arrays, scale, first, second)
    for a, b, tot, who in zip(first, second, total, longer, strict=True):
        expected = naive.fingerprint_stretch(people[a], people[b], **caps)
        assert Fraction(int(tot), scale.unit * len(people[who])) == expected
        first_plays = naive.plays_longer(people[a], people[b], **caps)
        assert people[who] == people[a if first_plays else b]


def check_matches(people, caps):
    arrays, scale = packed(people, caps)
    first, second = all_pairs(people)
    found = match_pairs(arrays, scale, first, second)
    for p, (a, b) in enumerate(zip(first, second, strict=True)):
        who = found.longer[p]
        longer, shorter = people[who], people[b if who == a else a]
        entries = slice(found.offsets[p], found.offsets[p + 1])
        assert found.best[entries].tolist() == [naive.best_match(i, 1, shorter, 1, **caps) for i in longer]
        parts = zip(found.space[entries].tolist(), found.time[entries].tolist(), strict=True)
        assert [(Fraction(s, scale.unit), Fraction(t, scale.unit)) for s, t in parts] == [
            naive.parts(i, shorter[naive.best_match(i, 1, shorter, 1, **caps)], **caps) for i in longer
        ]


@settings(deadline=None)
@given(crowds(most=5))
@example([[(0, 0, 0), (10, 0, 0)], [(0, 0, 0), (10, 0, 0)]])
@example([[(0, 0, 0), (9, 0, 0)], [(0, 0, 0), (9, 1, 0)], [(8, 0, 0), (9, 0, 0)]])
def test_stretch_is_the_definition(people):
    check_stretches(people, CAPS)


@settings(deadline=None)
@given(crowds(FINE, most=5) | crowds(FINE_NEAR, most=5))
@example([[(0, -20_000_000, -20_000_000)], [(2**31 - 1, 20_000_000, 20_000_000)]])
def test_stretch_on_a_fine_grid(people):
    check_stretches(people, FINE_CAPS)


@settings(deadline=None)
@given(crowds(most=5))
@example([[(0, 0, 0)], [(-480, 0, 0), (480, 0, 0)]])
@example([[(0, 0, 0), (1, 0, 0)], [(900, 500, 0)], [(0, 300, 0), (1_000, 0, 0)]])
def test_matches_are_the_definition(people):
    check_matches(people, CAPS)


@settings(deadline=None)
@given(crowds(FINE, most=5) | crowds(FINE_NEAR, most=5))
def test_matches_on_a_fine_grid(people):
    check_matches(people, FINE_CAPS)


@pytest.mark.parametrize("sizes", [(1_500, 1_200), (1_300, 1_300), (3_000, 1_025), (1_025, 40)])
@pytest.mark.parametrize("reach", [300, 3_000, 1_000_000])
def test_stretch_of_long_fingerprints(sizes, reach):
    rng = np.random.default_rng(sizes[0] + reach)
    people = [
        sorted({tuple(map(int, s)) for s in zip(*rng.integers(0, (9_000, reach, reach), (n, 3)).T, strict=True)})
        for n in sizes
    ]
    arrays, scale = packed(people, CAPS)
    total, longer = stretch_pairs(arrays, scale, [0], [1])
    a, b = people
    expected = {0: directed_total(a, b, **CAPS), 1: directed_total(b, a, **CAPS)}
    if len(a) != len(b):
        assert longer[0] == (0 if len(a) > len(b) else 1)
    else:
        assert longer[0] == min(expected, key=expected.get)
    assert int(total[0]) * 2 * CAPS["space_cap"] * CAPS["time_cap"] == expected[int(longer[0])] * scale.unit


@pytest.mark.parametrize("reach", [30, 3_000])
def test_matches_of_long_fingerprints(reach):
    """Longer than what is scanned; near places have many who are equally good."""
    rng = np.random.default_rng(reach)
    shorter, longer = (
        sorted({tuple(map(int, s)) for s in zip(*rng.integers(0, (2_000, reach, reach), (n, 3)).T, strict=True)})
        for n in (SCANNED_SAMPLES + 100, SCANNED_SAMPLES + 200)
    )
    arrays, scale = packed([shorter, longer], CAPS)
    found = match_pairs(arrays, scale, [0], [1])
    assert found.longer.tolist() == [1]
    for i in range(0, len(longer), 50):
        best = naive.best_match(longer[i], 1, shorter, 1, **CAPS)
        assert found.best[i] == best
        parts = Fraction(int(found.space[i]), scale.unit), Fraction(int(found.time[i]), scale.unit)
        assert parts == naive.parts(longer[i], shorter[best], **CAPS)


def test_raw_samples_are_the_special_case_of_boxes_of_equal_groups():
    """One implementation serves the anonymizability paper's measure and GLOVE's: here they meet."""
    people = [[(0, 0, 0), (70, 30, 4)], [(5, 3, 0)], [(1, 1, 1), (60, 30, 0), (900, 0, 0)]]
    arrays, scale = packed(people, CAPS)
    total, longer = stretch_pairs(arrays, scale, *all_pairs(people))
    delta = total / (scale.unit * np.diff(arrays.offsets)[longer])
    expected = [naive.taxicab_stretch(people[a], people[b], **CAPS) for a, b in all_pairs(people).T]
    assert delta == pytest.approx(expected, abs=1e-12)


def test_indices_beyond_the_people_are_refused():
    arrays, scale = packed([[(0, 0, 0)], [(1, 1, 1)]], CAPS)
    for first, second in (([2], [0]), ([0], [-1]), ([0, 1], [0])):
        with pytest.raises(ValueError):
            stretch_pairs(arrays, scale, first, second)
