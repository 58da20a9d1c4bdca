"""Numbers for identifiers: the order of hashes, and what is found when two of them nearly agree."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import numbering
from shoal.data.numbering import Numbering
from shoal.data.values import blank, known_as

identifiers = st.lists(st.text("abc", min_size=1, max_size=3), max_size=30)
near = st.integers(0, 3)
far = st.sampled_from([0, 1 << 63, 5 << 40])


@given(st.lists(identifiers, max_size=5))
def test_everybody_keeps_one_number_in_the_order_of_being_met(batches):
    people, met = Numbering(), {}
    for batch in batches:
        found = people.numbers(pl.Series("uid", batch, pl.String))
        assert found.tolist() == [met.setdefault(name, len(met)) for name in batch]
    assert people.names().to_list() == list(met)
    assert len(people) == len(met)


runs = st.lists(st.tuples(st.text("abc", min_size=1, max_size=2), st.integers(1, 5)), max_size=8)


@given(st.lists(runs.map(lambda found: [name for name, times in found for _ in range(times)]), max_size=4))
def test_rows_of_a_person_that_stand_together_are_numbered_as_any_others(batches):
    people, met = Numbering(), {}
    for batch in batches:
        found = people.numbers(pl.Series("uid", batch, pl.String))
        assert found.tolist() == [met.setdefault(name, len(met)) for name in batch]
    assert people.names().to_list() == list(met)


@given(st.lists(st.tuples(st.sampled_from([None, "", " ", "\t ", "a", " a"]), st.integers(1, 4)), max_size=6))
def test_blank_identifiers_are_found_wherever_they_stand(found):
    names = [name for name, times in found for _ in range(times)]
    for column in ("uid", "*", "^u.*$"):
        blanks = blank(pl.Series(column, names, pl.String)).to_list()
        assert blanks == [name is None or not name.strip() for name in names]


@given(st.lists(st.none() | st.integers(0, 2), max_size=6))
def test_whole_numbers_are_blank_where_they_are_missing(numbers):
    assert blank(pl.Series("uid", numbers, pl.Int64)).to_list() == [number is None for number in numbers]


@given(st.lists(st.builds(lambda a, b: a + b, near, far), max_size=40))
def test_hashes_that_differ_in_their_last_digits_alone_are_told_apart(hashes):
    array = np.array(hashes, np.uint64)
    assert numbering._order(array).tolist() == sorted(range(len(hashes)), key=lambda row: (hashes[row], row))


@given(st.lists(st.one_of(st.none(), st.sampled_from("abcd")), max_size=20))
def test_places_of_categories_and_of_text_are_the_same(names):
    known = pl.Enum(["d", "b", "a"])
    expected = [None if name in (None, "c") else ["d", "b", "a"].index(name) for name in names]
    for kind in (pl.String, pl.Categorical):
        assert known_as(pl.Series(names, dtype=pl.String).cast(kind), known).to_list() == expected


def test_names_do_not_hold_on_to_the_text_of_all_rows():
    people, name = Numbering(), "somebody with a long name"
    people.numbers(pl.Series("uid", [name] * 100_000))
    held = people.names().to_arrow(compat_level=pl.CompatLevel.newest())
    assert held.to_pylist() == [name]
    assert held.get_total_buffer_size() < 1_000
