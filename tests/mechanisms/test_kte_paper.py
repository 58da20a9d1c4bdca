"""kte-hide as printed: what it promises about hiding sets holds, and what it does wrong, case by case."""

import subprocess
import sys
from collections import Counter
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.data import Grid, Projection
from shoal.data.traces import traces_from_samples
from shoal.engines.local import Local
from shoal.errors import DataError
from shoal.mechanisms.base import Run
from shoal.mechanisms.kte import paper
from shoal.mechanisms.kte.hiding import Epochs, epochs_of
from shoal.mechanisms.kte.paper import greedy_cycle, hide_as_printed
from shoal.progress import silent

RUN = Run(Local(threads=2), silent)


def traces_of(people):
    """People with samples (t, x)."""
    owner = np.repeat(np.arange(len(people)), [len(samples) for samples in people])
    t, x = np.array([sample for samples in people for sample in samples], np.int32).T
    names = pa.array([str(i) for i in range(len(people))])
    return traces_from_samples(names, owner, t, x, np.zeros_like(x), Projection(7, -5), Grid())


def hidden_in(hiding, window):
    """Pairs (hider, hidden) of a window."""
    here = hiding.window == window
    return sorted(zip(hiding.hider[here].tolist(), hiding.hidden[here].tolist(), strict=True))


def hide(*people, epochs=2, k=2):
    """Epochs of ten minutes from 0 on, windows of two."""
    return hide_as_printed(traces_of(people), Epochs(0, 10, epochs, 1), k, RUN)


def test_first_epochs_a_person_who_leaves_early_is_published_raw():
    hiding = hide([(3, 0)], [(4, 5), (12, 5)], [(5, 9), (13, 9)])
    assert hiding.alive.tolist() == [[True, False], [True, True], [True, True]]
    assert hidden_in(hiding, 0) == [(1, 2), (2, 1)], "nobody covers a, and a covers nobody"


def test_an_absent_hider_leaves_a_person_raw():
    hiding = hide([(3, 0), (12, 0)], [(4, 2)])
    assert hiding.window.size == 0
    assert hiding.alive.tolist() == [[False, False], [True, False]], "b is published as it is"


def test_a_suppressed_hider_leaves_the_hidden_bare():
    a, b = [(3, 0), (12, 0)], [(4, 2), (13, 2), (22, 90)]
    hiding = hide(a, b, epochs=3)
    assert hidden_in(hiding, 0) == [(0, 1), (1, 0)]
    assert hiding.alive[0].tolist() == [True, True, False]
    assert hiding.alive[1].tolist() == [True, False, False], "window 1 takes away what window 0 relies on"


def test_direction_those_who_cover_a_person_are_not_its_hiding_set():
    hiding = hide(*([(3, x), (12, x)] for x in (0, 1, 5)))
    (covers,) = (hidden for hider, hidden in hidden_in(hiding, 0) if hider == 0)
    (covered_by,) = (hider for hider, hidden in hidden_in(hiding, 0) if hidden == 0)
    assert covers != covered_by


def test_absence_of_a_sample_in_the_last_epoch():
    hiding = hide([(8, 0)], [(7, 1), (12, 1)])
    assert hiding.alive.tolist() == [[True, False], [False, False]], "b could have hidden a, and a is published raw"


def test_reuse_a_pair_comes_again_the_other_way_round():
    hiding = hide(*([(3, x), (12, x), (22, x)] for x in (0, 1, 5)), epochs=3)
    first, second = hidden_in(hiding, 0), hidden_in(hiding, 1)
    assert sorted((b, a) for a, b in first) == second


CROWD = st.lists(
    st.lists(st.tuples(st.integers(0, 49), st.integers(0, 30)), min_size=1, max_size=6), min_size=1, max_size=14
)


