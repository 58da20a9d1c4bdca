"""Samples in boxes, against a plain loop."""

import numpy as np
import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data import Grid, Projection
from shoal.data.traces import traces_from_samples
from shoal.usefulness.covering import covering_box
from shoal.usefulness.figures import Cells
from usefulness import naive_figures as naive

sides = st.tuples(st.integers(-3, 3), st.integers(1, 3), st.integers(-3, 3), st.integers(1, 3))
moments = st.tuples(st.integers(0, 3), st.integers(1, 4), st.lists(sides, min_size=1, max_size=3, unique=True))
sequences = st.lists(st.lists(moments, max_size=4), min_size=1, max_size=3)
"""Of each sequence: a gap, a duration, and the places that boxes of that time have."""

samples = st.lists(st.tuples(st.integers(-8, 12), st.integers(-4, 5), st.integers(-4, 5)), min_size=1, max_size=6)


def boxes_of(stretches, start=-5):
    boxes, now = [], start
    for gap, duration, places in stretches:
        now += gap
        boxes += [(now, duration, *place) for place in sorted(places)]
        now += duration
    return boxes


@given(sequences, st.lists(st.tuples(samples, st.integers(-1, 9)), min_size=1, max_size=4))
@example([[]], [([(0, 0, 0)], 0)])
@example([[(0, 1, [(0, 1, 0, 1)])]], [([(-5, 0, 0)], -1)])
def test_the_box_found_is_one_that_holds_the_sample(stretches, crowd):
    all_boxes = [boxes_of(one) for one in stretches]
    sequence_of = np.array([min(sequence, len(all_boxes) - 1) for _, sequence in crowd], np.int64)
    rows = sorted({(person, *sample) for person, (own, _) in enumerate(crowd) for sample in own})
    owner, t, x, y = np.array(rows, np.int32).T
    people = pa.array([f"p{i}" for i in range(len(crowd))])
    traces = traces_from_samples(people, owner, t, x, y, Projection(1, 2), Grid())
    offsets = np.cumsum([0, *map(len, all_boxes)])
    columns = np.array([box for boxes in all_boxes for box in boxes], np.int64).reshape(-1, 6).T
    found = covering_box(traces, sequence_of, offsets, Cells(*columns))
    for box, possible in zip(found.tolist(), naive.covered(rows, sequence_of.tolist(), all_boxes), strict=True):
        assert box in possible if possible else box == -1
