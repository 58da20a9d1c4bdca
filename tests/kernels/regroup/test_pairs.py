"""Values that are known are those that would be found again, and only pairs are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.crowds import CAPS, crowds, flat
from shoal.kernels.regroup import pairs
from shoal.kernels.regroup.cores import Split, values_with
from shoal.kernels.regroup.driver import crowd_of
from shoal.workers import workers


def asked(people, rng):
    """Somebody is alone, two are together, and so on, as cores; everybody else is tried with some of them."""
    order = rng.permutation(people)
    half = people // 2
    cuts = np.unique([0, *rng.integers(0, half + 1, 3), half])
    core = rng.integers(0, cuts.size - 1, 2 * (people - half))
    out = Split(np.arange(cuts.size - 1), order[half : half + cuts.size - 1], cuts, order[:half])
    return out, np.repeat(order[half:], 2), core


@settings(max_examples=40, deadline=None)
@given(people=crowds(most=10), seed=st.integers(0, 99))
def test_known_values_are_those_found_again(people, seed):
    if len(people) < 4:
        return
    crowd, rng, known = crowd_of(*flat(people), 2, **CAPS), np.random.default_rng(seed), pairs.KnownPairs()
    with workers(1) as crew:
        for _ in range(4):
            out, person, core = asked(len(people), rng)
            expected = values_with(crowd, out, person, core, crew)
            assert known.values_with(crowd, out, person, core, crew) == pytest.approx(expected, rel=1e-12)


def test_each_pair_is_computed_once_and_larger_groups_every_time(monkeypatch):
    computed = []

    def noted(crowd, out, person, core, crew):
        computed.append(
            [(*sorted((*out.core[slice(*out.core_at[c : c + 2])], p)),) for p, c in zip(person, core, strict=True)]
        )
        return np.array([100.0 * sum(group) for group in computed[-1]])

    monkeypatch.setattr(pairs, "values_with", noted)
    crowd, known = crowd_of(*flat([[(0, n, 0)] for n in range(6)]), 2, **CAPS), pairs.KnownPairs()

    def ask(cores, *tried):
        at = np.cumsum([0, *map(len, cores)])
        out = Split(np.arange(len(cores)), np.arange(len(cores)), at, np.concatenate(cores))
        person, core = np.array(tried).T
        return known.values_with(crowd, out, person, core, None).tolist()

    assert ask([[0], [1, 2]], (3, 0), (4, 1), (5, 0)) == [300, 700, 500]
    assert ask([[3], [1, 2]], (0, 0), (4, 1), (5, 0)) == [300, 700, 800]
    assert ask([[5]], (3, 0), (0, 0), (1, 0)) == [800, 500, 600]
    assert computed == [[(0, 3), (1, 2, 4), (0, 5)], [(1, 2, 4), (3, 5)], [(1, 5)]]
