"""Parts of a data set."""

import numpy as np
import pytest

from reproduce import crowd
from shoal.reproduce.glove.subsets import DAY_S, days_of, first_days, some_people


@pytest.mark.parametrize("days", [1, 3, 4])
def test_first_days(days):
    people = crowd.people()
    start = people.span_s[0] // DAY_S * DAY_S
    part = first_days(people, days)
    expected = [
        (uid, t, x, y)
        for uid, t, x, y in zip(
            people.people.take(people.owner).to_pylist(),
            people.t.tolist(),
            people.x.tolist(),
            people.y.tolist(),
            strict=True,
        )
        if t * 60 < start + days * DAY_S
    ]
    found = zip(
        part.people.take(part.owner).to_pylist(), part.t.tolist(), part.x.tolist(), part.y.tolist(), strict=True
    )
    assert list(found) == expected
    assert (part.lengths > 0).all()
    assert days_of(part) == days


def test_some_people_are_nested_and_repeatable():
    people = crowd.people()
    few, more = some_people(people, 10, 1), some_people(people, 50, 1)
    assert (len(few), len(more)) == (9, 45)
    assert set(few.people.to_pylist()) < set(more.people.to_pylist())
    assert few.people.equals(some_people(people, 10, 1).people)
    assert not few.people.equals(some_people(people, 10, 2).people)
    person = few.people.to_pylist()[0]
    index, original = few.people.to_pylist().index(person), people.people.to_pylist().index(person)
    assert np.array_equal(
        few.t[few.offsets[index] : few.offsets[index + 1]],
        people.t[people.offsets[original] : people.offsets[original + 1]],
    )
