"""The order of people by content, which settles every tie that stretch leaves open.

The content of a fingerprint is its samples as tuples (t, x, y), sorted, compared like Python's tuples: the first
difference decides, and a fingerprint comes before those that it is the beginning of. People of identical
content follow in the order given, which carries nothing as they are interchangeable.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.common.jit import helper, kernel
from shoal.kernels.common.people import People
from shoal.kernels.common.sort import sorter


@helper
def compare_content(people, a, b):  # type: ignore[no-untyped-def]
    """Negative, zero or positive as the content of a comes before, equals or follows that of b."""
    i, j = people.offsets[a], people.offsets[b]
    end_a, end_b = people.offsets[a + 1], people.offsets[b + 1]
    while i < end_a and j < end_b:
        if people.t[i] != people.t[j]:
            return -1 if people.t[i] < people.t[j] else 1
        if people.x[i] != people.x[j]:
            return -1 if people.x[i] < people.x[j] else 1
        if people.y[i] != people.y[j]:
            return -1 if people.y[i] < people.y[j] else 1
        i += 1
        j += 1
    return (end_a - i) - (end_b - j)


@helper
def person_no_later(people, a, b):  # type: ignore[no-untyped-def]
    """Whether a may stand before b."""
    return compare_content(people, a, b) <= 0


order_of_people = sorter(person_no_later)


@kernel
def order_by_content(people):  # type: ignore[no-untyped-def]
    """People in the order of content; of equal content, in their own."""
    return order_of_people(people, people.offsets.size - 1)


@kernel
def number_contents(people, order, number):  # type: ignore[no-untyped-def]
    """Number the distinct contents of people in the order of content; returns how many there are."""
    found = 0
    for i in range(order.size):
        if i > 0 and compare_content(people, order[i - 1], order[i]) != 0:
            found += 1
        number[order[i]] = found
    return found + min(1, order.size)


def content_rank(people: People) -> NDArray[np.int32]:
    """Place of every person in the order of content, a permutation of 0..n-1.

    People of identical content have consecutive places in the order of the input.
    """
    n = people.offsets.size - 1
    rank = np.empty(n, np.int32)
    rank[order_by_content(people)] = np.arange(n, dtype=np.int32)
    return rank


def twins(people: People) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """People of identical content.

    Returns
    -------
    number, start, members
        The number of everybody's content, in the order of content; content c is that of the people
        ``members[start[c]:start[c + 1]]``, ascending.
    """
    n = people.offsets.size - 1
    order, number = order_by_content(people), np.empty(n, np.int32)
    contents = number_contents(people, order, number)
    start = np.concatenate(([0], np.cumsum(np.bincount(number, minlength=contents))))
    return number, start, order
