"""The flat layout: one gather for all, against a slow one."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data import layout
from shoal.data.layout import packed, rows_of


@st.composite
def chosen_people(draw):
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=12))
    return lengths, draw(st.lists(st.integers(0, len(lengths) - 1), max_size=20))


@given(chosen_people())
@example(([0], []))
@example(([0, 0], [1, 1, 0]))
@example(([3, 0, 2], [2, 2, 0]))
def test_rows_are_those_of_the_chosen_in_their_order(case):
    lengths, chosen = case
    starts = [sum(lengths[:i]) for i in range(len(lengths))]
    rows = [starts[i] + j for i in chosen for j in range(lengths[i])]
    ends = [sum(lengths[i] for i in chosen[:n]) for n in range(len(chosen) + 1)]
    for kind in (np.int32, np.int64, np.uint32):
        offsets, found = rows_of(np.array([*starts, sum(lengths)]), np.array(chosen, kind))
        assert (offsets.dtype, found.dtype) == (np.int64, np.int64)
        assert (offsets.tolist(), found.tolist()) == (ends, rows)


values = st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3)


@given(st.lists(st.tuples(values, values, st.integers(0, 3)), min_size=1, max_size=20))
@example([(-(2**31), 0, 0), (2**31 - 1, 1, 0)])
@example([(-(2**31), -(2**31), 0), (2**31 - 1, 2**31 - 1, 1)])
def test_a_key_orders_rows_as_their_columns_do(rows):
    columns = tuple(np.array(column) for column in zip(*rows, strict=True))
    found = packed(columns)
    if found is None:
        assert sum((max(column) - min(column)).bit_length() for column in zip(*rows, strict=True)) > 63
        return
    keys = found[0].tolist()
    assert min(keys) >= 0
    assert len(set(keys)) == len(set(rows))
    assert [row for _, row in sorted(zip(keys, rows, strict=True))] == sorted(rows)


@given(st.lists(st.tuples(values, st.integers(-3, 3)), min_size=1, max_size=20))
def test_keys_of_many_chunks_are_those_of_one(rows):
    columns = tuple(np.array(column) for column in zip(*rows, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "_CHUNK", 3)
        in_chunks = packed(columns)
    whole = packed(columns)
    assert in_chunks[0].tolist() == whole[0].tolist()
    assert in_chunks[1:] == whole[1:]
