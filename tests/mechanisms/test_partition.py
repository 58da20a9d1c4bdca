"""Neighbourhoods: bounded, total, independent of the input's order; and what becomes of those who are left over."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import synth
from shoal.data import Grid, Projection, Traces
from shoal.data.traces import traces_from_samples
from shoal.mechanisms.glove import Glove, kmerge
from shoal.mechanisms.glove.grouping import group_people
from shoal.mechanisms.glove.neighbourhoods import neighbourhoods
from shoal.mechanisms.glove.partition import group_in_parts


def silent(*_):
    """Tell nobody."""


def traces_of(people) -> Traces:
    owner = np.repeat(np.arange(len(people)), [len(samples) for samples in people])
    t, x, y = np.array([sample for samples in people for sample in samples], np.int32).T
    names = pa.array([str(i) for i in range(len(people))])
    return traces_from_samples(names, owner, t, x, y, Projection(7, -5), Grid())


SAMPLE = st.tuples(st.integers(0, 50), st.integers(-300, 300), st.integers(-300, 300))
CROWD = st.lists(st.lists(SAMPLE, min_size=1, max_size=3), min_size=1, max_size=60)


@given(CROWD, st.integers(8, 20), st.randoms())
def test_parts_hold_everybody_once_and_are_neither_large_nor_tiny(people, most, random):
    traces = traces_of(people)
    parts = neighbourhoods(traces, most)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(people)))
    assert max(part.size for part in parts) <= most
    if len(people) > most:
        assert min(part.size for part in parts) >= most // 4
    order = random.sample(range(len(people)), len(people))
    shuffled = neighbourhoods(traces_of([people[i] for i in order]), most)

    def contents(parts, crowd):
        return sorted(sorted(tuple(sorted(set(crowd[p]))) for p in part) for part in parts)

    assert contents(parts, people) == contents(shuffled, [people[i] for i in order])


def test_the_cut_is_across_the_wider_side():
    people = [[(0, 1000 * i, i % 3)] for i in range(8)]
    assert [part.tolist() for part in neighbourhoods(traces_of(people), 4)] == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("publish", ["kmerge", "merge"])
def test_one_neighbourhood_is_the_exact_algorithm(publish):
    traces = shoal.read(synth.cdr(60, 2, preset="civ", seed=8))
    exact, parts = (Glove(k=3, publish=publish, partition=n).protect(traces, seed=1) for n in (None, 60))
    assert exact.data.equals(parts.data)


def test_groups_stay_within_their_neighbourhood():
    traces = shoal.read(synth.cdr(60, 2, preset="civ", seed=8))
    parts = [set(part.tolist()) for part in neighbourhoods(traces, 20)]
    found = group_in_parts(traces, 20, 3, 1.0, silent, boxes=False)
    assert not found.suppressed.size
    assert all(any(set(members.tolist()) <= part for part in parts) for members in found.members)


def lonely_people():
    """Two towns of pairs far apart, and in each one person who is far from its town and near to the other such."""
    town = [[(0, x, y)] for x in (0, 4000) for y in (0, 0, 1, 1, 2, 2, 3, 3)]
    return traces_of([*town, [(5000, 1999, 0)], [(5000, 2001, 0)]])


def test_those_left_over_hide_across_neighbourhoods():
    traces = lonely_people()
    parts = neighbourhoods(traces, 9)
    assert [16 in part for part in parts] == [True, False]
    assert [17 in part for part in parts] == [False, True]
    for boxes in (False, True):
        found = group_in_parts(traces, 9, 2, 0.5, silent, boxes=boxes)
        assert [16, 17] in [members.tolist() for members in found.members]
        assert not found.suppressed.size
    offsets, (t, *_), box_of = found.fingerprints()
    assert (t[box_of] <= traces.t).all()
    assert box_of[-2] == box_of[-1] == offsets[-1] - 1


def test_who_is_too_far_from_all_is_suppressed():
    traces = lonely_people()
    found = group_in_parts(traces, 9, 2, 0.0001, silent, boxes=True)
    assert found.suppressed.tolist() == [16, 17]
    assert (found.fingerprints()[2][-2:] == -1).all()


def test_progress_counts_all_people():
    told = []
    group_in_parts(lonely_people(), 9, 2, 0.5, lambda *told_: told.append(told_), boxes=False)
    assert {total for _, _, total in told} == {18}
    assert max(done for _, done, _ in told) <= 18


def test_groups_are_merged_some_at_a_time_with_the_same_result(monkeypatch):
    traces = shoal.read(synth.cdr(40, 2, preset="civ", seed=8))
    whole = Glove(k=3, suppress_km=5).protect(traces, seed=1)
    monkeypatch.setattr(kmerge, "AT_ONCE", 50)
    pieces = Glove(k=3, suppress_km=5).protect(traces, seed=1)
    assert whole.data.equals(pieces.data)
    assert whole.secret.suppressed.equals(pieces.secret.suppressed)
    assert len(kmerge._pieces(traces, group_people(traces, 3, 1.0, silent).members)) > 5
