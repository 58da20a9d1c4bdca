"""kte: nobody's boxes are drawn around their own samples alone."""

import numpy as np
import pytest

import shoal
from shoal import synth
from shoal.engines.local import Local
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte.decide import decide
from shoal.progress import silent


@pytest.fixture(scope="module")
def city():
    return shoal.read(synth.cdr(300, 2, preset="abidjan", seed=3))


@pytest.mark.parametrize("k", [2, 3])
def test_whoever_is_published_hides_somebody(city, k):
    hiding = decide(city, 60, 60, k, "repaired", Run(Local(), silent)).hiding
    bare = hiding.alive.copy()
    for window, hider in zip(hiding.window, hiding.hider, strict=True):
        bare[hider, window : window + hiding.epochs.reach + 1] = False
    # Pairs come once only, so in so small a city somebody may have nobody left.
    assert bare.sum() <= 0.001 * hiding.alive.sum()


def test_a_bare_person_is_given_somebody_of_the_same_epochs(city):
    from shoal.mechanisms.kte.bare import bare_cells, cover_the_bare
    from shoal.mechanisms.kte.decide import _decided
    from shoal.mechanisms.kte.hiding import epochs_of
    from shoal.workers import workers

    with workers(2) as two:
        windows = _decided(city, epochs_of(city, 60, 60), 2, silent, two)
        before = [hidden.size for hidden in windows.hidden]
        for window in (10, 11):
            windows.take_back(window, windows.hidden[window].copy())
        lost = bare_cells(windows)
        assert lost.any()
        changed = cover_the_bare(windows)
    left = bare_cells(windows)
    assert left.sum() < lost.sum() / 4  # of those whom nobody else is like in these windows
    assert set(np.flatnonzero((lost & ~left).any(axis=1))) == set(changed)
    assert len(windows.hidden) == len(before)
    for window, (hider, hidden) in enumerate(zip(windows.hider, windows.hidden, strict=True)):
        there = windows.alive[:, window : window + windows.epochs.reach + 1]
        assert (there[hider] == there[hidden]).all()
