"""Rows as numbers: the same answers as sets and counters of tuples give."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.packing import distinct, is_in, keys

WIDE = 2**40
numbers = st.integers(-3, 3) | st.integers(-WIDE, WIDE)


def tables(columns: int):
    return st.lists(st.tuples(*[numbers] * columns), max_size=30)


def columns_of(rows, count):
    return tuple(np.array([row[i] for row in rows], np.int64) for i in range(count))


@given(tables(3), st.booleans())
def test_distinct_rows_come_sorted_with_their_counts(rows, twice):
    rows = rows * (1 + twice)
    *columns, counts = distinct(columns_of(rows, 3))
    found = list(zip(*(column.tolist() for column in columns), counts.tolist(), strict=True))
    assert found == [(*row, often) for row, often in sorted(Counter(rows).items())]


@given(tables(3), tables(3))
def test_keys_are_equal_and_ordered_as_rows_are(one, two):
    first, second = keys(columns_of(one, 3), columns_of(two, 3))
    numbered = [*zip(one, first.tolist(), strict=True), *zip(two, second.tolist(), strict=True)]
    for row, key in numbered:
        for other, its in numbered:
            assert (row < other) == (key < its)


@given(st.lists(numbers), st.lists(numbers))
def test_is_in_is_membership(values, among):
    assert is_in(np.array(values, np.int64), np.array(among, np.int64)).tolist() == [v in among for v in values]
