"""Neighbourhoods: bounded, total, independent of the input's order; and what becomes of those who are left over."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from elsewhere import Elsewhere
from shoal import synth
from shoal.data import Grid, Projection, Traces
from shoal.data.traces import traces_from_samples
from shoal.engines.local import Local
from shoal.mechanisms.glove import Glove, kmerge
from shoal.mechanisms.glove.grouping import group_people
from shoal.mechanisms.glove.partition import group_in_parts, longest_stretch
from shoal.mechanisms.neighbourhoods import neighbourhoods
from shoal.workers import workers


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
    found = group_in_parts(traces, 20, 3, 1.0, silent, boxes=False, engine=Local())
    assert not found.suppressed.size
    assert all(any(set(members.tolist()) <= part for part in parts) for members in found.members)


def lonely_people(places=(0, 0, 1, 1, 2, 2, 3, 3)):
    """Two towns of pairs far apart, and in each one person who is far from its town and near to the other such."""
    town = [[(0, x, y)] for x in (0, 4000) for y in places]
    return traces_of([*town, [(5000, 1999, 0)], [(5000, 2001, 0)]])


def test_those_left_over_hide_across_neighbourhoods():
    traces = lonely_people()
    parts = neighbourhoods(traces, 9)
    assert [16 in part for part in parts] == [True, False]
    assert [17 in part for part in parts] == [False, True]
    for boxes in (False, True):
        found = group_in_parts(traces, 9, 2, 0.5, silent, boxes=boxes, engine=Local())
        assert [16, 17] in [members.tolist() for members in found.members]
        assert not found.suppressed.size
    offsets, (t, *_), box_of = found.fingerprints()
    assert (t[box_of] <= traces.t).all()
    assert box_of[-2] == box_of[-1] == offsets[-1] - 1


def test_where_groups_are_made_better_those_given_are_told():
    """As the greedy had them, those who hide across neighbourhoods with them."""

    def better(part, groups, **_):
        return replace(groups, members=[np.concatenate(groups.members)], greedy=groups.members)

    greedy, found = (
        group_in_parts(lonely_people(), 9, 2, 0.5, silent, boxes=False, engine=Local(), better=how)
        for how in (None, better)
    )
    assert greedy.greedy is None
    assert [group.tolist() for group in found.greedy] == [group.tolist() for group in greedy.members]
    assert [16, 17] in [group.tolist() for group in found.greedy]
    assert len(found.members) == 3


def test_who_is_too_far_from_all_is_suppressed():
    traces = lonely_people()
    found = group_in_parts(traces, 9, 2, 0.0001, silent, boxes=True, engine=Local())
    assert found.suppressed.tolist() == [16, 17]
    assert (found.fingerprints()[2][-2:] == -1).all()


def one_after_another(traces, most, k, limit):
    """The groups of each neighbourhood in turn, then of those left over, as sets of people."""
    found, left = [], set(range(len(traces)))
    with workers(1) as one:
        for part in neighbourhoods(traces, most):
            groups = group_people(traces.select(part), k, limit, silent, workers=one).members
            found += [sorted(part[members].tolist()) for members in groups]
        left -= {person for members in found for person in members}
        pool = np.array(sorted(left), np.int64)
        if pool.size >= k:
            grouping = group_people(traces.select(pool), k, limit, silent, workers=one)
            near = longest_stretch(grouping) <= limit
            found += [sorted(pool[grouping.members[g]].tolist()) for g in np.flatnonzero(near)]
    return found, sorted(left - {person for members in found for person in members})


@settings(max_examples=30)
@given(CROWD, st.integers(2, 3), st.sampled_from([0.0, 0.01, 1.0]), st.integers(1, 4), st.none() | st.integers(1, 4))
def test_side_by_side_is_one_after_another(people, k, limit, threads, beside):
    traces = traces_of(people)
    if len(traces) < k:
        return
    expected, left = one_after_another(traces, 4 * k, k, limit)
    found = group_in_parts(traces, 4 * k, k, limit, silent, boxes=True, engine=Local(threads, beside))
    assert [members.tolist() for members in found.members] == expected
    assert found.suppressed.tolist() == left
    # Each sample's box is of its person's group, and has the sample in it.
    offsets, (t, dt, x, dx, y, dy), box_of = found.fingerprints()
    group_of = np.full(len(traces), -1)
    for group, members in enumerate(found.members):
        group_of[members] = group
    group = group_of[traces.owner]
    assert ((group < 0) == (box_of < 0)).all()
    box, kept = box_of[group >= 0], group >= 0
    assert (np.searchsorted(offsets, box, side="right") - 1 == group[kept]).all()
    for start, extent, values in ((t, dt, traces.t), (x, dx, traces.x), (y, dy, traces.y)):
        assert (start[box] <= values[kept]).all()
        assert (values[kept] < (start + extent)[box]).all()


def test_the_work_can_go_to_other_machines():
    traces = lonely_people()
    here, there = (
        group_in_parts(traces, 9, 2, 0.5, silent, boxes=True, engine=engine) for engine in (Local(), Elsewhere())
    )
    assert [m.tolist() for m in here.members] == [m.tolist() for m in there.members]
    assert (here.fingerprints()[2] == there.fingerprints()[2]).all()


def test_progress_counts_all_people_and_apart_those_left_over():
    told, nobody_alike = [], lonely_people(range(0, 16, 2))
    group_in_parts(nobody_alike, 9, 2, 0.5, lambda *line: told.append(line), boxes=False, engine=Local(2))
    phases = {phase: [line[1:] for line in told if line[0] == phase] for phase, *_ in told}
    assert list(phases) == ["searching", "grouping", "searching (left over)", "grouping (left over)"]
    for lines in phases.values():
        assert lines == sorted(lines)
        assert len({total for _, total in lines}) == 1
    assert all(lines[-1][0] == lines[-1][1] for lines in phases.values())
    assert phases["grouping"][-1] == (18, 18)


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_groups_are_merged_some_at_a_time_with_the_same_result(share, monkeypatch):
    traces = shoal.read(synth.cdr(40, 2, preset="civ", seed=8))
    mechanism = Glove(k=3, suppress_km=5, suppress_share=share)
    whole = mechanism.protect(traces, seed=1)
    monkeypatch.setattr(kmerge, "AT_ONCE", 50)
    pieces = mechanism.protect(traces, seed=1)
    assert whole.manifest == pieces.manifest
    assert whole.data.equals(pieces.data)
    assert whole.secret.suppressed.equals(pieces.secret.suppressed)
    with workers() as crew:
        groups = group_people(traces, 3, 1.0, silent, workers=crew).members
    assert len(kmerge._pieces(traces, groups)) > 5