@settings(max_examples=60)
@given(CROWD, st.integers(2, 4), st.integers(1, 3), st.sampled_from([3, 6, 50]))
def test_hiding_sets_are_balanced_and_nobody_is_used_twice(people, k, reach, per_cluster):
    traces, epochs = traces_of(people), Epochs(0, 10, 5, reach)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paper, "PEOPLE_PER_CLUSTER", per_cluster)
        patch.setattr(paper, "_clusters", lambda costs: np.arange(len(costs)) % max(len(costs) // per_cluster, 1))
        hiding = hide_as_printed(traces, epochs, k, RUN)
    active = np.zeros((len(people), epochs.count), np.bool_)
    active[traces.owner, traces.t // 10] = True
    assert not (hiding.alive & ~active).any()
    pairs = list(zip(hiding.hider.tolist(), hiding.hidden.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs), "nobody is twice in the hiding sets of one person"
    gone = np.zeros_like(active)
    for window in range(epochs.windows):
        rows = hidden_in(hiding, window)
        assert all(hider != hidden for hider, hidden in rows)
        assert set(Counter(hider for hider, _ in rows).values()) <= {k - 1}
        assert Counter(hider for hider, _ in rows) == Counter(hidden for _, hidden in rows)
        span = slice(window, window + reach + 1)
        for hider, hidden in rows:
            assert (active[hider, span] == active[hidden, span]).all()
        served = {hider for hider, _ in rows}
        for person in np.flatnonzero(active[:, window + reach]):
            if person not in served:
                gone[person, span] = True
        assert all(active[person, window + reach] for person in served)
    assert (hiding.alive == (active & ~gone)).all()


@settings(max_examples=100)
@given(st.integers(1, 6), st.data())
def test_a_cycle_is_found_where_there_is_one(people, data):
    cells = people * people
    costs = np.array(data.draw(st.lists(st.integers(1, 9), min_size=cells, max_size=cells))).reshape(people, people)
    free = np.array(data.draw(st.lists(st.booleans(), min_size=cells, max_size=cells))).reshape(people, people)
    np.fill_diagonal(free, val=False)

    def goes(order):
        return all(free[order[i - 1], order[i]] for i in range(people))

    found = greedy_cycle(costs, free)
    if found is None:
        assert not any(goes((0, *rest)) for rest in permutations(range(1, people)))
    else:
        assert sorted(found.tolist()) == list(range(people))
        assert goes(found.tolist())


def test_a_search_for_a_cycle_ends():
    """Everybody can be reached, yet a cycle through two halves that only one edge joins does not exist."""
    free = np.zeros((40, 40), np.bool_)
    free[:20, :20] = free[20:, 20:] = True
    free[0, 20] = True
    np.fill_diagonal(free, val=False)
    assert greedy_cycle(np.ones((40, 40), np.int32), free) is None


def test_costs_are_those_of_merging_two_people_within_the_epoch():
    traces = traces_of([[(1, 0), (13, 50)], [(4, 2)], [(2, 7), (8, 9)], [(15, 3)]])
    cells = paper._Cells(traces, Epochs(0, 10, 2, 1))
    with RUN.engine.workers() as workers:
        costs = cells.pair_costs(np.array([0, 1, 2]), 0, workers)
        late = cells.pair_costs(np.array([0, 3]), 1, workers)
    # Time × (x + y), each max - min + 1: y is one cell everywhere.
    assert costs.tolist() == [[0, 4 * 4, 8 * 11], [16, 0, 7 * 9], [88, 63, 0]]
    assert late.tolist() == [[0, 3 * 49], [147, 0]]


def test_similar_people_are_in_one_cluster():
    rng = np.random.default_rng(0)
    place = np.repeat([0, 40, 90], 50)
    x = place + rng.integers(0, 3, place.size)
    costs = (1 + np.abs(x[:, None] - x)).astype(np.int32)
    labels = paper._clusters(costs)
    assert len(set(zip(place.tolist(), labels.tolist(), strict=True))) == 3
    assert (paper._clusters(costs) == labels).all()


def test_real_sizes_and_the_same_again():
    traces = shoal.read(synth.cdr(400, 1, preset="abidjan", seed=3))
    epochs = epochs_of(traces, 120, 120)
    told = []
    one, two = (
        hide_as_printed(traces, epochs, 3, Run(Local(threads=threads), lambda *step: told.append(step)))
        for threads in (1, 2)
    )
    for name in ("alive", "window", "hider", "hidden"):
        assert (getattr(one, name) == getattr(two, name)).all()
    assert told[epochs.count] == ("hiding", epochs.count, epochs.count)
    assert set(one.window.tolist()) <= set(range(epochs.windows))
    assert one.window.size > 1000


def test_scikit_learn_is_loaded_when_it_clusters_only():
    code = "import sys, shoal.mechanisms.kte.paper; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=120, check=False).returncode == 0


def test_too_many_people_are_refused(monkeypatch):
    monkeypatch.setattr(paper, "MOST_ACTIVE", 2)
    with pytest.raises(DataError, match="small sizes"):
        hide([(3, 0)], [(4, 0)], [(5, 0)])
