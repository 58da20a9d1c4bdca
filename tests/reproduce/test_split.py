"""Splitting at overlaps, against minute by minute."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reproduce import naive_split
from shoal.reproduce.glove.split import distinct, split_at_overlaps
from shoal.usefulness.figures import Cells

places = st.tuples(st.integers(-9, 9), st.integers(1, 5), st.integers(-9, 9), st.integers(1, 5))
boxes = st.tuples(st.integers(-20, 20), st.integers(1, 15), places).map(lambda b: (b[0], b[1], *b[2]))
crowds = st.lists(st.lists(boxes, max_size=9), min_size=1, max_size=4)


@settings(max_examples=300, deadline=None)
@given(crowds)
@example([[]])
@example([[], [(0, 3, 0, 1, 0, 1)], []])
@example([[(0, 2, 0, 1, 0, 1), (2, 2, 0, 1, 0, 1)], [(4, 2, 5, 1, 5, 1), (4, 2, 5, 1, 5, 1)]])
def test_split_equals_minute_by_minute(crowd):
    flat = np.array([box for group in crowd for box in sorted(group)], np.int64).reshape(-1, 6)
    offsets = np.cumsum([0, *map(len, crowd)])
    cut, cells = split_at_overlaps(offsets, Cells(*flat.T))
    found = np.stack(cells, axis=1).tolist()
    for number, group in enumerate(crowd):
        ours = [tuple(box) for box in found[cut[number] : cut[number + 1]]]
        assert ours == naive_split.split(sorted(group))


@given(st.lists(st.integers(-5, 5)))
def test_distinct(values):
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))
